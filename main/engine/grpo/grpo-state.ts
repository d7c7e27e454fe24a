/** Where a run of GRPO is, and when it ends: what its checkpoint keeps besides weights and moments. Pure. */
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import { initialEarlyStopping, updateEarlyStopping, type EarlyStoppingState } from '../train/early-stopping.js';
import { firstBeta, nextBeta } from './kl-control.js';
import type { MeanReward } from './reward-evaluation.js';
import { mean } from '../statistics/statistics.js';
import type { Environment } from '../types.js';

/** The stopping rules look at the mean reward of this many last steps: a single step is mostly chance. */
const SMOOTHED_STEPS = 10;

export type StopReason = 'max_steps' | 'reward_threshold' | 'reward_plateau' | 'kl_cap' | 'asked';

/** A model on the judging prompts, and on the whole held-out split. */
export type Measured = {
  readonly reward: MeanReward;
  readonly perplexity: number;
  /** The same loss by character and byte, where a tokenizer is known; not in checkpoints of earlier versions. */
  readonly text?: Readonly<Record<string, number>>;
};

/** A type, not an interface, so that it is JSON for the checkpoint. */
export type GrpoState = {
  readonly step: number;
  readonly recentRewards: readonly number[];
  readonly stopping: EarlyStoppingState;
  readonly finished: StopReason | null;
  /** Nats per token, as the last step found it. */
  readonly kl: number;
  readonly beta: number;
  /** The β that was configured when `beta` began to move from it. */
  readonly configuredBeta: number;
  /** Of the model that GRPO began with. */
  readonly before: Measured;
};

export const initialState = (config: GrpoConfig, before: Measured): GrpoState => ({
  step: 0,
  recentRewards: [],
  stopping: initialEarlyStopping,
  finished: null,
  kl: 0,
  beta: firstBeta(config),
  configuredBeta: config.beta,
  before,
});

/** A β that was set anew while it runs holds from here; otherwise as it was. */
export const withConfiguredBeta = (state: GrpoState, config: GrpoConfig): GrpoState =>
  config.beta === state.configuredBeta ? state : { ...state, beta: firstBeta(config), configuredBeta: config.beta };

/** The smoothed reward has risen only if it rose by this much. */
const MIN_DELTA = 0.001;

/**
 * After a step: one further, and `finished` where a stopping rule says so.
 * @param reward the step's mean
 * @param kl nats per token between the policy of the step and the reference
 */
export function afterStep(last: GrpoState, reward: number, kl: number, config: GrpoConfig): GrpoState {
  const step = last.step + 1;
  const recentRewards = [...last.recentRewards, reward].slice(-SMOOTHED_STEPS);
  const smoothed = mean(recentRewards);
  const rule = { patience: config.grpo_patience, minDelta: MIN_DELTA, better: 'higher' } as const;
  const update = updateEarlyStopping(rule, last.stopping, smoothed);
  const finished = ((): StopReason | null => {
    if (kl > config.kl_cap) return 'kl_cap';
    if (recentRewards.length === SMOOTHED_STEPS && smoothed >= config.reward_threshold) return 'reward_threshold';
    if (update.stop) return 'reward_plateau';
    return step >= config.grpo_max_steps ? 'max_steps' : null;
  })();
  const beta = nextBeta(last.beta, kl, config.kl_target);
  return { ...last, step, recentRewards, stopping: update.state, finished, kl, beta };
}

/** Says in words why GRPO ended. */
export function announce({ step, finished, kl }: GrpoState, config: GrpoConfig, env: Environment): void {
  const say = (level: 'info' | 'warning', message: string) => {
    env.emit({ event: 'notice', level, code: `grpo_${finished ?? 'max_steps'}`, message });
  };
  switch (finished) {
    case 'kl_cap':
      say(
        'warning',
        `GRPO stopped at step ${step}: the model moved ${kl.toFixed(3)} nats per token from where the cycle began, past the cap of ${config.kl_cap}. The last weights below the cap are kept.`,
      );
      break;
    case 'reward_threshold':
      say('info', `GRPO stopped at step ${step}: the mean reward reached ${config.reward_threshold}.`);
      break;
    case 'reward_plateau':
      say('info', `GRPO stopped at step ${step}: the reward has not risen for ${config.grpo_patience} steps.`);
      break;
    case 'asked':
      say('info', `GRPO ended at step ${step}, as asked.`);
      break;
    case 'max_steps':
    case null:
      say('info', `GRPO ran all of its ${step} steps.`);
  }
}
