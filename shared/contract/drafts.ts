/** Channels of the wizard. A draft is a project being set up; every change is saved at once. */
import { z } from 'zod';
import { cleanings } from '../config/data.js';
import { architectureNames } from '../config/model.js';
import { adviceNames, adviceReasons } from '../reports/cycle-advice.js';
import { messageSchema } from '../messages/message.js';
import { channel, longChannel, nothing } from './channel.js';
import { measured } from '../base/measured.js';
import { draftId, estimateSchema, fileInfo, givenSettings, problemSchema, projectId } from './values.js';

const draftSchema = z.strictObject({
  id: draftId,
  name: z.string().min(1).max(200),
  changed: z.string(),
  step: z.string().max(40),
  preset: z.string().max(40),
  given: givenSettings,
  files: z.array(fileInfo),
});
export type Draft = z.infer<typeof draftSchema>;

/** What a draft's initial model decides. */
const beginningSchema = z.strictObject({
  name: z.string(),
  architecture: z.enum(architectureNames),
  parameters: z.number(),
  layers: z.int(),
  heads: z.int(),
  kv_heads: z.int(),
  width: z.int(),
  vocabulary: z.int(),
  context: z.int(),
  tokenization: z.enum(['bpe', 'char', 'pretrained']),
});
export type Beginning = z.infer<typeof beginningSchema>;

/** @property chosen names that are read; none for all speakers */
const choiceSchema = z.strictObject({
  kind: z.enum(['column', 'speaker']),
  chosen: z.array(z.string()),
  parts: z.array(z.strictObject({ name: z.string(), count: z.int(), sample: z.string() })),
});
export type TextChoice = z.infer<typeof choiceSchema>;

/** `Preview` of main/engine/cycle/preview.ts. */
export const previewSchema = z.strictObject({
  first_lines: z.array(z.string()),
  exact: z.boolean(),
  characters: z.number(),
  /** BCP 47 tag; null if no language has most of the text. */
  language: z.string().nullable(),
  tokens: z.number(),
  vocab_size: z.number(),
  used_tokens: z.number(),
  tokens_per_character: z.number(),
  longest_repeat: z.strictObject({ characters: z.number(), text: z.string() }),
  repeated_share: z.number(),
  samples: z.strictObject({ train: z.number(), val: z.number() }),
  example: z.strictObject({
    natural: z.string(),
    rest: z.string(),
    generated: z.boolean(),
    natural_share: z.number(),
  }),
  warnings: z.array(z.strictObject({ code: z.string(), message: messageSchema, hint: messageSchema })),
  input: messageSchema,
  /** What cleaning changed in what was read, with the first places. */
  cleaned: z.array(
    z.strictObject({
      cleaning: z.enum(cleanings),
      count: z.int(),
      places: z.array(z.strictObject({ before: z.string(), after: z.string() })),
    }),
  ),
  /** Files that are not read, each with the reason; and what is held out. */
  left_out: z.array(messageSchema).max(1000),
  held_out: z.strictObject({ message: messageSchema, choices: z.array(z.string()) }).nullable(),
  /** Columns of a table or speakers of a chat, with their values in the sample; null for other texts. */
  choice: choiceSchema.nullable(),
  tokenization: z.enum(['bpe', 'char', 'learned', 'pretrained', 'shared']),
  reason: messageSchema,
  /** The first tokens of the text. `part`: a part of a character, which only its first token shows. */
  pieces: z.array(z.strictObject({ id: z.int(), text: z.string(), part: z.literal(true).optional() })),
});
export type PreviewView = z.infer<typeof previewSchema>;

/** How well a model predicts a text before training, and how well pairs of characters do, in nats per character. */
const familiaritySchema = z.strictObject({
  /** As `init_from` of its entry (`models.list`), or a file handle. */
  init_from: z.string(),
  nats_per_character: z.number(),
  baseline: z.number(),
});
export type Familiarity = z.infer<typeof familiaritySchema>;

export const draftChannels = {
  'drafts.list': channel(nothing, z.strictObject({ drafts: z.array(draftSchema) })),
  /** With `project`, its settings are copied; with `model`, the draft also starts from that base model of it. */
  'drafts.create': channel(
    z.strictObject({
      name: z.string().min(1).max(200),
      project: projectId.optional(),
      model: z.string().max(200).optional(),
    }),
    draftSchema,
  ),
  'drafts.get': channel(z.strictObject({ id: draftId }), draftSchema),
  /** Saves changes; `given` replaces all settings. */
  'drafts.save': channel(
    z.strictObject({
      id: draftId,
      name: z.string().min(1).max(200).optional(),
      step: z.string().max(40).optional(),
      preset: z.string().max(40).optional(),
      given: givenSettings.optional(),
    }),
    draftSchema,
  ),
  'drafts.discard': channel(z.strictObject({ id: draftId }), nothing),
  /** Checks a draft without reading the whole text. */
  'drafts.check': channel(
    z.strictObject({ id: draftId }),
    z.strictObject({
      problems: z.array(problemSchema),
      /** All settings; null while a value is out of range. */
      resolved: givenSettings.nullable(),
      begins_from: beginningSchema.nullable(),
      command: z.string(),
      estimate: estimateSchema.nullable(),
      /** The largest batch that fits into memory; null if the chosen one does. */
      largest_batch: z.int().nullable(),
      /** Whether cycles will pay off; null without cycles, or if the text is unknown. */
      advice: z
        .strictObject({
          advice: z.enum(adviceNames),
          because: z.enum(adviceReasons),
          passes: z.number().optional(),
          max_iters: z.int().min(1).optional(),
          enough: z.number().optional(),
        })
        .nullable()
        .optional(),
    }),
  ),
  /** Reads a sample of the text. A second request cancels the first. */
  'drafts.preview': longChannel(
    z.strictObject({ id: draftId }),
    previewSchema,
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  'drafts.measure': channel(
    z.strictObject({ id: draftId }),
    z.strictObject({ tokens_per_second: measured, estimate: estimateSchema }),
  ),
  /** Measures the models that are here on the text of the last preview; progress is what was found. */
  'drafts.familiarity': longChannel(z.strictObject({ id: draftId }), nothing, familiaritySchema),
  /** Turns the draft into a project in the queue. */
  'drafts.start': channel(z.strictObject({ id: draftId }), z.strictObject({ project: projectId })),
};
