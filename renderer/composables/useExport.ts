/** Exports a project or its model, one at a time, with progress. */
import { ref, shallowRef } from 'vue';
import type { ExportFormatName } from '../../shared/config/export-formats.js';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import { t, windowLanguage } from '../messages/index.js';
import { useAsk } from './useAsk.js';
import { useProjectActions } from './useProjectActions.js';
import { useSaved } from './useSaved.js';

export function useExport() {
  const { ask } = useAsk();
  const { exportTo } = useProjectActions();
  const notifySaved = useSaved();
  const running = ref<ExportFormatName | null>(null);
  const progress = shallowRef<{ readonly done: number; readonly total: number } | null>(null);
  let controller: AbortController | null = null;

  /** @returns whether the file was written */
  async function write(project: ProjectSummary, format: ExportFormatName): Promise<boolean> {
    if (running.value !== null) return false;
    if (format === 'project') {
      await exportTo(project);
      return true;
    }
    controller = new AbortController();
    const { signal } = controller;
    running.value = format;
    progress.value = null;
    const onProgress = (update: { readonly done: number; readonly total: number }) => (progress.value = update);
    const written = await ask(
      'projects.exportModel',
      { id: project.id, format, language: windowLanguage.value },
      { onProgress, signal },
    );
    running.value = null;
    controller = null;
    if (written === null) return false;
    notifySaved(written.folder, t('home.exportedModel', { folder: written.folder.name }));
    return true;
  }

  return { running, progress, write, stop: () => controller?.abort() };
}
