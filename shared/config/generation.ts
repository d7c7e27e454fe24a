/** How text is sampled from a generator (specification 3.2). */
import type { z } from 'zod';
import { parameter, positive, whole } from './parameter.js';

export const generationShape = {
  temperature: parameter(positive().max(100).default(1), {
    label: 'Temperature',
    help: 'Below 1 the writing is safer, above 1 more surprising.',
  }),
  top_k: parameter(whole(1).nullable().default(null), {
    label: 'Top-k',
    help: 'Choose only among this many likeliest tokens; unset means all of them.',
  }),
};

export type GenerationConfig = z.infer<z.ZodObject<typeof generationShape>>;
