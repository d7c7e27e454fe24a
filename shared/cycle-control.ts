/**
 * Did a cycle pay? One sentence from its control, for every surface. Training on was given only a share of the cycle's work;
 * what it would have gained with all of it is at most in proportion, since each step of training gains less than the last.
 */
import type { Locale } from './formatters.js';
import { formatFixed, NOTHING } from './numbers.js';
import type { ControlReport, CycleReport } from './report.js';

/**
 * `paid`: the cycle gained half as much again as training on could have, and as leaving out unlikely tokens; `train`: training on
 * gained as much or more; `top_p`: leaving out unlikely tokens did; `temperature`: at equal variety nothing was gained, so that a
 * lower temperature gives the same; `unclear`: none is certain.
 */
export type CycleVerdict = 'paid' | 'train' | 'top_p' | 'temperature' | 'unclear';

/** Nats per character that nobody would notice. */
const LITTLE = 0.02;
/** What pays is better than the best rival by this factor. */
export const PAYS = 1.5;

export function cycleVerdict({ cycle, trained_on, top_p, lead, share }: ControlReport): CycleVerdict {
  const [rival, free] = [trained_on.gain ?? 0, top_p?.gain ?? 0];
  if (isBehind(lead)) return 'train';
  if (top_p && isBehind(top_p.lead)) return 'top_p';
  if (cycle.gain === null || cycle.interval === null) return 'unclear';
  if (cycle.interval.low <= 0) return cycle.interval.high > LITTLE ? 'unclear' : 'temperature';
  if (rival >= cycle.gain) return 'train';
  if (free >= cycle.gain) return 'top_p';
  const isAhead = [lead, ...(top_p ? [top_p.lead] : [])].every(({ interval }) => (interval?.low ?? -1) > 0);
  return isAhead && cycle.gain >= PAYS * Math.max(0, rival / share, free) ? 'paid' : 'unclear';
}

const isBehind = ({ interval }: ControlReport['lead']): boolean => (interval?.high ?? 1) < 0;

/**
 * The generator to train on from where the newest cycle's control found plain training better: what the cycle made, if that is
 * better at all, else what it began with. Null where nothing says so.
 */
export function versionToTrainOn(reports: readonly Pick<CycleReport, 'name' | 'control'>[]): string | null {
  const [before, newest] = [reports.at(-2), reports.at(-1)];
  if (!before || !newest?.control || cycleVerdict(newest.control) !== 'train') return null;
  return (newest.control.cycle.interval?.low ?? 0) > 0 ? newest.name : before.name;
}

/** Plain training alone: no cycle, and no judge, which would take longer than the training. */
export const plainTraining = { max_cycles: 0, judge_passages: 0 } as const;

/** The verdict as sentences; figures are written already. */
export interface ControlWords {
  /** @param share a percentage without its sign */
  gains(cycle: string, trained: string, share: string): string;
  paid(gains: string): string;
  train(gains: string): string;
  /** @param topP the share itself */
  top_p(cycle: string, free: string, topP: string): string;
  temperature(gain: string): string;
  unclear(gains: string): string;
}

export const controlWords: ControlWords = {
  gains: (cycle, trained, share) =>
    `the cycle gained ${cycle} nats per character at equal variety, plain training ${trained} in ${share}% of its work`,
  paid: (gains) => `This cycle paid: ${gains}.`,
  train: (gains) => `Plain training is better here: ${gains}.`,
  top_p: (cycle, free, topP) =>
    `This cycle did not pay: leaving out unlikely tokens (top-p ${topP}) costs nothing and gained ${free} nats per character at equal variety, the cycle ${cycle}.`,
  temperature: (gain) =>
    `This cycle did not pay: at equal variety it gained nothing that a lower temperature does not give (${gain} nats per character).`,
  unclear: (gains) => `Whether this cycle paid is not clear: ${gains}.`,
};

/** The verdict in words, figures included. */
export function controlSentence(
  control: ControlReport,
  words: ControlWords = controlWords,
  locale: Locale = 'en',
): string {
  const { cycle, trained_on, top_p, share } = control;
  const nats = (value: number | null) => (value === null ? NOTHING : formatFixed(value, 3, locale));
  const verdict = cycleVerdict(control);
  if (verdict === 'temperature') return words.temperature(nats(cycle.gain));
  if (verdict === 'top_p')
    return words.top_p(nats(cycle.gain), nats(top_p?.gain ?? null), formatFixed(top_p?.top_p ?? NaN, 1, locale));
  return words[verdict](words.gains(nats(cycle.gain), nats(trained_on.gain), String(Math.round(share * 100))));
}
