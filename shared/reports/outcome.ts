/**
 * Derives a project's outcome from the reports of its cycles, for the terminal's summary, the window and reports alike. Every
 * change comes with its uncertainty; unknown facts are left out.
 */
import { cycleVerdict, type CycleVerdict } from './cycle-control.js';
import { count, localized, measure, share, verbatim, type Message } from '../messages/message.js';
import { parseArtefact } from '../phases/index.js';
import { verdictOf, type Comparison, type Verdict } from '../judging.js';
import {
  isUninformative,
  rewardMoved,
  type CycleReport,
  type EndReason,
  type HeldOutSample,
  type Interval,
  type LossChange,
} from './report.js';

/** `unclear`: chance alone could explain it. `unknown`: how far chance goes was not measured. */
export type Direction = 'better' | 'worse' | 'unclear' | 'unknown';

export interface Change {
  readonly before: number;
  readonly after: number;
  readonly direction: Direction;
}

export interface Outcome {
  /** Of the newest version; 0 is base training. */
  readonly cycle: number;
  readonly newest: string;
  readonly base: string;
  /** Perplexity of held-out text, from the base model to the newest; `change` as a share of it, below 0 is better. */
  readonly held_out: (Change & { readonly change: number; readonly interval: Interval | null }) | null;
  /** The same of the last cycle alone. */
  readonly last_held_out: Direction | null;
  /** Which part of the held-out text the newest version was measured on; null for all of it. */
  readonly sample: HeldOutSample | null;
  /** Mean P(natural) by the reward model of the last cycle, before and after that cycle. */
  readonly reward: (Change & { readonly intervals: readonly [Interval, Interval] | null }) | null;
  /** Nats per token by which the independent judge finds writing likelier or not, from the base model to the newest. */
  readonly judge: (Change & { readonly gain: number }) | null;
  /** What people say of the newest against the one before it. */
  readonly people: { readonly verdict: Verdict; readonly previous: string; readonly votes: number } | null;
  /** Cycles whose reward model could not distinguish natural from generated text. */
  readonly blind: readonly number[];
  readonly another: Another;
}

/** Whether another cycle is worth its time, and why. */
export type OutcomeReason =
  | 'not_started'
  | 'better'
  | 'better_unchecked'
  | 'better_unclear'
  | 'not_together'
  | 'people_better'
  | 'people_not_better'
  | 'blind'
  | 'caught_up'
  | 'training_better'
  | 'less_varied'
  | 'no_gain'
  | 'nothing_changed'
  | 'reward_against_text'
  | 'worse';
export interface Another {
  readonly worth: 'yes' | 'no' | 'unclear';
  readonly because: OutcomeReason;
}

interface OutcomeInput {
  readonly reports: readonly CycleReport[];
  readonly ended?: EndReason | null;
  /** The newest version against the previous one; omitted without votes. */
  readonly people?: Comparison | null;
}

/** Null before base training is over. */
export function outcomeOf({ reports, ended = null, people = null }: OutcomeInput): Outcome | null {
  const base = reports[0];
  const newest = reports.at(-1);
  if (!base || !newest) return null;
  const previous = reports.at(-2);
  const found = {
    cycle: newest.cycle,
    newest: newest.name,
    base: base.name,
    held_out: heldOut(base, newest),
    last_held_out: newest.loss_change?.previous ? directionOf(newest.loss_change.previous) : null,
    sample: newest.held_out_sample ?? null,
    reward: rewardOf(newest),
    judge: judgeOf(base, newest),
    people:
      people && previous && verdictOf(people) !== 'no_votes'
        ? {
            verdict: verdictOf(people),
            previous: previous.name,
            votes: people.wins + people.losses + people.ties + people.both_bad,
          }
        : null,
    blind: reports.flatMap(({ cycle, reward_model: model }) => (model && isUninformative(model) ? [cycle] : [])),
  };
  const control = newest.control ? cycleVerdict(newest.control) : null;
  return { ...found, another: anotherAfter(found, ended, control) };
}

const isNumber = (value: number | null | undefined): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/** Of a loss: less is better. */
function directionOf({ interval }: LossChange): Direction {
  if (interval === null) return 'unknown';
  return interval.high < 0 ? 'better' : interval.low > 0 ? 'worse' : 'unclear';
}

function heldOut(base: CycleReport, newest: CycleReport): Outcome['held_out'] {
  const [before, after] = [base.perplexity, newest.perplexity];
  if (!isNumber(before) || !isNumber(after)) return null;
  const measured = newest.cycle === 0 ? null : (newest.loss_change?.base ?? null);
  return {
    before,
    after,
    change: measured ? Math.expm1(measured.mean) : after / before - 1,
    interval: measured?.interval
      ? { low: Math.expm1(measured.interval.low), high: Math.expm1(measured.interval.high) }
      : null,
    direction: measured ? directionOf(measured) : 'unknown',
  };
}

function rewardOf({ grpo }: CycleReport): Outcome['reward'] {
  if (!grpo || !isNumber(grpo.reward_first) || !isNumber(grpo.reward_last)) return null;
  const { reward_first: before, reward_last: after, reward_first_interval: first, reward_last_interval: last } = grpo;
  const moved = rewardMoved(grpo);
  return {
    before,
    after,
    direction:
      first === null || last === null
        ? 'unknown'
        : moved === 'rose'
          ? 'better'
          : moved === 'fell'
            ? 'worse'
            : 'unclear',
    intervals: first && last ? [first, last] : null,
  };
}

/** More is better of the gain; of the nats themselves, less. */
function judgeOf(base: CycleReport, newest: CycleReport): Outcome['judge'] {
  const [first, last] = [base, newest].map(({ judgement }) => judgement?.generator.unconditional ?? null);
  if (newest.cycle === 0 || !first || !last || !isNumber(first.mean) || !isNumber(last.mean)) return null;
  return {
    before: first.mean,
    after: last.mean,
    gain: first.mean - last.mean,
    direction: apart(first.interval, last.interval),
  };
}

/** Of what is better when it is less. */
function apart(before: Interval | null, after: Interval | null): Direction {
  if (before === null || after === null) return 'unknown';
  return after.high < before.low ? 'better' : after.low > before.high ? 'worse' : 'unclear';
}

/**
 * People first, as they are who it is for; then whether there was anything to learn from; then whether something cheaper gives
 * as much; then what was measured.
 */
function anotherAfter(found: Omit<Outcome, 'another'>, ended: EndReason | null, control: CycleVerdict | null): Another {
  const { cycle, people, blind, last_held_out: text, reward, held_out: whole } = found;
  // Plain training gave more wherever both were measured on a text that it had not learned by heart: unless the control says
  // otherwise, it may here.
  const helped: Another =
    control === 'paid'
      ? { worth: 'yes', because: 'better' }
      : { worth: 'unclear', because: control === null ? 'better_unchecked' : 'better_unclear' };
  if (ended === 'critic') return { worth: 'no', because: 'caught_up' };
  if (cycle === 0) return { worth: 'unclear', because: 'not_started' };
  if (people?.verdict === 'better') return { worth: 'yes', because: 'people_better' };
  if (people?.verdict === 'worse' || people?.verdict === 'no_difference')
    return { worth: 'no', because: 'people_not_better' };
  if (blind.includes(cycle)) return { worth: 'no', because: 'blind' };
  if (control === 'train') return { worth: 'no', because: 'training_better' };
  if (control === 'narrower') return { worth: 'no', because: 'less_varied' };
  if (control === 'nothing') return { worth: 'no', because: 'no_gain' };
  if (reward?.direction === 'better')
    return text === 'worse' ? { worth: 'unclear', because: 'reward_against_text' } : helped;
  if (text === 'better')
    return cycle > 1 && whole?.direction !== 'better' ? { worth: 'unclear', because: 'not_together' } : helped;
  if (reward?.direction === 'worse' || text === 'worse') return { worth: 'no', because: 'worse' };
  return { worth: 'no', because: 'nothing_changed' };
}

/** Names a generator within a sentence: by its cycle, in the terminal by its file. */
export function versionMessage(name: string): Message {
  const found = parseArtefact(name);
  return found?.kind === 'base_model' && found.variant === null
    ? localized('outcome.version', { name, cycle: found.cycle })
    : verbatim(name);
}

/** What came of the project: the whole, what the last cycle did, what people say. */
export const outcomeMessages = (outcome: Outcome): readonly Message[] =>
  [
    heldOutMessage(outcome),
    outcome.sample && sampleMessage(outcome.sample),
    rewardMessage(outcome),
    judgeMessage(outcome),
    peopleMessage(outcome),
    blindMessage(outcome),
  ].filter((message) => message !== null);

function heldOutMessage({ cycle, newest, base, held_out: text }: Outcome): Message | null {
  if (!text) return null;
  const name = versionMessage(newest);
  const [before, after] = [measure(text.before, 4), measure(text.after, 4)];
  if (cycle === 0) return localized('outcome.base_alone', { name, perplexity: after });
  const { low, high } = text.interval ?? {};
  const figures =
    low === undefined || high === undefined
      ? localized('outcome.perplexity', { before, after })
      : localized('outcome.perplexity_interval', { before, after, low: share(low, 1), high: share(high, 1) });
  const size = share(Math.abs(text.change), 1);
  return localized(`outcome.held_out.${text.direction}`, { name, base: versionMessage(base), size, figures });
}

/** Names the part of the held-out text that was measured, with the interval of its perplexity. */
export function sampleMessage({ tokens, of, interval }: HeldOutSample): Message {
  const bound = (side: 'low' | 'high') => interval && measure(Math.exp(interval[side]), 4);
  return localized('outcome.sample', { tokens: count(tokens), of: count(of), low: bound('low'), high: bound('high') });
}

const rewardMessage = ({ cycle, reward }: Outcome): Message | null =>
  reward &&
  localized(`outcome.reward.${reward.direction}`, {
    cycle,
    before: share(reward.before, 1),
    after: share(reward.after, 1),
  });

function judgeMessage({ judge }: Outcome): Message | null {
  if (!judge) return null;
  const direction = judge.direction === 'unknown' ? 'unclear' : judge.direction;
  return localized(`outcome.judge.${direction}`, { nats: measure(Math.abs(judge.gain)) });
}

function peopleMessage({ people, newest }: Outcome): Message | null {
  if (!people) return null;
  const { verdict, previous, votes } = people;
  const found = verdict === 'no_votes' || verdict === 'waiting' ? 'undecided' : verdict;
  const [first, second] = [versionMessage(newest), versionMessage(previous)];
  return localized(`outcome.people.${found}`, { first, second, votes });
}

function blindMessage({ blind, cycle }: Outcome): Message | null {
  if (blind.length === 0) return null;
  if (blind.length === cycle) return localized('outcome.blind.always');
  return localized('outcome.blind.some', { cycles: blind.join(', '), count: blind.length });
}

/** Whether another cycle is worth its time; null before the first. */
export const anotherMessage = ({ another: { because } }: Outcome): Message | null =>
  because === 'not_started' ? null : localized(`outcome.another.${because}`);
