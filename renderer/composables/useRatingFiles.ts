/** A rating task for somebody else, and the answers that come back: as files, wherever the person keeps them. */
import { useToast } from '@nuxt/ui/composables/useToast';
import type { FileInfo } from '../../shared/contract/values.js';
import { ratingReportFormats, type RatingReportFormat } from '../../shared/judging-report.js';
import { strings } from '../strings/index.js';
import { useAppInfo } from '../stores/app-info.js';
import { useAsk } from './useAsk.js';
import { useFiles } from './useFiles.js';
import { useFormat } from './useFormat.js';
import type { useRatings } from './useRatings.js';

/** Long enough to read where it is, and to go there. */
const TOAST_MILLISECONDS = 15_000;

export function useRatingFiles({ asked, load, stage }: ReturnType<typeof useRatings>) {
  const { ask } = useAsk();
  const { choose, chooseSave } = useFiles();
  const toast = useToast();
  const app = useAppInfo();
  const format = useFormat();
  const words = strings.rating.others;

  async function exportTask() {
    const file = await chooseSave('ratingTask', `rating-${asked().task}.html`);
    if (!file || !(await ask('ratings.export', { ...asked(), file: file.handle }))) return;
    saidSaved(file, words.exportedHelp);
  }

  function saidSaved(file: FileInfo, description: string) {
    toast.add({
      title: words.exported(file.name),
      description,
      icon: 'i-lucide-package-check',
      duration: TOAST_MILLISECONDS,
      // A browser downloads it to where it always does.
      ...(app.info?.transport === 'electron'
        ? {
            actions: [
              { label: strings.home.actions.reveal, onClick: () => void ask('files.reveal', { handle: file.handle }) },
            ],
          }
        : {}),
    });
  }

  /** As a page, data, rows, or pairs to train on. */
  async function saveReport(kind: RatingReportFormat) {
    const file = await chooseSave('ratingReport', ratingReportFormats[kind]);
    const saved = file && (await ask('ratings.saveReport', { id: asked().id, format: kind, file: file.handle }));
    if (saved) saidSaved(saved.file, words.reported(format.count(saved.judgements)));
  }

  async function importAnswers() {
    const file = await choose('ratingResult');
    const merged = file && (await ask('ratings.import', { id: asked().id, file: file.handle }));
    if (!merged) return;
    const { rater, added, changed } = merged;
    toast.add({
      title: words.imported(rater, format.count(added), format.count(changed)),
      icon: 'i-lucide-circle-check',
    });
    await load();
    stage.value = 'report';
  }
  return { exportTask, saveReport, importAnswers };
}
