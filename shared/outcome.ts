/**
 * What came of a project, from the reports of its cycles: by the same rules, and in the same sentences, in the terminal's
 * summary, in the window and in a report. Every change says how far it could be chance; what is not known is not said.
 */
import { verdictOf, type Comparison, type Verdict } from './judging.js';
import {
  isUninformative,
  rewardMoved,
  type CycleReport,
  type EndReason,
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
  /** Mean P(natural) by the reward model of the last cycle, before and after that cycle. */
  readonly reward: (Change & { readonly intervals: readonly [Interval, Interval] | null }) | null;
  /** Nats per token by which the independent judge finds writing likelier or not, from the base model to the newest. */
  readonly judge: (Change & { readonly gain: number }) | null;
  /** What people say of the newest against the one before it. */
  readonly people: { readonly verdict: Verdict; readonly previous: string; readonly votes: number } | null;
  /** Cycles whose reward model could not tell natural from generated text. */
  readonly blind: readonly number[];
  readonly another: Another;
}

/** Whether another cycle is worth its time, and why. */
export const anotherReasons = [
  'not_begun',
  'better',
  'people_better',
  'people_not_better',
  'blind',
  'caught_up',
  'nothing_changed',
  'reward_against_text',
  'worse',
] as const;
export interface Another {
  readonly worth: 'yes' | 'no' | 'unclear';
  readonly because: (typeof anotherReasons)[number];
}

interface OutcomeInput {
  readonly reports: readonly CycleReport[];
  readonly ended?: EndReason | null;
  /** The newest version against the one before it; left out: nobody voted. */
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
  return { ...found, another: anotherAfter(found, ended) };
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
  const share = (nats: number) => Math.expm1(nats);
  return {
    before,
    after,
    change: measured ? share(measured.mean) : after / before - 1,
    interval: measured?.interval ? { low: share(measured.interval.low), high: share(measured.interval.high) } : null,
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

/** People first, as they are who it is for; then whether there was anything to learn from; then what was measured. */
function anotherAfter(found: Omit<Outcome, 'another'>, ended: EndReason | null): Another {
  const { cycle, people, blind, last_held_out: text, reward } = found;
  if (ended === 'critic') return { worth: 'no', because: 'caught_up' };
  if (cycle === 0) return { worth: 'unclear', because: 'not_begun' };
  if (people?.verdict === 'better') return { worth: 'yes', because: 'people_better' };
  if (people?.verdict === 'worse' || people?.verdict === 'no_difference')
    return { worth: 'no', because: 'people_not_better' };
  if (blind.includes(cycle)) return { worth: 'no', because: 'blind' };
  if (reward?.direction === 'better')
    return text === 'worse'
      ? { worth: 'unclear', because: 'reward_against_text' }
      : { worth: 'yes', because: 'better' };
  if (text === 'better') return { worth: 'yes', because: 'better' };
  if (reward?.direction === 'worse' || text === 'worse') return { worth: 'no', because: 'worse' };
  return { worth: 'no', because: 'nothing_changed' };
}

/** How a surface writes numbers, and what it calls a version. */
export interface OutcomeFormat {
  /** As a percentage. */
  share(value: number, decimals: number): string;
  measure(value: number): string;
  called(version: string): string;
}

/** What came of it, in plain words: the whole, what the last cycle did, what people say. */
export function outcomeSentences(outcome: Outcome, format: OutcomeFormat): readonly string[] {
  return [
    heldOutSentence(outcome, format),
    rewardSentence(outcome, format),
    judgeSentence(outcome, format),
    peopleSentence(outcome, format),
    blindSentence(outcome),
  ].filter((sentence) => sentence !== '');
}

function heldOutSentence({ cycle, newest, base, held_out: text }: Outcome, format: OutcomeFormat): string {
  if (!text) return '';
  const name = format.called(newest);
  if (cycle === 0) return `${name} has a perplexity of ${format.measure(text.after)} on text that it has never seen.`;
  const figures = `perplexity ${format.measure(text.before)} → ${format.measure(text.after)}`;
  const size = format.share(Math.abs(text.change), 1);
  const range = text.interval
    ? `, 95 % interval ${format.share(text.interval.low, 1)} to ${format.share(text.interval.high, 1)}`
    : '';
  switch (text.direction) {
    case 'better':
      return `${name} predicts text that it has never seen better than ${format.called(base)}: perplexity is ${size} lower (${figures}${range}).`;
    case 'worse':
      return `${name} predicts text that it has never seen worse than ${format.called(base)}: perplexity is ${size} higher (${figures}${range}).`;
    case 'unclear':
      return `On text that it has never seen ${name} is neither better nor worse than ${format.called(base)} by more than chance explains (${figures}${range}).`;
    case 'unknown':
      return `On text that it has never seen, ${figures} from ${format.called(base)} to ${name}; how far that is chance was not measured.`;
  }
}

function rewardSentence({ cycle, reward }: Outcome, format: OutcomeFormat): string {
  if (!reward) return '';
  const figures = `${format.share(reward.before, 1)} → ${format.share(reward.after, 1)}`;
  switch (reward.direction) {
    case 'better':
      return `In cycle ${cycle} the reward rose by more than chance explains (${figures} natural, as the reward model sees it).`;
    case 'worse':
      return `In cycle ${cycle} the reward fell by more than chance explains (${figures} natural, as the reward model sees it).`;
    case 'unclear':
      return `In cycle ${cycle} the reward did not change by more than chance could explain (${figures}).`;
    case 'unknown':
      return `In cycle ${cycle} the reward went ${figures}; how far that is chance was not measured.`;
  }
}

function judgeSentence({ judge }: Outcome, format: OutcomeFormat): string {
  if (!judge) return '';
  const size = `${format.measure(Math.abs(judge.gain))} nats per token`;
  switch (judge.direction) {
    case 'better':
      return `The independent judge, which nothing was trained against, finds its writing likelier than at the beginning, by ${size}.`;
    case 'worse':
      return `The independent judge, which nothing was trained against, finds its writing less likely than at the beginning, by ${size}.`;
    case 'unclear':
    case 'unknown':
      return 'The independent judge finds no difference from the beginning that is more than chance.';
  }
}

function peopleSentence({ people, newest }: Outcome, format: OutcomeFormat): string {
  if (!people) return '';
  const [first, second] = [format.called(newest), format.called(people.previous)];
  const of = `${people.votes} ${people.votes === 1 ? 'vote' : 'votes'}`;
  switch (people.verdict) {
    case 'better':
      return `People find ${first} better than ${second} (${of}).`;
    case 'worse':
      return `People find ${first} worse than ${second} (${of}).`;
    case 'no_difference':
      return `People see no difference between ${first} and ${second} (${of}).`;
    case 'waiting':
    case 'no_votes':
      return `Whether people find ${first} better than ${second} is undecided (${of}).`;
  }
}

function blindSentence({ blind, cycle }: Outcome): string {
  if (blind.length === 0) return '';
  if (blind.length === cycle)
    return 'The reward model could not tell natural from generated text in any cycle (its R² is not clearly above 0), so the rewards say nothing.';
  return `In cycle ${blind.join(', ')} the reward model was no better than guessing.`;
}

/** Whether another cycle is worth its time. Empty where there was none yet. */
export function anotherSentence({ another: { because } }: Outcome): string {
  switch (because) {
    case 'not_begun':
      return '';
    case 'better':
      return 'The last cycle helped by more than chance: another one is worth its time.';
    case 'people_better':
      return 'People prefer what the last cycle made: another one is worth its time.';
    case 'people_not_better':
      return 'People do not prefer what the last cycle made: another one is not worth its time.';
    case 'blind':
      return 'The last reward model saw nothing, so another cycle would learn nothing. A critic (reward_kind) usually sees; more reward data helps a little.';
    case 'caught_up':
      return 'The generator has caught up with its critic: another cycle needs a stronger critic.';
    case 'nothing_changed':
      return 'The last cycle changed nothing by more than chance: another one is unlikely to be worth its time.';
    case 'reward_against_text':
      return 'The reward rose while the text is predicted worse: read the samples before another cycle.';
    case 'worse':
      return 'The last cycle made it worse: another one is not worth its time.';
  }
}
