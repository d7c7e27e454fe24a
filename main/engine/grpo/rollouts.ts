/** Writes groups of completions with the policy and scores them with the frozen reward model. */
import { localized } from '../../../shared/messages/message.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Interval } from '../../../shared/reports/report.js';
import { createWriter, joined } from '../generate/generate.js';
import { samplePrompts } from '../generate/prompts.js';
import { createSharedParameters } from '../model/adapters.js';
import type { Parameters } from '../model/model.js';
import { samplingRule } from '../model/sampling-rule.js';
import { createRewardParameters, createRewardScorer } from '../reward/reward-scorer.js';
import { createRolloutScorer } from '../reward/rollout-scorer.js';
import { streams } from '../rng.js';
import type { Session } from '../runtime/types.js';
import { mean, meanInterval } from '../statistics/statistics.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import { createProgress } from '../train/progress.js';
import type { GrpoOptions, ScoredGroups, Teachers, WrittenGroups } from './grpo-types.js';
import { rewarded } from './reward-shape.js';

export type RolloutSource = ReturnType<typeof createRollouts>;

/** A type, not an interface, so that it is JSON for the checkpoint. */
export type MeanReward = {
  readonly mean: number;
  readonly interval: Interval | null;
  readonly prompts: number;
};

/** @param model the policy's, without dropout */
export function createRollouts(options: GrpoOptions, session: Session, model: GPTConfig, policy: Parameters) {
  const { rewardModel, trainTokens, valTokens, config, seed, env } = options;
  const T = model.block_size;
  const batchSize = config.group_size * config.prompts_per_step;
  const { policy: weights } = options;
  const reference = createSharedParameters(session, model, weights, 'reference.', { weights, parameters: policy });
  const generator = { weights, parameters: reference };
  const reward = createRewardParameters(session, rewardModel, options.rewardWeights, generator);
  const rule = samplingRule(options);
  const writer = createWriter(session, model, policy, batchSize, rule, env);
  // The cycle's generator wrote the reward data: its probabilities are q of a critic's evidence.
  const reader = { model, parameters: reference, ...rule };
  const scorer = createRewardScorer(session, rewardModel, reward, env, reader);
  const isExpected = config.reward_shape === 'expected_log_ratio';
  const scoreRollouts = createRolloutScorer(session, rewardModel, reward, reader, { ...env, keepsHidden: isExpected });
  const teachers: Teachers | null = isExpected
    ? { critic: { model: rewardModel, parameters: reward }, writer: reader }
    : null;

  return {
    teachers,

    /** Writes the completions of a step; null if the user requested a stop. */
    async write(step: number): Promise<WrittenGroups | null> {
      const place = { seed, stream: streams.grpoPrompt, step };
      const prompts = samplePrompts(trainTokens, config.prompts_per_step, T, place);
      const passages = prompts.flatMap((prefix, prompt) =>
        Array.from({ length: config.group_size }, (_, member) => ({
          prefix,
          index: step * batchSize + prompt * config.group_size + member,
        })),
      );
      const written = await writer.complete(passages, { seed, stream: streams.grpoGeneration });
      return written && { ids: joined(written), promptLengths: passages.map(({ prefix }) => prefix.length) };
    },

    async score({ ids, promptLengths }: WrittenGroups): Promise<ScoredGroups> {
      const { answers, referenceLogProbs, read } = await scoreRollouts(ids);
      return { ...rewarded(answers, config, promptLengths), referenceLogProbs, read };
    },

    /** Measures the mean P(natural) of completions after held-out prompts: always the same prompts with the same noise. */
    async measure(): Promise<MeanReward> {
      const place = { seed, stream: streams.evaluationPrompt, step: 0 };
      const prompts = samplePrompts(valTokens, config.grpo_eval_prompts, T, place);
      const noise = { seed, stream: streams.evaluationGeneration };
      const progress = createProgress(env, 'evaluation', 'samples', prompts.length);
      const rewards = new Float64Array(prompts.length);
      for (let first = 0; first < prompts.length; first += batchSize) {
        const passages = prompts.slice(first, first + batchSize).map((prefix, row) => ({ prefix, index: first + row }));
        const written = await writer.complete(passages, noise);
        if (!written) throw stoppedMeasuring();
        rewards.set(await scorer.score(joined(written)), first);
        progress.update(first + written.length, localized('evaluation.progress.prompts'));
      }
      return { mean: mean(rewards), interval: meanInterval(rewards), prompts: prompts.length };
    },
  };
}
