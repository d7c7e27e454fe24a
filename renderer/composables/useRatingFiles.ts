/** Exports rating tasks and reports as files, and imports the answers of other raters. */
import { useToast } from '@nuxt/ui/composables/useToast';
import { ratingReportFormats, type RatingReportFormat } from '../../shared/judging-report.js';
import { strings } from '../strings/index.js';
const words = strings.rating.others;
import { useAsk } from './useAsk.js';
import { useFiles } from './useFiles.js';
import { useFormat } from './useFormat.js';
import type { useRatings } from './useRatings.js';
import { useSaved } from './useSaved.js';

export function useRatingFiles({ queue, load, stage }: ReturnType<typeof useRatings>) {
  const { ask } = useAsk();
  const { choose, chooseSave } = useFiles();
  const toast = useToast();
  const notifySaved = useSaved();
  const format = useFormat();

  async function exportTask() {
    const file = await chooseSave('ratingTask', `rating-${queue().task}.html`);
    if (!file || !(await ask('ratings.export', { ...queue(), file: file.handle, language: strings.tag }))) return;
    notifySaved(file, words.exported(file.name), words.exportedHelp);
  }

  async function saveReport(kind: RatingReportFormat) {
    const file = await chooseSave('ratingReport', ratingReportFormats[kind]);
    if (!file) return;
    const wanted = { id: queue().id, format: kind, file: file.handle, language: strings.tag };
    const saved = await ask('ratings.saveReport', wanted);
    if (saved) notifySaved(saved.file, words.exported(saved.file.name), words.reported(format.count(saved.judgements)));
  }

  async function importAnswers() {
    const file = await choose('ratingResult');
    const merged = file && (await ask('ratings.import', { id: queue().id, file: file.handle }));
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
