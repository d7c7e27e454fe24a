/** The two questions that people answer about the writing, the same in the window, the terminal and an exported task. */
import { z } from 'zod';

/** *Pair*: which continuation is better. *Boundary*: where a passage stops being natural. */
export const ratingTasks = ['pair', 'boundary'] as const;
export type RatingTask = (typeof ratingTasks)[number];

/** What the newest generator is compared with, in pairs. */
export const pairAgainst = ['previous', 'base', 'text'] as const;
export type PairAgainst = (typeof pairAgainst)[number];

/** The answer that no word of a passage is generated. */
export const never = 'never';

const MAX_WORDS = 20_000;

export const answerSchemas = {
  /** `first` and `second` as shown. */
  pair: z.enum(['first', 'second', 'tie', 'both_bad']),
  /** Number of the first generated word, from 1. */
  boundary: z.union([z.int().min(1).max(MAX_WORDS), z.literal(never)]),
} as const;
export const answerSchema = z.union([answerSchemas.pair, answerSchemas.boundary]);
export type Answer = z.infer<typeof answerSchema>;

/** The rater at this machine, in the window and in the terminal. */
export const ownRater = 'you';

/** A rater's initials or name. */
export const raterSchema = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}]+$/u);

const id = z.string().min(1).max(64);

/** What a rater may see of a question: nothing in it identifies the author. */
export const blindQuestionSchema = z.discriminatedUnion('task', [
  z.strictObject({ task: z.literal('pair'), id, prompt: z.string(), first: z.string(), second: z.string() }).readonly(),
  /** Words with the spaces that follow them; joined, they are the passage. */
  z.strictObject({ task: z.literal('boundary'), id, words: z.array(z.string()).readonly() }).readonly(),
]);
export type BlindQuestion = z.infer<typeof blindQuestionSchema>;

/** Names a key by what it types, or by its place on layouts that type no Latin letter or digit with it (AZERTY, Cyrillic). */
export function pressedKey({ key, code }: { readonly key: string; readonly code: string }): string {
  if (key.length > 1) return key;
  const typed = key.toLowerCase();
  return /[a-z0-9]/.test(typed) ? typed : code.replace(/^(Key|Digit|Numpad)(?=.$)/, '').toLowerCase();
}
