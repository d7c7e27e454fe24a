/** How many cycles, and when they end (specification 5.5). */
import { z } from 'zod';
import { parameter, whole } from './parameter.js';

/** What decides after each cycle whether there is another one. */
export const stopRules = ['cycles', 'perplexity', 'reward', 'people'] as const;
export type StopRule = (typeof stopRules)[number];

export const cycleShape = {
  max_cycles: parameter(whole(0, 10000).default(5)),
  stop_when: parameter(z.enum(stopRules).default('cycles')),
  cycle_patience: parameter(whole(1).default(2)),
};

export type CycleConfig = z.infer<z.ZodObject<typeof cycleShape>>;
