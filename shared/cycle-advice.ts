/**
 * Advice before the start: will cycles pay for this text, this model and this critic? It says what was measured of
 * configurations like it (docs/experiments.md), and where nothing was, that nothing was. Pure.
 */
import { passesThrough } from './config/suited-dropout.js';
import { usesCritic, type RewardKind } from './config/model.js';
import { criticModelPath } from './config/scoring-models.js';
import { PAYS } from './cycle-control.js';
import type { Locale } from './formatters.js';

/**
 * `train_first`: the model is not done learning from the text; `not_here`: done or not, cycles gave less than cheaper ways
 * wherever it was measured; `cycles`: they paid where it was measured; `unmeasured`: nothing like it was.
 */
export const adviceNames = ['train_first', 'not_here', 'cycles', 'unmeasured'] as const;
export type AdviceName = (typeof adviceNames)[number];

/**
 * `model`: one that could write before, whose critic is itself, trained on; `larger`: its critic is a larger one; `blind`: without a critic; `unlike`: nothing like it was measured; `teacher`: cycles
 * are how a critic that could write before reaches the writer.
 */
export const adviceReasons = ['model', 'larger', 'blind', 'few_passes', 'unlike', 'measured', 'teacher'] as const;

export interface Advice {
  readonly advice: AdviceName;
  readonly because: (typeof adviceReasons)[number];
  /** With `few_passes`: how often the text has been read after base training, and the steps after which it had no more to give. */
  readonly passes?: number | undefined;
  readonly max_iters?: number | undefined;
  /** How often it has been read after those. */
  readonly enough?: number | undefined;
  /** How often the model that it begins from has read it; left out: never. */
  readonly before?: number | undefined;
  /** With `teacher`: the cycles' least gain over the best other way's, of those that the app offers. */
  readonly ratio?: number | undefined;
  /** With `measured`: in how many of how many projects like this one the cycles paid. */
  readonly paid?: number | undefined;
  readonly of?: number | undefined;
}

/** Advice in sentences; figures are written already. */
export interface AdviceWords {
  readonly model: string;
  readonly larger: string;
  readonly blind: string;
  readonly unlike: string;
  teacher(ratio: string): string;
  few_passes(passes: string, steps: string, enough: string): string;
  few_passes_again(before: string, passes: string, steps: string, enough: string): string;
  cycles(paid: string, of: string): string;
  not_here(paid: string, of: string): string;
}

export const adviceWords: AdviceWords = {
  model:
    'Cycles will hardly pay here: the critic of a model that could write before is that model, trained on, so a cycle brings it what training on does and hardly more. In both whole runs that were measured a cycle changed nothing beyond chance; training on gained 0.01 to 0.02 nats per character.',
  larger:
    'Cycles may pay here: the larger teacher knows more than this model, and each update brings it some of that. With models like these it was not measured. In the one project that was, a third of SmolLM2’s layers under the whole of it, a cycle brought the loss of unseen text down by 0.14 nats per token, and training on by 0.06 at most.',
  blind:
    'Cycles will hardly help here: a reward model without a critic was no better than guessing wherever it was measured.',
  unlike:
    'Whether cycles pay for such a text and model was not measured yet. Their control says so after the first one.',
  few_passes: (passes, steps, enough) =>
    `Train on first: base training goes through the text ${passes} times, and more steps of it brought the loss of unseen text down several times as far as cycles did for the same work. ${steps} steps go through it ${enough} times.`,
  few_passes_again: (before, passes, steps, enough) =>
    `Train on first: the model that it begins from went through the text ${before} times, base training makes that ${passes}, and more steps of it brought the loss of unseen text down several times as far as cycles did for the same work. ${steps} steps make it ${enough}.`,
  teacher: (ratio) =>
    `The cycles bring this model what its teacher knows: in projects like this one they gained at least ${ratio} times what training on or leaving out unlikely tokens did. Each update also learns what the teacher expects at every place of the text; that alone, without the model’s own writing, gained about as much.`,
  cycles: (paid, of) =>
    `Cycles will pay here: in ${paid} of ${of} projects like this one they gained at least one and a half times what the best cheaper way did: training on, or leaving out unlikely tokens.`,
  not_here: (paid, of) =>
    `Cycles will hardly pay here: in ${paid} of ${of} projects like this one they gained at least one and a half times what the best cheaper way did: training on, or leaving out unlikely tokens. After the first cycle its control says how it is in yours.`,
};

const inEnglish: { readonly words: AdviceWords; readonly locale: Locale } = { words: adviceWords, locale: 'en' };

export function adviceSentence(given: Advice, { words, locale } = inEnglish): string {
  const { because } = given;
  const written = (value = Number.NaN, digits = 0) =>
    value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  if (because === 'few_passes') {
    const figures = [written(given.passes, 1), written(given.max_iters), written(given.enough)] as const;
    return given.before ? words.few_passes_again(written(given.before, 1), ...figures) : words.few_passes(...figures);
  }
  if (because === 'teacher') return words.teacher(written(given.ratio, 1));
  if (because !== 'measured') return words[because];
  return words[given.advice === 'cycles' ? 'cycles' : 'not_here'](written(given.paid), written(given.of));
}

/** What was measured: two cycles, or one, beside what training on gave for the same work. */
interface Measured {
  /** How often base training went through the text. */
  readonly passes: number;
  /** Of the critic, over the generator's; or that it begins from a model that can write already. */
  readonly criticWidth: number | 'pretrained';
  /** The cycles' gain over the best rival's of the writer's size; of those that a person can choose in the app. */
  readonly ratio: number;
}

/** In the order of docs/experiments.md. */
export const measurements: readonly Measured[] = [
  // Tinyshakespeare, letters, three seeds: 0.133 against 0.382 nats per token.
  { passes: 1.5, criticWidth: 1, ratio: 0.35 },
  // 130,000 letters of it, learned pieces, one seed: the wider critic did not lead, and the cycles ended before the first.
  { passes: 8.9, criticWidth: 2, ratio: 0 },
  // 600,000 letters of it, the preset tiny, one seed: the critic did not lead, and training on gave nothing either.
  { passes: 6.3, criticWidth: 1, ratio: 0 },
  // 150,000 letters of it under SmolLM2, 600 steps, one seed: 0.119, top-p 0.018.
  { passes: 9.2, criticWidth: 'pretrained', ratio: 6.5 },
  // 50,000 letters of it under SmolLM2, 300 steps, two seeds: 0.303 and 0.267, top-p 0.124 and 0.102.
  { passes: 9.3, criticWidth: 'pretrained', ratio: 2.4 },
  // The texts on which advice was first tried, one seed each. 50,000 letters under SmolLM2: Moby-Dick, 300 steps, 0.249, top-p
  // 0.110; German, 150 steps, 0.212, top-p 0.070.
  { passes: 8.4, criticWidth: 'pretrained', ratio: 2.3 },
  { passes: 10.6, criticWidth: 'pretrained', ratio: 3 },
  // Spanish, 50,000 letters, 150 steps: 0.136, training on gently 0.049.
  { passes: 9.1, criticWidth: 'pretrained', ratio: 2.8 },
  // 50,000 letters of Persuasion, 150 steps: 0.142, training on gently 0.037; 3.6 times the best other way under a second judge.
  { passes: 9.9, criticWidth: 'pretrained', ratio: 3.6 },
  // 150,000 letters of tinyshakespeare again, 600 steps with text and a falling rate: 0.138, top-p 0.033. 50,000 of French, 150 steps
  // with the text learned from the teacher: 0.296, training on gently 0.022.
  { passes: 9.2, criticWidth: 'pretrained', ratio: 4.2 },
  { passes: 8.5, criticWidth: 'pretrained', ratio: 13.7 },
  // The preset tiny: 600,000 letters of Moby-Dick with a critic that has dropout, 0.033 against top-p's 0.060; 150,000 of French
  // and of Italian: the critic did not lead.
  { passes: 6.6, criticWidth: 1, ratio: 0.55 },
  { passes: 14.6, criticWidth: 1, ratio: 0 },
  { passes: 30, criticWidth: 1, ratio: 0 },
  // 300,000 letters of German, with dropout: the critic did not lead. (Without, the cycles gained 0.031, as much as the ordinary
  // text that cycles mix in gave elsewhere.)
  { passes: 14.6, criticWidth: 1, ratio: 0 },
  // 300,000 of Sense and Sensibility: likewise.
  { passes: 15.5, criticWidth: 1, ratio: 0 },
  // A million letters of the King James Bible, 600 steps: 0.018 against 0.091.
  { passes: 1.7, criticWidth: 1, ratio: 0.2 },
  // 600,000 of Pride and Prejudice, 600 steps: nothing; training on gently 0.052.
  { passes: 2.6, criticWidth: 1, ratio: 0 },
];

/** The rest of a project that advice depends on. */
interface Asked {
  readonly max_cycles: number;
  readonly reward_kind: RewardKind;
  readonly critic_width: number;
  readonly critic_from?: string | undefined;
  readonly max_iters: number;
  readonly train_minutes: number | null;
  readonly dropout_passes: number | null;
  readonly batch_size: number;
  readonly gradient_accumulation_steps: number;
  readonly block_size: number;
}

/**
 * Below so many passes over its text a model from nothing has more to learn from it, and so many are enough. Without dropout it
 * had at 2.2 and had not at 6.3. With dropout that suits, a model of 600,000 letters that had gone through them 6.6 times gained 0.047
 * nats per character of unseen text by 15 passes; one of 150,000 was done after nine.
 */
const DONE = { plain: { after: 5, enough: 9 }, withDropout: { after: 8, enough: 15 } } as const;
/** A factor between two configurations that are alike. */
const ALIKE = 2;

const isAlike = (one: number, other: number) => Math.max(one, other) <= ALIKE * Math.min(one, other);
/** A model that is done with its text is so however often it reads it again. */
const arePassesAlike = (one: number, other: number) => isAlike(one, other) || Math.min(one, other) >= DONE.plain.after;
const isCriticAlike = (one: Measured['criticWidth'], other: Measured['criticWidth']) =>
  one === 'pretrained' || other === 'pretrained' ? one === other : isAlike(one, other);

/** Of the model that training begins from (main/jobs/model-origin.ts). */
export interface ModelOrigin {
  readonly couldWrite: boolean;
  /** Of this text, in base training: by the model and those that it began from. */
  readonly tokensRead: number;
}

/**
 * Null where no cycles are asked for.
 * @param trainTokens of the text
 * @param origin whether the model that it begins from could write before; one that began from nothing in another project, and
 * goes on in this one, is a writer like any from nothing, and has read the text so often already
 */
export function cycleAdvice(
  config: Asked,
  trainTokens: number,
  { couldWrite, tokensRead }: ModelOrigin,
): Advice | null {
  if (config.max_cycles === 0) return null;
  if (couldWrite && criticModelPath(config) === null) return { advice: 'not_here', because: 'model' };
  if (!usesCritic(config.reward_kind)) return { advice: 'not_here', because: 'blind' };
  if (couldWrite) return { advice: 'unmeasured', because: 'larger' };
  const { batch_size, gradient_accumulation_steps, block_size } = config;
  const critic = criticModelPath(config) === null ? config.critic_width : 'pretrained';
  const stepTokens = batch_size * gradient_accumulation_steps * block_size;
  const before = tokensRead / Math.max(1, trainTokens);
  const passes = before + passesThrough(config, config, trainTokens);
  // A small writer under a teacher was measured as it is without dropout.
  const done = DONE[config.dropout_passes === null || critic === 'pretrained' ? 'plain' : 'withDropout'];
  if (config.train_minutes === null && passes < done.after) {
    const { enough } = done;
    const max_iters = Math.ceil(((enough - before) * trainTokens) / stepTokens / 100) * 100;
    return { advice: 'train_first', because: 'few_passes', passes, ...(before > 0 && { before }), max_iters, enough };
  }
  const arePasses = critic === 'pretrained' ? isAlike : arePassesAlike;
  const alike = measurements.filter((one) => arePasses(one.passes, passes) && isCriticAlike(one.criticWidth, critic));
  if (alike.length === 0) return { advice: 'unmeasured', because: 'unlike' };
  if (critic === 'pretrained') {
    const least = Math.min(...alike.map((one) => one.ratio));
    return { advice: least >= PAYS ? 'cycles' : 'not_here', because: 'teacher', ratio: least };
  }
  const paid = alike.filter(({ ratio }) => ratio >= PAYS).length;
  return { advice: 2 * paid > alike.length ? 'cycles' : 'not_here', because: 'measured', paid, of: alike.length };
}
