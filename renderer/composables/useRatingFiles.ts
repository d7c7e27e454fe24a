/** Exports rating tasks and reports as files, and imports the answers of other raters. */
import { useToast } from '@nuxt/ui/composables/useToast';
import { ratingReportFormats, type RatingReportFormat } from '../../shared/judging-report.js';
import { t, windowLanguage } from '../messages/index.js';
import { useAsk } from './useAsk.js';
import { useFiles } from './useFiles.js';
import type { useRatings } from './useRatings.js';
import { useSaved } from './useSaved.js';

export function useRatingFiles({ queue, load, stage }: ReturnType<typeof useRatings>) {
  const { ask } = useAsk();
  const { choose, chooseSave } = useFiles();
  const toast = useToast();
  const notifySaved = useSaved();

  async function exportTask() {
    const file = await chooseSave('ratingTask', `rating-${queue().task}.html`);
    if (!file || !(await ask('ratings.export', { ...queue(), file: file.handle, language: windowLanguage.value }))) return;
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
