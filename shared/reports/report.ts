/**
 * What a cycle reports: cycles/NN/report.json, what the engine makes and what the window shows, declared once. JSON has no
 * NaN, so a figure that is missing or null in a file is NaN here; a part that is not understood (another version wrote
 * it) is null, never a crash.
 */
import { z } from 'zod';
import { rewardKinds } from '../config/model.js';
import { measured, sampleSchema } from '../base/measured.js';
import { tasteFeatures } from '../writing-taste.js';

const figure = z.number().catch(NaN);
/** Null where it is not defined, such as R² when all targets are equal. */
const definedOrNull = z.number().nullable().catch(null);

const intervalSchema = z.object({ low: z.number(), high: z.number() });
/** Of 95 %, ends included. */
export type Interval = Readonly<z.infer<typeof intervalSchema>>;
const interval = intervalSchema.nullable().catch(null);

/** Null for a reason that this version does not know. */
const reason = <const R extends string>(...reasons: readonly [R, ...R[]]) => z.enum(reasons).nullable().catch(null);

/** Absent in reports of earlier versions, and where no tokenizer is known: never guessed. */
const known = z.number().optional().catch(undefined);
/**
 * A loss of a text by its characters (Unicode code points) and bytes (of UTF-8), which models of different tokenizers can
 * be compared by: main/engine/train/text-loss.ts.
 */
const byText = { nats_per_character: known, bits_per_byte: known };
/** A loss of a text in every unit but nats per token, which is called differently in different places. */
export interface TextLoss {
  readonly perplexity: number;
  readonly nats_per_character?: number | undefined;
  readonly bits_per_byte?: number | undefined;
}

/** The figures by character and byte alone, where there are any. @param rename what they are called there */
export const lossByText = (
  loss: Omit<TextLoss, 'perplexity'>,
  rename = (name: string) => name,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    (['nats_per_character', 'bits_per_byte'] as const).flatMap((name) => {
      const value = loss[name];
      return value === undefined ? [] : [[rename(name), value]];
    }),
  );

/** Which part of the held-out text a loss is of: windows spread evenly over it. Absent where all of it was measured. */
const heldOutSample = z.object({
  tokens: z.number(),
  /** Tokens of the whole. */
  of: z.number(),
  /** Of the loss, in nats per token. */
  interval,
});
export type HeldOutSample = Readonly<z.infer<typeof heldOutSample>>;
const sampled = { held_out_sample: heldOutSample.optional().catch(undefined) };

const trainResult = z.object({
  /** Cross-entropy over the held-out split of the weights that are kept, in nats per token. */
  val_loss: figure,
  perplexity: figure,
  ...byText,
  ...sampled,
  tokens_per_second: figure,
  iterations: figure,
  best_iteration: figure,
  stopped_because: reason('max_iters', 'patience', 'asked'),
  /** Steps that `train_minutes` came to; absent where steps were set. */
  planned_steps: known,
  /** What was dropped out, if it was not the network's own (config/suited-dropout.ts). */
  dropout: known,
});
export type TrainResult = z.infer<typeof trainResult>;

const calibrationBin = z.object({
  /** Predictions in [low, high); the last bin includes its high end. */
  low: z.number(),
  high: z.number(),
  count: z.number(),
  /** Null in an empty bin. */
  meanPredicted: measured,
  meanTrue: measured,
  /** Of `meanTrue`; null below two values. */
  trueInterval: interval,
});
export type CalibrationBin = Readonly<z.infer<typeof calibrationBin>>;

const rewardReport = z.object({
  kind: z.enum(rewardKinds).nullable().catch(null),
  val_mse: figure,
  val_mse_interval: interval,
  val_mae: figure,
  val_mae_interval: interval,
  /** Against always predicting the mean: 1 is perfect, 0 is no better than that. */
  r2: definedOrNull,
  r2_interval: interval,
  correlation: definedOrNull,
  correlation_interval: interval,
  /** What the critic's evidence is multiplied with, one over its temperature; null for other kinds. */
  evidence_scale: definedOrNull,
  /** MSE of always answering the mean of the validation targets. */
  baseline_mse: figure,
  calibration: z.array(calibrationBin).readonly().catch([]),
  samples: figure,
  iterations: figure,
  best_iteration: figure,
  stopped_because: reason('max_iters', 'patience', 'asked', 'fitted'),
});
export type RewardReport = z.infer<typeof rewardReport>;

/** Whether chance alone could explain the fit: the interval of R² reaches 0 or below. */
export const isUninformative = ({ r2_interval }: Pick<RewardReport, 'r2_interval'>): boolean =>
  r2_interval === null || r2_interval.low <= 0;

/** Whether it explains more than half of the differences, by more than chance. */
export const seesMost = ({ r2_interval }: Pick<RewardReport, 'r2_interval'>): boolean =>
  r2_interval !== null && r2_interval.low > 0.5;

const grpoResult = z.object({
  /** Mean P(natural) on the judging prompts, before and after. */
  reward_first: figure,
  reward_last: figure,
  reward_first_interval: interval,
  reward_last_interval: interval,
  /** Nats per token between the policy and this cycle's base, as last measured. */
  kl: figure,
  /** On the held-out split. */
  perplexity_before: figure,
  perplexity_after: figure,
  nats_per_character_before: known,
  nats_per_character_after: known,
  bits_per_byte_before: known,
  bits_per_byte_after: known,
  steps: figure,
  stopped_because: reason('max_steps', 'reward_threshold', 'reward_plateau', 'kl_cap', 'asked'),
});
export type GrpoResult = z.infer<typeof grpoResult>;

/** What became of a reward from before to after: risen or fallen where the 95 % intervals are apart. */
export function rewardMoved({
  reward_first_interval: before,
  reward_last_interval: after,
}: Pick<GrpoResult, 'reward_first_interval' | 'reward_last_interval'>): 'rose' | 'fell' | 'unclear' {
  if (before === null || after === null) return 'unclear';
  return after.low > before.high ? 'rose' : after.high < before.low ? 'fell' : 'unclear';
}

const criticReport = z.object({
  name: z.string(),
  val_loss: figure,
  ...byText,
  /** How many nats per token it is ahead of the generator that the cycle began with. */
  lead_nats: figure,
});
export type CriticReport = z.infer<typeof criticReport>;

/** Mean −log p of the judge over passages, each the mean over what was written. */
const nats = z.object({ mean: figure, interval });
export type Nats = z.infer<typeof nats>;
/** A mean with its uncertainty. */
export type Measure = Readonly<Nats>;

/** What a version's passages sound like, or the user's own text in their place: main/engine/voice/yardsticks.ts. */
const voiceFigures = z.object({
  /** The share of passages that a classifier by characters, or by words, takes for the user's. */
  characters: nats,
  words: nats,
  /** Nats per token by which passages are likelier for the tuned model than for the untrained one. */
  log_ratio: nats,
  /** How well a detector that is trained for it distinguishes passages from the user's text; 0.5 is chance. */
  detector: nats.nullable().catch(null),
  /** The share of pairs of tokens that occurred before in their passage. */
  repeated: nats,
  distinct_3: figure,
  /** The share of tokens in runs of the training text. */
  copied: nats,
  passages: figure,
});
export type VoiceFigures = z.infer<typeof voiceFigures>;

/** What stops following the voice: a figure that has reached the text's own value. */
export const voiceBrakes = ['held_out', 'log_ratio', 'repeated', 'copied', 'distinct_3'] as const;
export type VoiceBrake = (typeof voiceBrakes)[number];

const voiceTraining = z.object({
  steps: figure,
  /** The step whose weights are kept; 0: those that the cycle began with. */
  best_step: figure,
  /** `no_pattern`: choices that were not learned from would not have been guessed. `disagreed`: the new weights do not speak for them. */
  stopped_because: reason('max_steps', 'asked', ...voiceBrakes, 'no_pattern', 'disagreed'),
});
export type VoiceTraining = z.infer<typeof voiceTraining>;

const choicesReport = z.object({
  /** Choices that the reward was learned from, and those that were held out. */
  learned_from: figure,
  held_out: figure,
  /** What was understood, most certain first. */
  preferences: z
    .array(z.object({ feature: z.enum(tasteFeatures), more: z.boolean() }))
    .readonly()
    .catch([]),
  /** The share of held-out choices in which the new version finds what was kept likelier than before, next to what was not; 0.5 is chance. */
  agreement: nats.nullable().catch(null),
  training: voiceTraining,
});
/** What a version learned from the user's choices. */
export type ChoicesReport = z.infer<typeof choicesReport>;

const voiceReport = z.object({
  version: voiceFigures,
  /** The version that the cycle began with; null of base_model_v1. */
  before: voiceFigures.nullable().catch(null),
  /** The user's own held-out text, read as passages. */
  text: voiceFigures,
  /** The model before it read the text. */
  untrained: z.object({ characters: nats, words: nats }),
  training: voiceTraining.nullable().catch(null),
});
/** How much the writing sounds like the user's text. */
export type VoiceReport = z.infer<typeof voiceReport>;

/** Whether a version's writing has less of the author's voice than the text has: without a gap a cycle would exaggerate. */
export const hasVoiceGap = ({ version, text }: VoiceReport): boolean => version.log_ratio.mean < text.log_ratio.mean;

/** What the judge and plain counts say of some passages. */
const judgement = z.object({
  /** What follows a single token of text. */
  unconditional: nats,
  /** What follows a prompt of up to half the context. */
  prompted: nats,
  distinct_1: definedOrNull,
  distinct_2: definedOrNull,
  distinct_3: definedOrNull,
  /** Of the words, how many occur in the training text: main/engine/statistics/words.ts. Null in earlier reports. */
  words_known: definedOrNull,
  copied_share: figure,
  /** The same with `shortCopyLength`: what two generators can be compared by when long copies are rare. */
  copied_share_short: figure,
  longest_repeated_run: figure,
  passages: figure,
});
export type Judgement = z.infer<typeof judgement>;

const judgementReport = z.object({
  judge: z.string(),
  generator: judgement,
  /** Held-out text, judged in the same way. */
  natural: judgement,
  /** Nats per token by which the judge finds this generator's writing likelier than base_model_v1's; null for that one. */
  gain: z.object({ unconditional: figure, prompted: figure }).nullable().catch(null),
  /** How well a newly trained discriminator distinguishes this generator's passages from natural ones. */
  fresh_discriminator: rewardReport,
});
export type JudgementReport = z.infer<typeof judgementReport>;

/** Sums of −log p in nats, and how many tokens each is of, over consecutive parts of the held-out text. */
const heldOutParts = z.object({ nats: z.array(figure).readonly(), tokens: z.array(z.number()).readonly() });
export type HeldOutParts = Readonly<z.infer<typeof heldOutParts>>;

/** Of the loss on the held-out text, in nats per token; below 0 is better. The interval, of 95 %, is of other text like it. */
const lossChange = z.object({ mean: z.number(), interval });
export type LossChange = Readonly<z.infer<typeof lossChange>>;

/** What was gained over the generator that the cycle started with. */
const controlGain = z.object({
  /** Nats per token by which the judge finds the writing likelier; null in earlier reports if it was not measured. */
  gain: definedOrNull,
  interval,
});

const controlReport = z.object({
  judge: z.string(),
  /** The share of the cycle's work that training on was given. */
  share: figure,
  cycle: controlGain,
  /** The generator that the cycle began with, trained on instead, stopped early on the held-out text. */
  trained_on: controlGain.extend({ steps: figure, val_loss: figure }),
  /** The cycle over training on. */
  lead: controlGain,
  /** Different triples of tokens, as a share of all, before and after the cycle. */
  variety: z.object({ before: figure, after: figure }),
});
/** What else the time of a cycle would have given. */
export type ControlReport = z.infer<typeof controlReport>;

const beforeTraining = z.object({
  val_loss: figure,
  perplexity: figure,
  nats_per_character: z.number().exactOptional(),
  bits_per_byte: z.number().exactOptional(),
  held_out_parts: heldOutParts,
  samples: z.array(sampleSchema).readonly(),
});
/** A model that could write before it was trained: its loss on the held-out split, and its samples. */
export type BeforeTraining = Readonly<z.infer<typeof beforeTraining>>;

export const reportSchema = z.object({
  /** 0 is base training. */
  cycle: z.int().min(0),
  /** The generator that the cycle ended with. */
  name: z.string(),
  /** Of that generator, on the held-out split. */
  val_loss: measured,
  perplexity: measured,
  ...byText,
  ...sampled,
  /** What the next generators are compared by; absent in earlier reports. */
  held_out_parts: heldOutParts.optional().catch(undefined),
  /** From the generator before it, base_model_v1, and the initial model; absent in earlier reports. */
  loss_change: z
    .object({
      previous: lossChange.nullable(),
      base: lossChange.nullable(),
      before: lossChange.nullable().optional(),
    })
    .nullable()
    .optional()
    .catch(undefined),
  /** Of cycle 0, if it began from a model that could write. */
  before_training: beforeTraining.nullable().optional().catch(undefined),
  /** Of cycle 0: the text's own continuations of the openings of the samples. */
  natural_samples: z.array(sampleSchema).readonly().optional().catch(undefined),
  base: trainResult.nullable().catch(null),
  reward_samples: z.object({ train: z.number(), val: z.number() }).nullable().catch(null),
  /** Of the kind that rewards. */
  reward_model: rewardReport.nullable().catch(null),
  /** Of every kind that was trained in this cycle, on the same samples. */
  reward_models: z.partialRecord(z.enum(rewardKinds), rewardReport).catch({}),
  critic: criticReport.nullable().catch(null),
  grpo: grpoResult.nullable().catch(null),
  /** The independent judge's scores of that generator; null without a judge. */
  judgement: judgementReport.nullable().catch(null),
  /** What training on would have given; null or absent without a control. */
  control: controlReport.nullable().optional().catch(null),
  /** What passages sound like; null or absent unless a cycle follows the voice. */
  voice: voiceReport.nullable().optional().catch(null),
  /** Of a cycle that learned from choices. */
  choices: choicesReport.optional().catch(undefined),
  samples: z.array(sampleSchema).readonly(),
});
/** What a cycle did, in numbers and samples. */
export type CycleReport = z.infer<typeof reportSchema>;

/**
 * Why a project's cycles ended. `critic`: the generator has caught up with it, so that a reward would be noise. `reward`,
 * `people`: by these the newest version is no better than the one before it. `voice`: the writing has as much of it as the text.
 */
export const endReasons = ['max_cycles', 'perplexity', 'critic', 'reward', 'people', 'voice'] as const;
export type EndReason = (typeof endReasons)[number];

/** What is known of a cycle before it is over. */
export const unfinishedSchema = z.object({ cycle: z.int(), reward_model: rewardReport });

/** The report of a cycle that is not over: how well its reward model sees, and nothing else yet. */
export const unfinishedReport = ({ cycle, reward_model }: z.infer<typeof unfinishedSchema>): CycleReport => ({
  cycle,
  name: '',
  val_loss: null,
  perplexity: null,
  base: null,
  reward_samples: null,
  reward_model,
  reward_models: {},
  critic: null,
  grpo: null,
  judgement: null,
  samples: [],
});
