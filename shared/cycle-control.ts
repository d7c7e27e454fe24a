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

/** What was gained, or lost: nobody gains −0.155. */
export interface Change {
  readonly isLoss: boolean;
  /** Without a sign, and written already. */
  readonly size: string;
}

/** The verdict as sentences. */
export interface ControlWords {
  /** @param share a percentage without its sign */
  changes(cycle: Change, trained: Change, share: string): string;
  paid(changes: string): string;
  train(changes: string): string;
  /** @param topP the share itself */
  top_p(cycle: Change, free: Change, topP: string): string;
  temperature(cycle: Change): string;
  unclear(changes: string): string;
}

const changed = ({ isLoss, size }: Change): string => `${isLoss ? 'lost' : 'gained'} ${size}`;

export const controlWords: ControlWords = {
  changes: (cycle, trained, share) =>
    `the cycle ${changed(cycle)} nats per character at equal variety, plain training ${changed(trained)} with ${share}% of the cycle’s work`,
  paid: (changes) => `This cycle paid: ${changes}.`,
  train: (changes) => `Plain training is better here: ${changes}.`,
  top_p: (cycle, free, topP) =>
    `This cycle did not pay: leaving out unlikely tokens (top-p ${topP}) costs nothing and ${changed(free)} nats per character at equal variety, the cycle ${changed(cycle)}.`,
  temperature: (cycle) =>
    `This cycle did not pay: at equal variety it gained nothing that a lower temperature does not give (it ${changed(cycle)} nats per character).`,
  unclear: (changes) => `Whether this cycle paid is not clear: ${changes}.`,
};

const inEnglish: { readonly words: ControlWords; readonly locale: Locale } = { words: controlWords, locale: 'en' };

/** The verdict in words, figures included. */
export function controlSentence(control: ControlReport, { words, locale } = inEnglish): string {
  const { cycle, trained_on, top_p, share } = control;
  const change = (value: number | null): Change => {
    if (value === null) return { isLoss: false, size: NOTHING };
    const size = formatFixed(Math.abs(value), 3, locale);
    // What is written as 0.000 was not lost.
    return { isLoss: value < 0 && size !== formatFixed(0, 3, locale), size };
  };
  const verdict = cycleVerdict(control);
  if (verdict === 'temperature') return words.temperature(change(cycle.gain));
  if (verdict === 'top_p')
    return words.top_p(change(cycle.gain), change(top_p?.gain ?? null), formatFixed(top_p?.top_p ?? NaN, 1, locale));
  return words[verdict](words.changes(change(cycle.gain), change(trained_on.gain), String(Math.round(share * 100))));
}
