/** A rating task for somebody else, and the answers that come back: as files, wherever the person keeps them. */
import { useToast } from '@nuxt/ui/composables/useToast';
import { ref } from 'vue';
import { ratingReportFormats, type RatingReportFormat } from '../../shared/judging-report.js';
import { strings } from '../strings/index.js';
const words = strings.rating.others;
import { useAsk } from './useAsk.js';
import { useFiles } from './useFiles.js';
import { useFormat } from './useFormat.js';
import type { useRatings } from './useRatings.js';
import { useSaved } from './useSaved.js';

export function useRatingFiles({ asked, load, stage }: ReturnType<typeof useRatings>) {
  const { ask } = useAsk();
  const { choose, chooseSave } = useFiles();
  const toast = useToast();
  const tellSaved = useSaved();
  const format = useFormat();

  async function exportTask() {
    const file = await chooseSave('ratingTask', `rating-${asked().task}.html`);
    if (!file || !(await ask('ratings.export', { ...asked(), file: file.handle, language: strings.tag }))) return;
    tellSaved(file, words.exported(file.name), words.exportedHelp);
  }

  /** A report is being made: reward models are asked about every pair, which takes a while. */
  const saving = ref(false);
  /** As a page, data, rows, or pairs to train on. */
  async function saveReport(kind: RatingReportFormat) {
    const file = await chooseSave('ratingReport', ratingReportFormats[kind]);
    if (!file) return;
    saving.value = true;
    const saved = await ask('ratings.saveReport', {
      id: asked().id,
      format: kind,
      file: file.handle,
      language: strings.tag,
    });
    saving.value = false;
    if (saved) tellSaved(saved.file, words.exported(saved.file.name), words.reported(format.count(saved.judgements)));
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
  return { saving, exportTask, saveReport, importAnswers };
}
