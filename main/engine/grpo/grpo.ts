/**
 * GRPO (specification 5.4): the generator writes groups of completions, the frozen reward model scores them, and the generator moves
 * towards those that beat their group, close to the model that the cycle began with. Names and defaults follow TRL's GRPOTrainer.
 */
import { lossByText, type GrpoResult, type HeldOutParts, type TextLoss } from '../../../shared/reports/report.js';
import { PERPLEXITY_INTERVAL, quickTokens, type GrpoConfig } from '../../../shared/config/grpo.js';
import { usesCritic, type GPTConfig } from '../../../shared/config/model.js';
import { grpoStep } from '../../../shared/costs/phases.js';
import { flopsOf } from '../../../shared/costs/work.js';
import { rewardsEvidence } from '../../../shared/phases/grpo.js';
import { frozenOf, shouldStoreAsBfloat16, trainedOf } from '../model/adapters.js';
import { createParameters, readOnDemand } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import type { Session } from '../runtime/types.js';
import { mean } from '../statistics/statistics.js';
import { copyLength, createCopyIndex } from '../statistics/text-statistics.js';
import { knownWords, shareOfKnownIn } from '../statistics/words.js';
import { createEvaluator } from '../train/perplexity.js';
import { runPhase, type TrainingPhase } from '../train/phase.js';
import type { Checkpoint, NamedArrays } from '../types.js';
import { afterStep, endNotice, initialState, withConfiguredBeta, type GrpoState, type Measured } from './grpo-state.js';
import { createGrpoStep, type GrpoStepResult } from './grpo-step.js';
import type { GrpoOptions } from './grpo-types.js';
import { completionValues, completionsOf, describeStep, rewardValues, shownCompletions } from './step-report.js';
import { createRollouts } from './rollouts.js';

type GrpoOutcome = {
  readonly weights: NamedArrays;
  readonly result: GrpoResult;
  /** The held-out loss of these weights by parts of the text. */
  readonly parts: HeldOutParts;
};

/** Runs GRPO until one of its stopping rules; resumes from the slot's latest checkpoint if there is one. */
export function trainGrpo(options: GrpoOptions): Promise<GrpoOutcome> {
  return runPhase(options, (session, saved) => policyOptimization(options, session, saved));
}

function policyOptimization(
  options: GrpoOptions,
  session: Session,
  saved: Checkpoint | null,
): TrainingPhase<GrpoState, GrpoConfig, GrpoStepResult, GrpoOutcome> {
  const { rewardModel, trainTokens, valTokens, measuredTokens, vocabulary, config, env } = options;
  // Dropout would score another policy than the one that wrote.
  const model: GPTConfig = { ...options.model, dropout: 0 };
  const batchSize = config.group_size * config.prompts_per_step;
  const stepTokens = batchSize * model.block_size;
  // Checkpoints store only what learns.
  const frozen = frozenOf(model, options.policy);
  const isNarrow = shouldStoreAsBfloat16(model, readingPrecision(env.runtime, model));
  const policy = createParameters(session, { ...frozen, ...(saved?.weights ?? options.policy) }, 'policy.', isNarrow);
  const trained = trainedOf(model, policy);
  const rollouts = createRollouts(options, session, model, policy);
  const step = createGrpoStep(options, session, model, policy, rollouts, saved?.optimizer);
  const evaluator = createEvaluator(session, model, policy, env, { vocabulary });
  const copies = createCopyIndex(trainTokens);
  const words = vocabulary ? knownWords(trainTokens, vocabulary) : null;

  return {
    name: 'grpo',
    config,
    async initialState() {
      const reward = await rollouts.measure();
      const heldOut = options.heldOut ?? (await evaluator.evaluate(valTokens, measuredTokens));
      return initialState(config, measuredOf(reward, heldOut));
    },
    arrays: () => ({ weights: readOnDemand(session, trained), optimizer: step.read() }),
    maxSteps: ({ grpo_max_steps }) => grpo_max_steps,
    step: (state, now) => step.take(state, now),
    advance(last, { rollouts, metrics }, now) {
      const state = afterStep(withConfiguredBeta(last, now), mean(rollouts.rewards), metrics.kl, now);
      if (state.finished === 'kl_cap') step.fallBack();
      return state;
    },
    evaluation: {
      interval: PERPLEXITY_INTERVAL,
      async measure() {
        const { loss, perplexity, ...measured } = await evaluator.evaluate(valTokens, quickTokens(model));
        const byText = lossByText(measured, (name) => `held_out_${name}`);
        return { loss, row: { held_out_perplexity: perplexity, ...byText } };
      },
    },
    logInterval: () => 1,
    row: ({ rollouts, metrics, beta, learningRate, seconds }, measured) => ({
      ...rewardValues(rollouts),
      ...metrics,
      clip_ratio: metrics.clip_ratio_low + metrics.clip_ratio_high,
      learning_rate: learningRate,
      beta,
      ...completionValues(rollouts, copies, copyLength[options.tokenization]),
      ...(words && { words_known: shareOfKnownIn(completionsOf(rollouts), words, vocabulary) }),
      ...measured,
      seconds_generate: seconds.generate,
      seconds_score: seconds.score,
      seconds_update: seconds.update,
    }),
    onStep: ({ rollouts }, state) => options.onCompletions?.(shownCompletions(state.step, rollouts, config.group_size)),
    describe: ({ rollouts, metrics }) => describeStep(mean(rollouts.rewards), metrics.kl, rewardsEvidence(config)),
    work: {
      tokens: stepTokens,
      operations: flopsOf(grpoStep(model, usesCritic(rewardModel.reward_kind) ? [rewardModel] : [], config)),
      precision: readingPrecision(env.runtime, model),
    },
    explain: (result) => step.explain(result),
    async finish({ state }) {
      env.emit(endNotice(state, config));
      const weights = { ...frozen, ...(await step.finish()) };
      const reward = await rollouts.measure();
      const heldOut = await evaluator.evaluate(valTokens, measuredTokens);
      return { weights, result: resultOf(state, measuredOf(reward, heldOut)), parts: heldOut.parts };
    },
  };
}

/** Joins the reward of a policy and its held-out loss. */
function measuredOf(reward: Measured['reward'], { perplexity, ...byText }: TextLoss): Measured {
  return { reward, perplexity, text: lossByText(byText) };
}

function resultOf({ before, kl, step, finished }: GrpoState, after: Measured): GrpoResult {
  return {
    reward_first: before.reward.mean,
    reward_last: after.reward.mean,
    reward_first_interval: before.reward.interval,
    reward_last_interval: after.reward.interval,
    kl,
    perplexity_before: before.perplexity,
    perplexity_after: after.perplexity,
    ...lossByText(before.text ?? {}, (name) => `${name}_before`),
    ...lossByText(after.text ?? {}, (name) => `${name}_after`),
    steps: step,
    stopped_because: finished ?? 'max_steps',
  };
}
