/**
 * Derives a project's outcome from the reports of its cycles, for the terminal's summary, the window and reports alike. Every
 * change comes with its uncertainty; unknown facts are left out.
 */
import { cycleVerdict, type CycleVerdict } from './cycle-control.js';
import { count, localized, measure, share, verbatim, type Message, type MessageCode } from '../messages/message.js';
import { parseArtefact } from '../phases/index.js';
import { verdictOf, type Comparison, type Verdict } from '../judging.js';
import {
  hasVoiceGap,
  isUninformative,
  type ChoicesReport,
  type CycleReport,
  type EndReason,
  type HeldOutSample,
  type Interval,
  type LossChange,
  type VoiceReport,
} from './report.js';

/**
 * The least change that is worth having, however certain: in nats per character of text, in nats per token of the judge, and as a
 * share of the reward.
 */
const NOTICEABLE = 0.01;

/**
 * `small`: more than chance, and less than `NOTICEABLE`. `unclear`: chance alone could explain it. `unknown`: how far chance goes was
 * not measured.
 */
export type Direction = 'better' | 'worse' | 'small' | 'unclear' | 'unknown';

export interface Change {
  readonly before: number;
  readonly after: number;
  readonly direction: Direction;
}

/** Of the loss on held-out text: nats per character, or per token in reports of earlier versions. Below 0 is better. */
export interface LossOutcome extends Change {
  readonly unit: 'character' | 'token';
  readonly interval: Interval | null;
}

export interface Outcome {
  /** Of the newest version; 0 is base training. */
  readonly cycle: number;
  readonly newest: string;
  readonly base: string;
  /** From before training to the newest version, if training began from a model that could write. */
  readonly training: LossOutcome | null;
  /** From the base model to the newest version; of the base model, no change. */
  readonly held_out: LossOutcome | null;
  /** The same of the last cycle alone. */
  readonly last_held_out: Direction | null;
  /** Which part of the held-out text the newest version was measured on, its interval in `unit`; null for all of it. */
  readonly sample: HeldOutSample | null;
  /** Mean P(natural) by the reward model of the last cycle, before and after that cycle. */
  readonly reward: (Change & { readonly intervals: readonly [Interval, Interval] | null }) | null;
  /** Nats per token by which the independent judge finds writing likelier or not, from the base model to the newest. */
  readonly judge: (Change & { readonly gain: number }) | null;
  /** What the newest version sounds like; null unless cycles follow the voice. */
  readonly voice: VoiceReport | null;
  /** What the newest version learned from the user's choices; null if its cycle did not. */
  readonly choices: ChoicesReport | null;
  /** What people say of the newest against the one before it. */
  readonly people: {
    readonly verdict: Verdict;
    readonly previous: string;
    readonly votes: number;
    /** Of the pairs that are not tied, those in which the newest version is preferred; null without any. */
    readonly share: number | null;
  } | null;
  /** Cycles whose reward model could not distinguish natural from generated text. */
  readonly blind: readonly number[];
  readonly another: Another;
}

/** Whether another cycle is worth its time, or what helps more, and why: a code after `outcome.another.`. */
export type OutcomeReason =
  | 'not_started'
  | (MessageCode extends infer Code ? (Code extends `outcome.another.${infer Name}` ? Name : never) : never);
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
  const { previous: last, base: sinceBase, before } = newest.loss_change ?? {};
  const found = {
    cycle: newest.cycle,
    newest: newest.name,
    base: base.name,
    training: base.before_training ? lossOutcome(base.before_training, newest, before) : null,
    held_out: lossOutcome(base, newest, newest.cycle === 0 ? null : sinceBase),
    last_held_out: last ? directionOf(inUnit(last, newest)) : null,
    sample: newest.held_out_sample ? inUnit(newest.held_out_sample, newest) : null,
    reward: rewardOf(newest),
    judge: judgeOf(base, newest),
    voice: newest.voice ?? null,
    choices: newest.choices ?? null,
    people:
      people && previous && verdictOf(people) !== 'no_votes'
        ? {
            verdict: verdictOf(people),
            previous: previous.name,
            votes: people.wins + people.losses + people.ties + people.both_bad,
            share: people.share,
          }
        : null,
    blind: reports.flatMap(({ cycle, reward_model: model }) => (model && isUninformative(model) ? [cycle] : [])),
  };
  const control = newest.control ? cycleVerdict(newest.control) : null;
  const another = newest.cycle === 0 ? afterBase(base, ended) : anotherAfter(found, ended, control);
  return { ...found, another };
}

const isNumber = (value: number | null | undefined): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/** Of what is better when it is less. */
function directionOf({ mean, interval }: LossChange): Direction {
  if (interval === null) return 'unknown';
  if (interval.low <= 0 && interval.high >= 0) return 'unclear';
  return Math.abs(mean) < NOTICEABLE ? 'small' : mean < 0 ? 'better' : 'worse';
}

type Loss = Pick<CycleReport, 'perplexity' | 'nats_per_character'>;

const unitOf = (report: Loss): LossOutcome['unit'] => (isNumber(report.nats_per_character) ? 'character' : 'token');

/** Converts nats per token of a report's text to its unit. */
function inUnit<T extends { readonly interval: Interval | null }>(nats: T, report: Loss): T {
  const { perplexity, nats_per_character: perCharacter } = report;
  const scale = isNumber(perCharacter) && isNumber(perplexity) ? perCharacter / Math.log(perplexity) : 1;
  const { interval } = nats;
  const scaled = interval && { low: interval.low * scale, high: interval.high * scale };
  return { ...nats, ...('mean' in nats ? { mean: Number(nats.mean) * scale } : {}), interval: scaled };
}

function lossOutcome(from: Loss, newest: Loss, change: LossChange | null | undefined): LossOutcome | null {
  const unit = [from, newest].every((report) => unitOf(report) === 'character') ? 'character' : 'token';
  const [before, after] = [from, newest].map(({ nats_per_character, perplexity }) =>
    unit === 'character' ? nats_per_character : Math.log(perplexity ?? NaN),
  );
  if (!isNumber(before) || !isNumber(after)) return null;
  const measured = change && (unit === 'character' ? inUnit(change, newest) : change);
  const interval = measured?.interval ?? null;
  return { before, after, unit, interval, direction: measured ? directionOf(measured) : 'unknown' };
}

function rewardOf({ grpo }: CycleReport): Outcome['reward'] {
  if (!grpo || !isNumber(grpo.reward_first) || !isNumber(grpo.reward_last)) return null;
  const { reward_first: before, reward_last: after, reward_first_interval: first, reward_last_interval: last } = grpo;
  return {
    before,
    after,
    // Of the reward, more is better.
    direction: apart([after, last], [before, first]),
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
    direction: apart([first.mean, first.interval], [last.mean, last.interval]),
  };
}

type Measured = readonly [mean: number, interval: Interval | null];

/** Of what is better when it is less. */
function apart([before, first]: Measured, [after, last]: Measured): Direction {
  if (first === null || last === null) return 'unknown';
  if (last.high >= first.low && last.low <= first.high) return 'unclear';
  return Math.abs(after - before) < NOTICEABLE ? 'small' : after < before ? 'better' : 'worse';
}

/** More steps help while unseen text still becomes more predictable; later the model would learn the text by heart. */
function afterBase({ base }: CycleReport, ended: EndReason | null): Another {
  if (ended === null || base === null) return { worth: 'unclear', because: 'not_started' };
  return { worth: 'unclear', because: base.best_iteration < base.iterations ? 'more_text' : 'longer' };
}

/**
 * People first, as they are who it is for; then whether there was anything to learn from; then whether something cheaper gives
 * as much; then what was measured.
 */
function anotherAfter(found: Omit<Outcome, 'another'>, ended: EndReason | null, control: CycleVerdict | null): Another {
  const { cycle, people, blind, last_held_out: text, reward, held_out: whole, voice, choices } = found;
  // Plain training gave more wherever both were measured on a text that it had not learned by heart: unless the control says
  // otherwise, it may here.
  const helped: Another =
    control === 'paid'
      ? { worth: 'yes', because: 'better' }
      : { worth: 'unclear', because: control === null ? 'better_unchecked' : 'better_unclear' };
  if (ended === 'critic') return { worth: 'no', because: 'caught_up' };
  if (ended === 'voice') return { worth: 'no', because: 'voice_reached' };
  if (people?.verdict === 'better') return { worth: 'yes', because: 'people_better' };
  if (people?.verdict === 'worse' || people?.verdict === 'no_difference')
    return { worth: 'no', because: 'people_not_better' };
  if (choices) {
    return choices.training.best_step > 0
      ? { worth: 'unclear', because: 'choices_learned' }
      : { worth: 'no', because: 'choices_nothing' };
  }
  if (voice?.training) {
    const { stopped_because } = voice.training;
    const goesOn = hasVoiceGap(voice) && (stopped_because === 'max_steps' || stopped_because === 'asked');
    return goesOn ? { worth: 'unclear', because: 'voice_further' } : { worth: 'no', because: 'voice_reached' };
  }
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

/** Continuations of the same openings that show what training has changed, in this order. */
export interface ShownSamples {
  readonly by: 'before' | 'first' | 'now' | 'text';
  /** The version's name. */
  readonly name: string;
  readonly samples: CycleReport['samples'];
}

/** By the model before training, or else the first version; by the newest version; by the text itself. */
export function shownSamples(reports: readonly CycleReport[]): readonly ShownSamples[] {
  const [first, newest] = [reports[0], reports.at(-1)];
  if (!first || !newest) return [];
  const { before_training: before, natural_samples: text, name, samples } = first;
  const all: readonly ShownSamples[] = [
    ...(before ? [{ by: 'before', name: '', samples: before.samples } as const] : []),
    ...(!before && first !== newest ? [{ by: 'first', name, samples } as const] : []),
    { by: 'now', name: newest.name, samples: newest.samples },
    ...(text ? [{ by: 'text', name: '', samples: text } as const] : []),
  ];
  return all.filter((shown) => shown.samples.length > 0);
}

/** Names a generator within a sentence: by its cycle, in the terminal by its file. */
export function versionMessage(name: string): Message {
  const found = parseArtefact(name);
  return found?.kind === 'base_model' ? localized('outcome.version', { name, cycle: found.cycle }) : verbatim(name);
}

/** What came of the project: the whole, what the last cycle did, what people say. */
export const outcomeMessages = (outcome: Outcome): readonly Message[] =>
  [
    trainingMessage(outcome),
    heldOutMessage(outcome),
    outcome.sample && sampleMessage(outcome.sample, outcome.held_out?.unit),
    rewardMessage(outcome),
    judgeMessage(outcome),
    voiceMessage(outcome),
    choicesMessage(outcome),
    peopleMessage(outcome),
    blindMessage(outcome),
  ].filter((message) => message !== null);

const changeMessage = ({ before, after, unit, interval }: LossOutcome): Message =>
  localized('outcome.change', {
    before: measure(before, 4),
    after: measure(after, 4),
    unit,
    low: interval && measure(interval.low),
    high: interval && measure(interval.high),
  });

function trainingMessage({ newest, training }: Outcome): Message | null {
  if (!training) return null;
  const figures = changeMessage(training);
  return localized(`outcome.training.${training.direction}`, { name: versionMessage(newest), figures });
}

function heldOutMessage({ cycle, newest, base, training, held_out: text }: Outcome): Message | null {
  if (!text || (cycle === 0 && training)) return null;
  const name = versionMessage(newest);
  if (cycle === 0) return localized('outcome.base_alone', { name, after: measure(text.after, 4), unit: text.unit });
  const figures = changeMessage(text);
  return localized(`outcome.held_out.${text.direction}`, { name, base: versionMessage(base), figures });
}

/** Names the part of the held-out text that was measured, with the interval of its loss. */
export function sampleMessage({ tokens, of, interval }: HeldOutSample, unit: LossOutcome['unit'] = 'token'): Message {
  const bound = (side: 'low' | 'high') => interval && measure(interval[side], 4);
  const bounds = { low: bound('low'), high: bound('high') };
  return localized('outcome.sample', { tokens: count(tokens), of: count(of), unit, ...bounds });
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

/** How many passages sound like the user's text, and how they compare with it. */
function voiceMessage({ voice, newest }: Pick<Outcome, 'voice' | 'newest'>): Message | null {
  if (!voice) return null;
  const { version, before, text, untrained } = voice;
  const taken = (figures: Pick<VoiceReport['text'], 'characters'>) => share(figures.characters.mean);
  const { low, high } = version.characters.interval ?? { low: NaN, high: NaN };
  const than = (figure: 'repeated' | 'copied') => (version[figure].mean > text[figure].mean ? 'more' : 'less');
  return localized('outcome.voice', {
    name: versionMessage(newest),
    share: taken(version),
    low: share(low),
    high: share(high),
    before: before && taken(before),
    untrained: taken(untrained),
    text: taken(text),
    repeats: than('repeated'),
    copies: than('copied'),
  });
}

/** What was learned from choices, and how far the version speaks for those that were held out. */
function choicesMessage({ choices, newest, cycle }: Outcome): Message | null {
  if (!choices) return null;
  const { learned_from, held_out, agreement, preferences, training } = choices;
  const { stopped_because: why, best_step } = training;
  const found = why === 'no_pattern' || why === 'disagreed' ? why : best_step === 0 ? 'stopped' : 'learned';
  const { low, high } = agreement?.interval ?? { low: NaN, high: NaN };
  return localized(`outcome.choices.${found}`, {
    name: versionMessage(newest),
    cycle: cycle - 1,
    choices: count(learned_from),
    understood:
      preferences.length === 0
        ? null
        : preferences.map(({ feature, more }) => localized(`write.taste.${feature}`, { more })),
    held_out: count(agreement ? held_out : 0),
    share: share(agreement?.mean ?? NaN),
    low: share(low),
    high: share(high),
    certain: low > 0.5,
  });
}

function peopleMessage({ people, newest }: Outcome): Message | null {
  if (!people) return null;
  const { verdict, previous, votes, share: preferred } = people;
  const found = verdict === 'no_votes' || verdict === 'waiting' ? 'undecided' : verdict;
  const [first, second] = [versionMessage(newest), versionMessage(previous)];
  const pairs = preferred === null ? null : share(preferred);
  return localized(`outcome.people.${found}`, { first, second, votes, share: pairs });
}

function blindMessage({ blind, cycle }: Outcome): Message | null {
  if (blind.length === 0) return null;
  if (blind.length === cycle) return localized('outcome.blind.always');
  return localized('outcome.blind.some', { cycles: blind.join(', '), count: blind.length });
}

/** Whether another cycle is worth its time; null before the first. */
export const anotherMessage = ({ another: { because } }: Outcome): Message | null =>
  because === 'not_started' ? null : localized(`outcome.another.${because}`);
