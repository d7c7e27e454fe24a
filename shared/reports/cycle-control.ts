/**
 * Decides from its control whether a cycle paid. Training on had only a share of the cycle's
 * work; with all of it, it would have gained at most in proportion, because each step of training gains less than the previous one.
 */
import { localized, share, type Message } from '../messages/message.js';
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

/** Rounds to 0.000: neither a gain nor a loss. */
const NO_CHANGE = 0.0005;

const gainMessage = (gain: number | null): Message => {
  if (gain === null) return localized('control.unmeasured');
  return localized(gain <= -NO_CHANGE ? 'control.lost' : 'control.gained', { nats: Math.abs(gain) });
};

/** The verdict with its figures. */
export function controlMessage(control: ControlReport): Message {
  const { cycle, trained_on, share: work } = control;
  const changes = { cycle: gainMessage(cycle.gain), trained: gainMessage(trained_on.gain), share: share(work) };
  return localized(`control.verdict.${cycleVerdict(control)}`, { changes: localized('control.changes', changes) });
}
