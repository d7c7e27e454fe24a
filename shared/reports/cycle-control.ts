/**
 * Decides from its control whether a cycle paid, in one sentence for every surface. Training on had only a share of the cycle's
 * work; with all of it, it would have gained at most in proportion, because each step of training gains less than the previous one.
 */
import type { Locale } from '../base/formatters.js';
import { formatFixed, NOTHING } from '../base/numbers.js';
import type { ControlReport, CycleReport } from './report.js';

/**
 * `paid`: the cycle gained half as much again as training on could have; `train`: training on gained as much or more; `narrower`:
 * it writes likelier text, but less varied, as a lower temperature does; `nothing`: it gained nothing; `unclear`: none is certain.
 */
export type CycleVerdict = 'paid' | 'train' | 'narrower' | 'nothing' | 'unclear';

/** Nats per token too few to notice. */
const LITTLE = 0.02;
/** A cycle that pays gains this many times what training on could have. */
const PAYS = 1.5;
/** A cycle keeps its variety if no more than a twentieth of it is lost. */
const VARIETY_KEPT = 0.95;

export function cycleVerdict({ cycle, trained_on, lead, share, variety }: ControlReport): CycleVerdict {
  const rival = trained_on.gain ?? 0;
  if (isBehind(lead)) return 'train';
  if (cycle.gain === null || cycle.interval === null) return 'unclear';
  if (cycle.interval.low <= 0) return cycle.interval.high > LITTLE ? 'unclear' : 'nothing';
  if (rival >= cycle.gain) return 'train';
  if (variety.after < VARIETY_KEPT * variety.before) return 'narrower';
  const isAhead = (lead.interval?.low ?? -1) > 0;
  return isAhead && cycle.gain >= PAYS * Math.max(0, rival / share) ? 'paid' : 'unclear';
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

/** A gain or a loss, formatted. */
export interface Change {
  readonly isLoss: boolean;
  /** Without a sign. */
  readonly size: string;
}

/** The verdict as sentences. */
export interface ControlWords {
  /** @param share a percentage without its sign */
  changes(cycle: Change, trained: Change, share: string): string;
  paid(changes: string): string;
  train(changes: string): string;
  narrower(changes: string): string;
  nothing(changes: string): string;
  unclear(changes: string): string;
}

const changed = ({ isLoss, size }: Change): string => `${isLoss ? 'lost' : 'gained'} ${size}`;

export const controlWords: ControlWords = {
  changes: (cycle, trained, share) =>
    `the cycle ${changed(cycle)} nats per token, plain training ${changed(trained)} with ${share}% of the cycle’s work`,
  paid: (changes) => `This cycle paid: ${changes}.`,
  train: (changes) => `Plain training is better here: ${changes}.`,
  narrower: (changes) => `This cycle made the writing less varied, as a lower temperature does: ${changes}.`,
  nothing: (changes) => `This cycle did not pay: ${changes}.`,
  unclear: (changes) => `Whether this cycle paid is not clear: ${changes}.`,
};

const inEnglish: { readonly words: ControlWords; readonly locale: Locale } = { words: controlWords, locale: 'en' };

/** The verdict in words, with its figures. */
export function controlSentence(control: ControlReport, { words, locale } = inEnglish): string {
  const { cycle, trained_on, share } = control;
  const change = (value: number | null): Change => {
    if (value === null) return { isLoss: false, size: NOTHING };
    const size = formatFixed(Math.abs(value), 3, locale);
    // A change that rounds to 0.000 is no loss.
    return { isLoss: value < 0 && size !== formatFixed(0, 3, locale), size };
  };
  const changes = words.changes(change(cycle.gain), change(trained_on.gain), String(Math.round(share * 100)));
  return words[cycleVerdict(control)](changes);
}
