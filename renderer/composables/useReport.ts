/** Saves the results of projects as one file, where the user chooses. */
import { ref } from 'vue';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { runReportFormats, type RunReportFormat } from '../../shared/reports/run-report.js';
import { t, windowLanguage } from '../messages/index.js';
import { useAsk } from './useAsk.js';
import { useFiles } from './useFiles.js';
import { useFormat } from './useFormat.js';
import { useSaved } from './useSaved.js';

export function useReport() {
  const { ask } = useAsk();
  const { chooseSave } = useFiles();
  const notifySaved = useSaved();
  const format = useFormat();
  const saving = ref(false);

  /** @returns whether the file was written */
  async function saveReport(projects: readonly Pick<ProjectSummary, 'id' | 'name'>[], kind: RunReportFormat) {
    if (saving.value) return false;
    const more = projects.length > 1 ? `-${projects.length}` : '';
    const file = await chooseSave('report', `${projects[0]?.name ?? ''}${more}.${runReportFormats[kind]}`);
    if (!file) return false;
    saving.value = true;
    const saved = await ask('projects.saveReport', {
      ids: projects.map(({ id }) => id),
      format: kind,
      file: file.handle,
      language: windowLanguage.value,
    });
    saving.value = false;
    if (!saved) return false;
    notifySaved(saved.file, t('home.reports.saved', { name: saved.file.name, size: format.bytes(saved.bytes) }));
    return true;
  }
  return { saving, saveReport };
}
