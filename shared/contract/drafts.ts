/** Channels of the wizard: a draft is a project that is being set up; every change is kept at once. */
import { z } from 'zod';
import { architectureNames } from '../config/model.js';
import { adviceNames, adviceReasons } from '../reports/cycle-advice.js';
import { sentenceSchema } from '../sentence.js';
import { channel, longChannel, nothing } from './channel.js';
import { measured } from '../base/measured.js';
import { draftId, estimateSchema, fileInfo, givenSettings, problemSchema, projectId } from './values.js';

const draftSchema = z.strictObject({
  id: draftId,
  name: z.string().min(1).max(200),
  /** ISO 8601. */
  changed: z.string(),
  /** Where the person was in the wizard. */
  step: z.string().max(40),
  preset: z.string().max(40),
  given: givenSettings,
  /** The files that handles in `given` stand for. */
  files: z.array(fileInfo),
});
export type Draft = z.infer<typeof draftSchema>;

/** What is decided by the model that a draft begins from. */
const beginningSchema = z.strictObject({
  /** Its name on the hub, its file's or its folder's. */
  name: z.string(),
  architecture: z.enum(architectureNames),
  parameters: z.number(),
  layers: z.int(),
  /** Heads of queries, and of keys and values. */
  heads: z.int(),
  kv_heads: z.int(),
  width: z.int(),
  vocabulary: z.int(),
  /** Positions that it was made for: as far as the context length may go. */
  context: z.int(),
  tokenization: z.enum(['bpe', 'char', 'pretrained']),
});
export type Beginning = z.infer<typeof beginningSchema>;

/** What the text and the settings come to: `Preview` of main/engine/cycle/preview.ts. */
export const previewSchema = z.strictObject({
  first_lines: z.array(z.string()),
  exact: z.boolean(),
  characters: z.number(),
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
  warnings: z.array(z.strictObject({ code: z.string(), message: sentenceSchema, hint: sentenceSchema })),
  /** What was read: "text file", "folder of 12 files", …; and why this tokenization. */
  input: sentenceSchema,
  tokenization: z.enum(['bpe', 'char', 'learned', 'pretrained', 'shared']),
  reason: sentenceSchema,
  /**
   * The beginning of the text in tokens. `part`: of a character, which the first of its tokens has as its text and the others
   * do not repeat.
   */
  pieces: z.array(z.strictObject({ id: z.int(), text: z.string(), part: z.literal(true).optional() })),
  /** Tokens of the vocabulary with their counts in the sample, most frequent first; at most some hundreds. */
  vocabulary: z.array(
    z.strictObject({ id: z.int(), text: z.string(), part: z.literal(true).optional(), count: z.int() }),
  ),
});
export type PreviewView = z.infer<typeof previewSchema>;

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
  /** Keeps what changed; `given` replaces all that was given. */
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
  /** Checks a draft without reading the whole text: all problems at once, the command line, the estimate. */
  'drafts.check': channel(
    z.strictObject({ id: draftId }),
    z.strictObject({
      problems: z.array(problemSchema),
      /** The settings in full, preset and defaults resolved; null while a value is out of range. */
      resolved: givenSettings.nullable(),
      /** Null where it starts from scratch, or from what cannot be used. */
      begins_from: beginningSchema.nullable(),
      /** The same run in the terminal. */
      command: z.string(),
      estimate: estimateSchema.nullable(),
      /** The largest batch that fits this machine's memory; null when what is set fits. */
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
  /** Reads a sample of the text. Asking again cancels the one before. */
  'drafts.preview': longChannel(
    z.strictObject({ id: draftId }),
    previewSchema,
    z.strictObject({ done: z.number(), total: z.number() }),
  ),
  /** Measures this machine with the draft's model for a few steps: what the estimate then rests on. */
  'drafts.measure': channel(
    z.strictObject({ id: draftId }),
    z.strictObject({ tokens_per_second: measured, estimate: estimateSchema }),
  ),
  /** Makes the project and puts it into the queue; the draft is gone then. */
  'drafts.start': channel(z.strictObject({ id: draftId }), z.strictObject({ project: projectId })),
};
