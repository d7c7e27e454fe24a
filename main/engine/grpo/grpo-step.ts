/** One step of GRPO: writes, scores and learns from groups of completions. It stores the weights that the KL cap falls back on. */
import { localized, type Message } from '../../../shared/messages/message.js';
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { frozenOf, trainedOf } from '../model/adapters.js';
import { readParameters, writeParameters, type Parameters } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import { selectPrefix, withPrefix } from '../model/named-arrays.js';
import { samplingRule } from '../model/sampling-rule.js';
import type { Session } from '../runtime/types.js';
import { diagnoseDivergence } from '../train/divergence.js';
import type { StepResult } from '../train/phase.js';
import { grpoLearningRateAt } from '../train/schedule.js';
import { readAverages } from '../train/weight-average.js';
import type { NamedArrays } from '../types.js';
import { withConfiguredBeta, type GrpoState } from './grpo-state.js';
import type { GrpoOptions, ScoredGroups, WrittenGroups } from './grpo-types.js';
import { createPolicyUpdater, type UpdateMetrics } from './grpo-update.js';
import type { RolloutSource } from './rollouts.js';
import { createTextSource } from './text-mix.js';

export interface GrpoStepResult extends StepResult {
  readonly rollouts: WrittenGroups & ScoredGroups;
  readonly metrics: UpdateMetrics;
  readonly beta: number;
  readonly learningRate: number;
  readonly seconds: Readonly<Record<'generate' | 'score' | 'update', number>>;
}

const BEFORE_UPDATE = 'before.';

/** @param saved a checkpoint's arrays besides the policy's weights */
export function createGrpoStep(
  options: GrpoOptions,
  session: Session,
  model: GPTConfig,
  policy: Parameters,
  { write, score, teachers }: RolloutSource,
  saved: NamedArrays | undefined,
) {
  const { config, env } = options;
  const updater = createPolicyUpdater(session, model, policy, config, {
    rule: samplingRule(options),
    precision: readingPrecision(env.runtime, model),
    saved,
    teachers,
    team: env.team,
  });
  const { optimizer, averages } = updater;
  const textToMix = createTextSource(options, session, teachers);
  const trained = trainedOf(model, policy);
  /** Weights before the last update and before the previous one. KL is measured on the former, so the cap falls back on the latter. */
  let current = selectPrefix(saved ?? {}, BEFORE_UPDATE) ?? trainedOf(model, options.policy);
  let previous = current;

  return {
    /** Returns null if the user requested a stop. */
    async take(state: GrpoState, now: GrpoConfig): Promise<GrpoStepResult | null> {
      const { beta } = withConfiguredBeta(state, now);
      const readAt = env.now();
      const text = await textToMix?.(state.step);
      if (text === null) return null;
      const startedAt = env.now();
      const written = await write(state.step);
      if (!written) return null;
      const writtenAt = env.now();
      const rollouts = { ...written, ...(await score(written)) };
      const scoredAt = env.now();
      previous = current;
      current = await readParameters(session, trained);
      const learningRate = grpoLearningRateAt(state.step, now);
      const metrics = await updater.update(rollouts, state.step, { beta, learningRate, text: text ?? null });
      const seconds = {
        generate: (writtenAt - startedAt) / 1000,
        score: (startedAt - readAt + scoredAt - writtenAt) / 1000,
        update: (env.now() - scoredAt) / 1000,
      };
      return { loss: metrics.loss, gradNorm: metrics.grad_norm, rollouts, metrics, beta, learningRate, seconds };
    },

    fallBack(): void {
      writeParameters(session, policy, previous);
    },

    /** Reads the checkpoint's arrays. */
    read: (): NamedArrays => ({
      ...optimizer.read(),
      ...withPrefix(current, BEFORE_UPDATE),
      ...readAverages(session, averages),
    }),

    /** Returns the final weights of what learned, or their average. */
    async finish(): Promise<NamedArrays> {
      if (averages) writeParameters(session, policy, await readParameters(session, averages));
      return await readParameters(session, trained);
    },

    explain({ rollouts, loss }: GrpoStepResult): Message {
      const { rewardModel, rewardWeights } = options;
      if (rollouts.rewards.every(Number.isFinite)) {
        const weights = { ...frozenOf(model, options.policy), ...current };
        return diagnoseDivergence({ model, weights, loss, moments: optimizer.read() });
      }
      const why = diagnoseDivergence({ model: rewardModel, weights: rewardWeights, loss: NaN, moments: {} });
      return localized('grpo.diverged.rewards', { why });
    },
  };
}
