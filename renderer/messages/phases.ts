/** Phases and their charts in the user's language. */
import { chartsOf, phases, type ChartSettings, type PhaseName, type WholeChart } from '../../shared/phases/index.js';
import type { MessageCode } from '../../shared/messages/message.js';
import { t } from './index.js';

export const phaseWords = (phase: PhaseName): { readonly label: string; readonly help: string } => ({
  label: t(phases[phase].label),
  help: t(phases[phase].help),
});

export function chartsInWords(phase: PhaseName, settings: ChartSettings) {
  const { open, others } = chartsOf(phases[phase], settings);
  return { open: open.map(inWords), others: others.map(inWords) };
}

const inWords = ({ title, note, lines, ...chart }: WholeChart<MessageCode>): WholeChart => ({
  ...chart,
  title: t(title),
  ...(note === undefined ? {} : { note: t(note) }),
  lines: lines.map((line) => ({ ...line, label: t(line.label) })),
});
