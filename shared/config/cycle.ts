/** How many cycles, and when they end (specification 5.5). */
import { z } from 'zod';
import { parameter, whole } from './parameter.js';

/** What decides after each cycle whether there is another one. */
export const stopRules = ['cycles', 'perplexity', 'reward', 'people'] as const;
export type StopRule = (typeof stopRules)[number];

export const cycleShape = {
  max_cycles: parameter(whole(0, 10000).default(5), {
    label: 'Cycles',
    help: 'At most this many rounds of reward data, reward model and GRPO; 0 trains the base model only.',
  }),
  stop_when: parameter(z.enum(stopRules).default('cycles'), {
    label: 'End early when',
    help: 'What decides after each cycle whether there is another. {cycles}: all of them are done, unless perplexity has not fallen for as many as the cycle patience. {perplexity}, {reward}: the newest cycle is no better by more than chance. {people}: the project waits after each cycle until people have voted on the newest version against the one before it, and ends when they do not find it better.',
    choices: {
      cycles: 'Perplexity stopped falling',
      perplexity: 'A cycle has no better perplexity',
      reward: 'A cycle has no better reward',
      people: 'People find a version no better',
    },
  }),
  cycle_patience: parameter(whole(1).default(2), {
    label: 'Cycle patience',
    help: 'Stop after this many cycles without lower held-out perplexity. Counts with {stop_when=cycles}.',
  }),
};

export type CycleConfig = z.infer<z.ZodObject<typeof cycleShape>>;
