/**
 * A step of GRPO from the engine's parts, in the order of grpo.ts: rollouts, rewards, advantages, update, figures for the log. All
 * prompts are half a block, so that peers can do the same work.
 */
import { grpoConfigSchema } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { createWriter, joined } from '../../../main/engine/generate/generate.js';
import { createPolicyUpdater } from '../../../main/engine/grpo/grpo-update.js';
import { createSharedParameters, shouldStoreAsBfloat16, trainedOf } from '../../../main/engine/model/adapters.js';
import { createParameters, initialWeights, readParameters } from '../../../main/engine/model/model.js';
import { createRewardParameters } from '../../../main/engine/reward/reward-scorer.js';
import { createRolloutScorer } from '../../../main/engine/reward/rollout-scorer.js';
import { rewarded } from '../../../main/engine/grpo/reward-shape.js';
import { readingPrecision } from '../../../main/engine/model/precision.js';
import { streams, uniformInt } from '../../../main/engine/rng.js';
import { copyLength, createCopyIndex, textStatistics } from '../../../main/engine/statistics/text-statistics.js';
import type { Work } from '../shapes.js';
import type { Environment } from '../../../main/engine/types.js';
import { randomTokens, type Iteration } from './environment.js';

export function grpoStep(work: Work, env: Environment): Iteration {
  const { model, prompts, completions } = work;
  const T = model.block_size;
  const half = T / 2;
  const rewardModel: GPTConfig = { ...model, mode: 'reward' };
  const config = grpoConfigSchema.parse({ prompts_per_step: prompts, group_size: completions });
  const tokens = randomTokens(work.corpus, model.vocab_size);
  const copies = createCopyIndex(tokens);
  const weights = initialWeights(model, 1);
  const session = env.runtime.createSession();
  const isNarrow = shouldStoreAsBfloat16(model, readingPrecision(env.runtime, model));
  const policy = createParameters(session, weights, 'policy.', isNarrow);
  // Weights without adapters are shared.
  const reference = createSharedParameters(session, model, weights, 'reference.', { weights, parameters: policy });
  const reward = createRewardParameters(session, rewardModel, initialWeights(rewardModel, 1, weights), {
    weights,
    parameters: reference,
  });
  const rule = { temperature: 1, topK: null, vocabLimit: model.vocab_size };
  const writer = createWriter(session, model, policy, prompts * completions, rule, env);
  const wrote = { model, parameters: reference, ...rule };
  const score = createRolloutScorer(session, rewardModel, reward, wrote, env);
  const updater = createPolicyUpdater(session, model, policy, config, {
    rule,
    precision: readingPrecision(env.runtime, model),
  });
  const extras = { beta: config.beta, learningRate: config.grpo_learning_rate, text: null };
  let step = 0;
  return async () => {
    const passages = Array.from({ length: prompts * completions }, (_, row) => {
      const prompt = Math.floor(row / completions);
      const start = uniformInt(1, streams.grpoPrompt, step, prompt, tokens.length - half);
      return { prefix: tokens.read(start, half), index: step * prompts * completions + row };
    });
    const written = await writer.complete(passages, { seed: 1, stream: streams.grpoGeneration });
    if (!written) throw new Error('nothing was written');
    const ids = joined(written);
    const promptLengths = passages.map(() => half);
    const { answers, referenceLogProbs } = await score(ids);
    const { advantages } = rewarded(answers, config, promptLengths);
    await readParameters(session, trainedOf(model, policy));
    const { loss } = await updater.update({ ids, promptLengths, advantages, referenceLogProbs }, step, extras);
    if (!Number.isFinite(loss)) throw new Error(`the loss is ${loss}`);
    const texts = passages.map((_, row) => ids.subarray(row * T + half, (row + 1) * T));
    textStatistics(texts, copies, copyLength.char);
    step++;
  };
}
