/**
 * For which phases this machine has compiled before, with settings that make the same graphs, and how long compiling and loading
 * took: what was compiled is loaded in a fraction of the time (time-left.ts). Kept in the cache folder, beside what was compiled.
 */
import { createHash } from 'node:crypto';
import {
  cycleShape,
  grpoShape,
  rewardDataShape,
  rewardModelShape,
  scoringModelsShape,
} from '../../../shared/config/index.js';
import type { PhaseName } from '../../../shared/phases/index.js';
import type { Plan } from '../../../shared/costs/phases.js';
import { keptFigures } from './figures.js';

/** Settings that change how long something runs, what it reads or where it begins, and no graph. */
const WITHOUT_A_GRAPH = [
  ...[
    'max_iters',
    'max_cycles',
    'train_minutes',
    'grpo_max_steps',
    'reward_max_iters',
    'critic_length',
    'judge_length',
  ],
  ...['patience', 'min_delta', 'reward_patience', 'grpo_patience', 'cycle_patience', 'stop_when', 'seed', 'data_path'],
  ...[
    'eval_interval',
    'log_interval',
    'reward_eval_interval',
    'perplexity_interval',
    'judge_passages',
    'control_share',
  ],
  ...['reward_train_samples', 'reward_val_samples', 'tensorboard', 'text_field', 'train_split'],
] as const;

/** What the language models that are trained before GRPO know nothing of. */
const later = { ...rewardDataShape, ...rewardModelShape, ...grpoShape, ...cycleShape };
const unknownTo: Partial<Record<PhaseName, object>> = {
  base_training: { ...later, ...scoringModelsShape },
  judge: later,
  critic: later,
};

export interface CompiledPhases {
  has(phase: PhaseName): boolean;
  /** Its graphs have been compiled. */
  add(phase: PhaseName): void;
  /** Seconds that an operation of a graph took in the last run, as they are counted before it (shared/costs); null: never seen. */
  pace(of: 'compiling' | 'loading'): number | null;
  keepPace(of: 'compiling' | 'loading', seconds: number): void;
}

/** @param machine what compiling depends on; @param file where it is kept, in place of the cache folder's */
export function createCompiledPhases(machine: string, plan: Plan, file?: string): CompiledPhases {
  const kept = keptFigures('compiled-phases.json', file);
  const settings = Object.entries({ ...plan.config, ...plan.model })
    .filter(([name]) => !(WITHOUT_A_GRAPH as readonly string[]).includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const key = (phase: PhaseName) => {
    const read = settings.filter(([name]) => !(name in (unknownTo[phase] ?? {})));
    return createHash('sha256')
      .update(JSON.stringify([machine, phase, read]))
      .digest('hex')
      .slice(0, 16);
  };
  const paceOf = (of: 'compiling' | 'loading') => [machine, of, 'kinds'].join(', ');
  return {
    pace: (of) => kept.get(paceOf(of)) ?? null,
    keepPace: (of, seconds) => seconds > 0 && kept.set(paceOf(of), seconds),
    has: (phase) => kept.get(key(phase)) !== undefined,
    add(phase) {
      if (kept.get(key(phase)) === undefined) kept.set(key(phase), 1);
    },
  };
}
