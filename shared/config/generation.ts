/** How text is sampled from a generator (specification 3.2). */
import { z } from 'zod';
import { parameter, positive, whole } from './parameter.js';

export const generationShape = {
  temperature: parameter(positive().max(100).default(1)),
  top_k: parameter(whole(1).nullable().default(null)),
};

export type GenerationConfig = z.infer<z.ZodObject<typeof generationShape>>;

/**
 * How text is sampled for people to read: at equal variety, leaving out unlikely tokens wrote better than a lower temperature.
 * Reward data and GRPO do without top-p: what the reward model weighs are the generator's own probabilities, of all tokens.
 */
export const readingShape = {
  ...generationShape,
  top_p: parameter(z.number().positive().max(1).default(0.9)),
};

export type ReadingConfig = z.infer<z.ZodObject<typeof readingShape>>;

export const usualReading: ReadingConfig = z.object(readingShape).parse({});
