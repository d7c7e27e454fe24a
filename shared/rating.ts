/**
 * What people are asked about the writing, and what they can answer: the same in the window, in the terminal, in an
 * exported task and in a project's files. What the answers come to is in judging.ts.
 */
import { z } from 'zod';

/** *Pair*: which continuation is better. *Boundary*: where a passage stops being natural. *Single*: natural or not. */
export const ratingTasks = ['pair', 'boundary', 'single'] as const;
export type RatingTask = (typeof ratingTasks)[number];

/** What the newest generator's writing is held against, in pairs. */
export const pairAgainst = ['previous', 'base', 'text'] as const;
export type PairAgainst = (typeof pairAgainst)[number];

/** What a single passage is taken for. */
export const verdicts = ['natural', 'generated'] as const;
export type Verdict = (typeof verdicts)[number];

/** Of a pair: the first or the second **as shown**, as good as each other, or neither worth having. */
const pairAnswers = ['first', 'second', 'tie', 'both_bad'] as const;

/** No word of a passage is generated. */
export const never = 'never';

/** The longest passage has far fewer words. */
const MAX_WORDS = 20_000;

/** By task. Of a boundary: the number of the first word that is not natural, from 1. */
export const answerSchemas = {
  single: z.enum(verdicts),
  pair: z.enum(pairAnswers),
  boundary: z.union([z.int().min(1).max(MAX_WORDS), z.literal(never)]),
} as const;
export const answerSchema = z.union([answerSchemas.single, answerSchemas.pair, answerSchemas.boundary]);
export type Answer = z.infer<typeof answerSchema>;

/** The person at this machine, in the window and in the terminal. */
export const ownRater = 'you';

/** Who rates: initials or a name, as short as the person likes. */
export const raterSchema = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}]+$/u);

const passageId = z.string().min(1).max(64);

/** What a person sees, and no more: whose it is cannot be told from any of it. */
export const blindQuestionSchema = z.discriminatedUnion('task', [
  /** Held-out text, and what follows it, there or by a generator. */
  z.strictObject({ task: z.literal('single'), id: passageId, prompt: z.string(), text: z.string() }).readonly(),
  z
    .strictObject({
      task: z.literal('pair'),
      id: passageId,
      prompt: z.string(),
      first: z.string(),
      second: z.string(),
    })
    .readonly(),
  /** Words with the spaces that follow them: joined, they are the passage. */
  z.strictObject({ task: z.literal('boundary'), id: passageId, words: z.array(z.string()).readonly() }).readonly(),
]);
export type BlindQuestion = z.infer<typeof blindQuestionSchema>;

/** After so long, or so many answers, a break is suggested: attention goes before one notices. */
export const restAfter = { minutes: 20, votes: 50 } as const;
