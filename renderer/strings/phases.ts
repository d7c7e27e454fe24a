/** Phases and their charts in the language that is spoken: English stands where they are declared, in shared/phases. */
import { chartsOf, phases, type ChartSettings, type PhaseName, type WholeChart } from '../../shared/phases/index.js';
import { strings } from './index.js';

export const phaseWords = (phase: PhaseName): { readonly label: string; readonly help: string } => ({
  label: strings.declared(phases[phase].label),
  help: strings.declared(phases[phase].help),
});

/** `chartsOf` with its words. */
export function chartsInWords(phase: PhaseName, settings: ChartSettings) {
  const { open, others } = chartsOf(phases[phase], settings);
  return { open: open.map(inWords), others: others.map(inWords) };
}

const inWords = (chart: WholeChart): WholeChart => ({
  ...chart,
  title: strings.declared(chart.title),
  ...(chart.note === undefined ? {} : { note: strings.declared(chart.note) }),
  lines: chart.lines.map((line) => ({ ...line, label: strings.declared(line.label) })),
});
