/**
 * GRPO (seed 000, part 4, step 3): the generator writes groups of completions, the frozen reward model says how natural
 * each is, and the generator moves towards those that beat their group; it is held to the model this cycle began with.
 * Option names, logged figures and defaults follow TRL's GRPOTrainer.
 */
import type { GenerationConfig } from '../../shared/config/generation.js';
import type { GrpoConfig } from '../../shared/config/grpo.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { shownCompletions, type ShownCompletion } from './completions.js';
import { directed } from './control.js';
import { getBatch } from './dataset.js';
import { diverged, whatWentWrong } from './divergence.js';
import { isToBeSaved } from './early-stopping.js';
import { grpoStepFlops } from './flops.js';
import { createWriter, joined } from './generate.js';
import {
  afterStep,
  announce,
  initialState,
  withConfiguredBeta,
  type GrpoState,
  type StopReason,
} from './grpo-state.js';
import { createPolicyUpdater } from './grpo-update.js';
import { createParameters, readParameters, writeParameters } from './model.js';
import { selectPrefix, withPrefix } from './named-arrays.js';
import { createEvaluator } from './perplexity.js';
import { createProgress } from './progress.js';
import { samplePrompts } from './prompts.js';
import { evaluateReward, type MeanReward } from './reward-evaluation.js';
import { createRewardParameters, createRewardScorer, createRolloutScorer } from './reward-scorer.js';
import { createRewarder } from './reward-shape.js';
import { streams } from './rng.js';
import { mean, standardDeviation } from './statistics.js';
import { copyLength, createCopyIndex, textStatistics } from './text-statistics.js';
import { speedOf } from './throughput.js';
import { stopped } from './train.js';
import type { CheckpointSlot, Environment, NamedArrays, TokenSource } from './types.js';
import { readAverages } from './weight-average.js';

/** Windows of held-out text in the quick perplexity checks during GRPO. */
const QUICK_WINDOWS = 256;

export interface GrpoResult {
  /** Mean P(natural) on the judging prompts, before and after. */
  readonly reward_first: number;
  readonly reward_last: number;
  readonly reward_first_interval: MeanReward['interval'];
  readonly reward_last_interval: MeanReward['interval'];
  /** Nats per token between the policy and this cycle's base, as last measured. */
  readonly kl: number;
  /** On the whole held-out split. */
  readonly perplexity_before: number;
  readonly perplexity_after: number;
  readonly steps: number;
  readonly stopped_because: StopReason;
}

export interface GrpoOptions {
  readonly model: GPTConfig;
  /** The generator this cycle began with: policy at first, reference throughout. */
  readonly policy: NamedArrays;
  readonly rewardModel: GPTConfig;
  readonly rewardWeights: NamedArrays;
  readonly trainTokens: TokenSource;
  readonly valTokens: TokenSource;
  readonly config: GrpoConfig;
  readonly generation: GenerationConfig;
  readonly tokenization: 'bpe' | 'char';
  readonly vocabLimit: number;
  readonly seed: number;
  readonly slot: CheckpointSlot;
  /** Takes some completions of each step, for people to read. */
  onCompletions?(completions: readonly ShownCompletion[]): void;
  readonly env: Environment;
}

const BEFORE_UPDATE = 'before.';

/** Runs GRPO until one of its stopping rules; goes on from the slot's latest checkpoint if there is one. */
export async function trainGrpo(options: GrpoOptions): Promise<{ weights: NamedArrays; result: GrpoResult }> {
  const { rewardModel, trainTokens, valTokens, config, generation, seed, slot, env } = options;
  // Dropout would make the policy that is scored another one than the policy that wrote.
  const model: GPTConfig = { ...options.model, dropout: 0 };
  const T = model.block_size;
  const batchSize = config.group_size * config.prompts_per_step;
  const saved = await slot.latest();
  const session = env.runtime.createSession();
  try {
    const policy = createParameters(session, saved?.weights ?? options.policy, 'policy.');
    const reference = createParameters(session, options.policy, 'reference.');
    const generator = { weights: options.policy, parameters: reference };
    const reward = createRewardParameters(session, options.rewardWeights, generator);
    const rule = { temperature: generation.temperature, topK: generation.top_k, vocabLimit: options.vocabLimit };
    const writer = createWriter(session, model, policy, batchSize, rule, env);
    // This cycle's generator wrote the reward data: it is what a critic is compared with.
    const wrote = { model, parameters: reference, temperature: rule.temperature };
    const scorer = createRewardScorer(session, rewardModel, reward, env, wrote);
    const scoreRollouts = createRolloutScorer(session, rewardModel, reward, wrote);
    const updater = createPolicyUpdater(session, model, policy, config, rule.temperature, saved?.optimizer);
    const evaluator = createEvaluator(session, model, policy, env);
    const copies = createCopyIndex(trainTokens);
    const judgeReward = () =>
      evaluateReward({
        writer,
        scorer,
        tokens: valTokens,
        prompts: config.grpo_eval_prompts,
        batchSize,
        blockSize: T,
        seed,
        env,
      });

    let state = (saved?.state as GrpoState | undefined) ?? initialState(config);
    // The weights before the last update. KL is measured on them, so it is those before them that the cap falls back on.
    let current = selectPrefix(saved?.optimizer ?? {}, BEFORE_UPDATE) ?? options.policy;
    let kept = saved !== null;
    const save = async () => {
      await slot.save(
        {
          weights: readParameters(session, policy),
          optimizer: {
            ...updater.optimizer.read(),
            ...withPrefix(current, BEFORE_UPDATE),
            ...readAverages(session, updater.averages),
          },
          state,
        },
        state.step,
      );
      kept = true;
    };

    if (state.before === null) {
      const before = { reward: await judgeReward(), perplexity: (await evaluator.evaluate(valTokens)).perplexity };
      state = { ...state, before };
    }
    const before = state.before;
    if (!before) throw new Error('nothing was measured before GRPO');
    // What holds for the step at hand: settings may change while it runs.
    let now = directed(env, config, state.step).config;
    const progress = createProgress(env, 'grpo', 'steps', now.grpo_max_steps);
    const stepWork = { tokens: batchSize * T, operations: grpoStepFlops(model, batchSize, config.num_iterations) };
    const compilesAt = state.step;

    while (state.finished === null && state.step < now.grpo_max_steps) {
      const { config: here, skip } = directed(env, config, state.step);
      now = here;
      if (skip) {
        state = { ...state, finished: 'asked' };
        await save();
        break;
      }
      state = withConfiguredBeta(state, now);
      const times = [env.now()];
      const rollouts = env.stop.requested ? null : await roll();
      if (!rollouts) {
        await save();
        throw stopped(state.step);
      }
      times.push(env.now());
      const { rewards: answers, writerLogProbs: referenceLogProbs } = scoreRollouts(rollouts.ids);
      const rewarder = createRewarder(answers, config);
      const { rewards, advantages, fractionZeroStd, groupStds } = await rewarder(rollouts.ids, rollouts.promptLengths);
      times.push(env.now());
      const previous = current;
      current = readParameters(session, policy);
      const { beta } = state;
      const extras = { beta, learningRate: now.grpo_learning_rate, text: textToMix(state.step) };
      const learned = { ...rollouts, advantages, referenceLogProbs };
      const metrics = updater.update(learned, state.step, extras);
      times.push(env.now());
      if (!Number.isFinite(metrics.loss) || !Number.isFinite(metrics.grad_norm)) {
        const why = rewards.every(Number.isFinite)
          ? updater.explain(current, learned, state.step, extras)
          : `The rewards are not finite. ${whatWentWrong(rewardModel, options.rewardWeights, NaN, {}) ?? ''}`;
        throw diverged('grpo', state.step + 1, kept, why);
      }
      state = afterStep(state, mean(rewards), metrics.kl, now);
      const checked = state.step % config.perplexity_interval === 0 || state.finished !== null;
      if (state.finished === 'kl_cap') writeParameters(session, policy, previous);
      const perplexity = checked ? (await evaluator.evaluate(valTokens, QUICK_WINDOWS)).perplexity : undefined;
      const completions = rollouts.promptLengths.map((length, row) =>
        rollouts.ids.subarray(row * T + length, (row + 1) * T),
      );
      env.emit({
        event: 'metrics',
        phase: 'grpo',
        step: state.step,
        values: {
          reward: mean(rewards),
          reward_std: mean(groupStds),
          reward_batch_std: standardDeviation(rewards),
          frac_reward_zero_std: fractionZeroStd,
          ...metrics,
          clip_ratio: metrics.clip_ratio_low + metrics.clip_ratio_high,
          learning_rate: now.grpo_learning_rate,
          beta,
          ...textStatistics(completions, copies, copyLength[options.tokenization]),
          completion_mean_length: mean(completions.map(({ length }) => length)),
          ...(perplexity === undefined ? {} : { held_out_perplexity: perplexity }),
          num_tokens: state.step * batchSize * T,
          ...secondsBetween(times),
          ...(state.step - 1 === compilesAt ? {} : speedOf(stepWork, secondsOf(times), env.peaks?.f32)),
        },
      });
      options.onCompletions?.(shownCompletions(state.step, { ...rollouts, rewards, advantages }, config.group_size));
      progress.update(
        state.step,
        `reward ${mean(rewards).toFixed(3)}, KL ${metrics.kl.toFixed(3)}`,
        now.grpo_max_steps,
      );
      if (checked && isToBeSaved(state, slot)) await save();
      await env.breathe();
    }

    announce(state, config, env);
    if (updater.averages) writeParameters(session, policy, readParameters(session, updater.averages));
    const weights = readParameters(session, policy);
    const after = { reward: await judgeReward(), perplexity: (await evaluator.evaluate(valTokens)).perplexity };
    return {
      weights,
      result: {
        reward_first: before.reward.mean,
        reward_last: after.reward.mean,
        reward_first_interval: before.reward.interval,
        reward_last_interval: after.reward.interval,
        kl: state.kl,
        perplexity_before: before.perplexity,
        perplexity_after: after.perplexity,
        steps: state.step,
        stopped_because: state.finished ?? 'max_steps',
      },
    };

    async function roll() {
      const place = { seed, stream: streams.grpoPrompt, step: state.step };
      const prompts = samplePrompts(trainTokens, config.prompts_per_step, T, place);
      const passages = prompts.flatMap((prefix, prompt) =>
        Array.from({ length: config.group_size }, (_, member) => ({
          prefix,
          index: state.step * batchSize + prompt * config.group_size + member,
        })),
      );
      const written = await writer.complete(passages, { seed, stream: streams.grpoGeneration });
      if (!written) return null;
      const ids = joined(written);
      return { ids, promptLengths: passages.map(({ prefix }) => prefix.length) };
    }

    function textToMix(step: number) {
      if (config.ptx_coef === 0) return null;
      const place = { seed, stream: streams.pretrainingBatch, step };
      return getBatch(trainTokens, { batchSize: config.ptx_batch_size, blockSize: T, ...place });
    }
  } finally {
    session.dispose();
  }
}

function secondsBetween([start = 0, generated = 0, scored = 0, updated = 0]: readonly number[]) {
  return {
    seconds_generate: (generated - start) / 1000,
    seconds_score: (scored - generated) / 1000,
    seconds_update: (updated - scored) / 1000,
  };
}

const secondsOf = (times: readonly number[]): number => ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
