/** Channels of the writing page: a document per project, continuations to choose from, the choices kept, and a text token by token. */
import { z } from 'zod';
import { measured } from '../base/measured.js';
import { channel, longChannel, nothing } from './channel.js';
import { tasteFeatures } from '../writing-taste.js';
import { projectId } from './values.js';

/** Characters of a document. */
export const MOST_WRITTEN = 2_000_000;
/** Characters before the cursor that a model is given, more than any reads. */
export const MOST_CONTEXT = 20_000;
const MOST_OFFERED = 4;

/** Made by the page, so that a choice that is sent again is stored once. */
const pickId = z.string().regex(/^[0-9a-f]{32}$/);
export const modelName = z.string().min(1).max(80);
const offeredText = z.string().max(20_000);

/** How continuations are drawn. */
export const drawingSchema = z.strictObject({
  temperature: z.number().positive().max(2),
  top_p: z.number().positive().max(1),
  min_p: z.number().min(0).max(1).default(0),
  repetition_penalty: z.number().min(0.5).max(2).default(1),
});

export const seed = z.uint32();

export const continuationRequest = z.strictObject({
  model: modelName,
  /** The text before the cursor. */
  before: z.string().max(MOST_CONTEXT),
  /** 0 only loads the model and reads the text, so that the next request begins at once. */
  count: z.int().min(0).max(MOST_OFFERED),
  words: z.int().min(1).max(400),
  ...drawingSchema.shape,
  seed,
});
/** A stretch of a continuation by its characters. */
const stretch = z.strictObject({ start: z.int().min(0), end: z.int().min(0) });
export type Stretch = z.infer<typeof stretch>;
export const finishedContinuations = z.strictObject({
  texts: z.array(z.string()),
  /** Of each text, what occurs in the training text word for word. */
  copied: z.array(z.array(stretch)),
});
/** `copied` is there once the texts are whole. */
export const continuations = finishedContinuations.partial({ copied: true });

/** One choice: the user kept one continuation, and not the others. */
export const pickSchema = z.strictObject({
  id: pickId,
  context: z.string().max(MOST_CONTEXT),
  /** As it was kept, possibly cut short. */
  kept: offeredText,
  /** Of the continuations, the one that was kept, whole. */
  chosen: offeredText,
  others: z.array(offeredText).max(MOST_OFFERED - 1),
  model: modelName,
  /** Of `others`, in their order; earlier versions did not store them. */
  other_models: z
    .array(modelName)
    .max(MOST_OFFERED - 1)
    .optional(),
  /** Whether the models were named only afterwards. */
  blind: z.boolean().optional(),
  ...drawingSchema.shape,
});
export type Pick = z.infer<typeof pickSchema>;

/** A text to look into, with the text before it as context. */
export const inspectRequest = z.strictObject({
  model: modelName,
  before: z.string().max(MOST_CONTEXT),
  text: offeredText.min(1),
});
/** @property natural P(natural) by the newest reward model of the text up to there */
const inspectedToken = z.strictObject({
  text: z.string(),
  log_prob: measured,
  natural: measured,
  alternatives: z.array(z.strictObject({ text: z.string(), probability: z.number() })),
});
export type InspectedToken = z.infer<typeof inspectedToken>;
export const inspected = z.strictObject({ tokens: z.array(inspectedToken) });

export const documentSchema = z.strictObject({
  text: z.string().max(MOST_WRITTEN),
  /** Whether choices are kept to learn from. */
  keeps_picks: z.boolean(),
  /** Features that do not count. */
  ignored: z.array(z.enum(tasteFeatures)).default([]),
});
export type WrittenDocument = z.infer<typeof documentSchema>;

/** The choices so far, and what they show. */
const learned = z.strictObject({
  picks: z.int().min(0),
  /** With those among blind pairs. */
  choices: z.int().min(0),
  preferences: z.array(z.strictObject({ feature: z.enum(tasteFeatures), more: z.boolean() })),
  /** The share of choices that would have been guessed, and by chance; null for too few choices. */
  guessed: z.strictObject({ share: z.number(), chance: z.number(), certain: z.boolean() }).nullable(),
});
export type Learned = z.infer<typeof learned>;

export const writingChannels = {
  'writing.open': channel(z.strictObject({ project: projectId }), documentSchema.extend(learned.shape)),
  /** The document is on the disk when this answers. */
  'writing.save': channel(documentSchema.extend({ project: projectId }), nothing),
  'writing.learned': channel(z.strictObject({ project: projectId }), learned),
  /** Progress has the texts as far as they are written. */
  'writing.continue': longChannel(
    continuationRequest.extend({ project: projectId }),
    /** `favourite` is the place of the one that the choices so far speak for. */
    finishedContinuations.extend({ favourite: z.int().nullable() }),
    continuations,
  ),
  /** Reads a text: how likely the model finds each token, and which others. */
  'writing.inspect': channel(inspectRequest.extend({ project: projectId }), inspected),
  /** A pick that is sent twice counts once. */
  'writing.pick': channel(z.strictObject({ project: projectId, pick: pickSchema }), learned),
  'writing.undoPick': channel(z.strictObject({ project: projectId, id: pickId }), learned),
};
