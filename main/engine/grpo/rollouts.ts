/**
 * What GRPO learns from: groups of completions that the policy writes, and what the frozen reward model makes of them.
 */
import type { GPTConfig } from '../../../shared/config/model.js';
import { createWriter, joined } from '../generate/generate.js';
import { samplePrompts } from '../generate/prompts.js';
import { createSharedParameters } from '../model/adapters.js';
import type { Parameters } from '../model/model.js';
import { createRewardParameters, createRewardScorer } from '../reward/reward-scorer.js';
import { createRolloutScorer } from '../reward/rollout-scorer.js';
import { streams } from '../rng.js';
import type { Session } from '../runtime/types.js';
import type { GrpoOptions, ScoredGroups, Teachers, WrittenGroups } from './grpo-types.js';
import { evaluateReward } from './reward-evaluation.js';
import { rewarded } from './reward-shape.js';

export type RolloutSource = ReturnType<typeof createRollouts>;

/** @param model the policy's, without dropout */
export function createRollouts(options: GrpoOptions, session: Session, model: GPTConfig, policy: Parameters) {
  const { rewardModel, trainTokens, valTokens, config, generation, seed, env } = options;
  const T = model.block_size;
  const batchSize = config.group_size * config.prompts_per_step;
  const { policy: weights } = options;
  const reference = createSharedParameters(session, model, weights, 'reference.', { weights, parameters: policy });
  const generator = { weights, parameters: reference };
  const reward = createRewardParameters(session, rewardModel, options.rewardWeights, generator);
  const rule = { temperature: generation.temperature, topK: generation.top_k, vocabLimit: options.vocabLimit };
  const writer = createWriter(session, model, policy, batchSize, rule, env);
  // This cycle's generator wrote the reward data: it is what a critic is compared with.
  const wrote = { model, parameters: reference, temperature: rule.temperature };
  const scorer = createRewardScorer(session, rewardModel, reward, env, wrote);
  const isExpected = config.reward_shape === 'expected_log_ratio';
  const scoreRollouts = createRolloutScorer(session, rewardModel, reward, wrote, {
    ...env,
    keepsHidden: isExpected,
  });
  const teachers: Teachers | null = isExpected
    ? { critic: { model: rewardModel, parameters: reward }, writer: wrote }
    : null;

  return {
    teachers,

    /** The completions of a step; null when it was asked to stop in the middle. */
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
      const { rewards: answers, writerLogProbs: referenceLogProbs, read } = await scoreRollouts(ids);
      return { ...(await rewarded(answers, config, ids, promptLengths)), referenceLogProbs, read };
    },

    /** Mean P(natural) of what the policy writes after the judging prompts. */
    measure: () =>
      evaluateReward({
        writer,
        scorer,
        tokens: valTokens,
        prompts: config.grpo_eval_prompts,
        batchSize,
        blockSize: T,
        seed,
        env,
      }),
  };
}
