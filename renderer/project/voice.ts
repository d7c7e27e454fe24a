/** What a version sounds like, as figures for the dashboard and the page of results. */
import type { CycleReport } from '../../shared/reports/report.js';
import type { useFormat } from '../composables/useFormat.js';
import type { Figure } from '../components/dashboard/FigureRow.vue';
import { intervalWords } from '../format/words.js';
import { t } from '../messages/index.js';

/** Voice share, log ratio, detector and counts, each next to what the user's own text has; none unless a cycle follows the voice. */
export function voiceFigures(report: CycleReport | null, format: ReturnType<typeof useFormat>): readonly Figure[] {
  const { voice } = report ?? {};
  if (!voice) return [];
  const { version, before, text } = voice;
  const share = (value: number) => format.share(value, 1);
  const nats = (value: number) => format.measure(value);
  const figure = (
    name: 'characters' | 'log_ratio' | 'repeated' | 'copied',
    shown: (value: number) => string,
  ): Figure => ({
    label: t(`project.voice.${name}`),
    value: before ? `${shown(before[name].mean)} → ${shown(version[name].mean)}` : shown(version[name].mean),
    note: t('project.voice.text', { value: shown(text[name].mean) }),
  });
  const found = version.detector;
  return [
    figure('characters', share),
    figure('log_ratio', nats),
    figure('repeated', share),
    figure('copied', share),
    ...(found
      ? [{ label: t('project.voice.detector'), value: nats(found.mean), note: intervalWords(found.interval, nats) }]
      : []),
  ];
}
