/** Saves what projects came to as one file to give away, where the person chooses. */
import { useToast } from '@nuxt/ui/composables/useToast';
import { ref } from 'vue';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { runReportFormats, type RunReportFormat } from '../../shared/run-report.js';
import { useAppInfo } from '../stores/app-info.js';
import { strings } from '../strings/index.js';
import { useAsk } from './useAsk.js';
import { useFiles } from './useFiles.js';
import { useFormat } from './useFormat.js';

/** Long enough to read where it is, and to go there. */
const TOAST_MILLISECONDS = 15_000;

export function useReport() {
  const { ask } = useAsk();
  const { chooseSave } = useFiles();
  const toast = useToast();
  const app = useAppInfo();
  const format = useFormat();
  const saving = ref(false);

  /** @returns whether it was written */
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
    });
    saving.value = false;
    if (!saved) return false;
    const { name, handle } = saved.file;
    toast.add({
      title: strings.home.reports.saved(name, format.bytes(saved.bytes)),
      icon: 'i-lucide-package-check',
      duration: TOAST_MILLISECONDS,
      // A browser downloads it to where it always does.
      ...(app.info?.transport === 'electron'
        ? {
            actions: [{ label: strings.home.actions.reveal, onClick: () => void ask('files.reveal', { handle }) }],
          }
        : {}),
    });
    return true;
  }
  return { saving, saveReport };
}
