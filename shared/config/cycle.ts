/** How many cycles, and when they end (specification 5.5). */
import type { z } from 'zod';
import { parameter, real, whole } from './parameter.js';

export const cycleShape = {
  max_cycles: parameter(whole(0, 10000).default(5), {
    label: 'Cycles',
    help: 'At most this many rounds of reward data, reward model and GRPO; 0 trains the base model only.',
  }),
  cycle_patience: parameter(whole(1).default(2), {
    label: 'Cycle patience',
    help: 'Stop after this many cycles without lower held-out perplexity.',
  }),
  cycle_min_delta: parameter(real(0).default(0), {
    label: 'Smallest cycle improvement',
    help: 'A cycle counts as better only when held-out perplexity fell by at least this much.',
    advanced: true,
  }),
};

export type CycleConfig = z.infer<z.ZodObject<typeof cycleShape>>;
