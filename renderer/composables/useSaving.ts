/** Saves exports, reports and ratings where the user chooses. */
import { useToast } from '@nuxt/ui/composables/useToast';
import { ref, shallowReactive, shallowRef } from 'vue';
import type { ExportFormatName, ModelFormat } from '../../shared/config/export-formats.js';
import type { ProjectSummary } from '../../shared/contract/projects.js';
import type { FileInfo } from '../../shared/contract/values.js';
import { ratingReportFormats, type RatingReportFormat } from '../../shared/judging-report.js';
import { runReportFormats, type RunReportFormat } from '../../shared/reports/run-report.js';
import { fetchSaved } from '../client/download.js';
import { t, windowLanguage } from '../messages/index.js';
import { useAppInfo } from '../stores/stores.js';
import { useAsk } from './useAsk.js';
import { useFiles } from './useFiles.js';
import { useFormat } from './useFormat.js';
import { useProjectActions } from './useActions.js';
import type { useRatings } from './useRatings.js';

/** Long enough to read the path, and to go there. */
const TOAST_MILLISECONDS = 15_000;

export function useSaved() {
  const { ask } = useAsk();
  const toast = useToast();
  const app = useAppInfo();

  /** A folder stays on the server, so only its path is shown. */
  return function notifySaved({ handle, kind }: FileInfo, title: string, description = ''): void {
    const isApp = app.info?.transport === 'electron';
    if (!isApp && kind === 'file') fetchSaved(handle);
    toast.add({
      title,
      ...(description === '' ? {} : { description }),
      icon: 'i-lucide-package-check',
      duration: TOAST_MILLISECONDS,
      ...(isApp
        ? { actions: [{ label: t('home.actions.reveal'), onClick: () => void ask('files.reveal', { handle }) }] }
        : {}),
    });
  };
}

/** What was exported since the window opened, by project and format: a place to go to again. */
const saved = shallowReactive(new Map<string, { readonly file: FileInfo; readonly place: string }>());

export function useExport() {
  const { ask } = useAsk();
  const { exportTo } = useProjectActions();
  const running = ref<ExportFormatName | null>(null);
  const progress = shallowRef<{ readonly done: number; readonly total: number } | null>(null);
  let controller: AbortController | null = null;

  async function write({ id }: ProjectSummary, format: ModelFormat) {
    const chosen = (await ask('projects.exportPlace', { id, format }))?.folder ?? null;
    if (chosen === null) return null;
    controller = new AbortController();
    const { signal } = controller;
    running.value = format;
    progress.value = null;
    const onProgress = (update: { readonly done: number; readonly total: number }) => (progress.value = update);
    const wanted = { id, format, language: windowLanguage.value, folder: chosen.handle };
    const written = await ask('projects.exportModel', wanted, { onProgress, signal });
    running.value = null;
    controller = null;
    return written && { file: written.folder, place: written.place };
  }
  async function save(project: ProjectSummary, format: ExportFormatName) {
    if (running.value !== null) return;
    if (format === 'project') {
      const file = await exportTo(project);
      if (file) saved.set(`${project.id} ${format}`, { file, place: file.name });
    } else {
      const written = await write(project, format);
      if (written) saved.set(`${project.id} ${format}`, written);
    }
  }
  const savedAs = (project: ProjectSummary, format: ExportFormatName) => saved.get(`${project.id} ${format}`) ?? null;
  const reveal = (file: FileInfo) => ask('files.reveal', { handle: file.handle });

  return { running, progress, save, savedAs, reveal, stop: () => controller?.abort() };
}

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

export function useRatingFiles({ queue, load, stage }: ReturnType<typeof useRatings>) {
  const { ask } = useAsk();
  const { choose, chooseSave } = useFiles();
  const toast = useToast();
  const notifySaved = useSaved();

  async function exportTask() {
    const file = await chooseSave('ratingTask', `rating-${queue().task}.html`);
    if (!file || !(await ask('ratings.export', { ...queue(), file: file.handle, language: windowLanguage.value })))
      return;
    notifySaved(file, t('rating.others.exported', { name: file.name }), t('rating.others.exportedHelp'));
  }

  async function saveReport(kind: RatingReportFormat) {
    const file = await chooseSave('ratingReport', ratingReportFormats[kind]);
    if (!file) return;
    const wanted = { id: queue().id, format: kind, file: file.handle, language: windowLanguage.value };
    const saved = await ask('ratings.saveReport', wanted);
    if (saved)
      notifySaved(
        saved.file,
        t('rating.others.exported', { name: saved.file.name }),
        t('rating.others.reported', { votes: saved.judgements }),
      );
  }

  async function importAnswers() {
    const file = await choose('ratingResult');
    const merged = file && (await ask('ratings.import', { id: queue().id, file: file.handle }));
    if (!merged) return;
    const { rater, added, changed } = merged;
    toast.add({
      title: t('rating.others.imported', { rater, added, changed }),
      icon: 'i-lucide-circle-check',
    });
    await load();
    stage.value = 'report';
  }
  return { exportTask, saveReport, importAnswers };
}
