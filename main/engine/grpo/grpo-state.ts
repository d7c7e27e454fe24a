/** The state of a run of GRPO, its stopping rules, and why it ended. Pure. */
import { localized } from '../../../shared/messages/message.js';
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { initialEarlyStopping, updateEarlyStopping, type EarlyStoppingState } from '../train/early-stopping.js';
import { firstBeta, nextBeta } from './kl-control.js';
import type { MeanReward } from './rollouts.js';
import { mean } from '../statistics/statistics.js';

/** The stopping rules use the mean reward of the last steps: a single step is mostly chance. */
const SMOOTHED_STEPS = 10;

/** Least rise of the smoothed reward that counts. */
const MIN_DELTA = 0.001;

type StopReason = 'max_steps' | 'reward_threshold' | 'reward_plateau' | 'kl_cap' | 'asked';

/** A model's reward on the evaluation prompts, and its loss on the whole held-out split. */
export type Measured = {
  readonly reward: MeanReward;
  readonly perplexity: number;
  /** The loss by character and byte, with a tokenizer; not in checkpoints of earlier versions. */
  readonly text?: Readonly<Record<string, number>>;
};

/** A type, not an interface, so that it is JSON for the checkpoint. */
export type GrpoState = {
  readonly step: number;
  readonly recentRewards: readonly number[];
  readonly stopping: EarlyStoppingState;
  readonly finished: StopReason | null;
  /** Nats per token, of the last step. */
  readonly kl: number;
  readonly beta: number;
  /** The configuration's β from which `beta` adapts. */
  readonly configuredBeta: number;
  /** The model that GRPO began with. */
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

/** Restarts the adaptation of β if its live setting has changed. */
export const withConfiguredBeta = (state: GrpoState, config: GrpoConfig): GrpoState =>
  config.beta === state.configuredBeta ? state : { ...state, beta: firstBeta(config), configuredBeta: config.beta };

/**
 * Returns the state after a step, finished if a stopping rule applies.
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

/** Explains why GRPO ended. */
export function endNotice({ step, finished, kl }: GrpoState, config: GrpoConfig): JobEvent {
  const reason = finished ?? 'max_steps';
  const { kl_cap, reward_threshold, grpo_patience: patience } = config;
  return {
    event: 'notice',
    level: reason === 'kl_cap' ? 'warning' : 'info',
    code: `grpo_${reason}`,
    message: localized(`grpo.end.${reason}`, { step, kl, kl_cap, reward_threshold, patience }),
  };
}
