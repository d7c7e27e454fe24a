/**
 * What the phases of a project compute: the one place where tokens, updates and operations of a run are counted, before it
 * starts (the wizard, `preview`) and while it runs (the time left). Each phase's declaration (../phases) names its count.
 * Early stopping is not known in advance: all is counted.
 */
import { freshDiscriminatorSettings } from '../config/evaluation.js';
import { learnsTextFromCritic, quickWindows, type GrpoConfig } from '../config/grpo.js';
import type { ProjectConfig } from '../config/index.js';
import {
  generatorOf,
  heldOutWindow,
  rewardKinds,
  usesCritic,
  type GPTConfig,
  type RewardKind,
} from '../config/model.js';
import { MAX_STATE_BYTES, type RewardModelConfig } from '../config/reward-model.js';
import { scoringModelOf, type ScoringModel } from '../config/scoring-models.js';
import type { TrainConfig } from '../config/train.js';
import { textTokensRead } from './mixed-text.js';
import { updateFlops } from './network.js';
import { compiles, headTrains, nothing, scores, times, together, trains, writes, type Work } from './work.js';

/** A project as far as its costs go. */
export interface Plan {
  readonly config: Omit<ProjectConfig, 'vocab_size' | 'mode'>;
  /** The generator. */
  readonly model: GPTConfig;
  /** Of both splits of the text. */
  readonly tokens: Readonly<Record<'train' | 'val', number>>;
}

/** @param tokens of the whole text; null when that is not known, and what depends on it is not counted */
export function planOf(config: Plan['config'], vocabSize: number, tokens: number | null): Plan {
  const train = Math.floor((tokens ?? 0) * config.train_split);
  return { config, model: generatorOf(config, vocabSize), tokens: { train, val: (tokens ?? 0) - train } };
}

/** A phase's work: that which its progress counts, and what is done once before and after. */
export interface PhaseWork {
  readonly before: Work;
  readonly steps: Work;
  readonly after: Work;
}

export const none: PhaseWork = { before: nothing, steps: nothing, after: nothing };

/** How many samples of reward data the settings ask for, of each split. */
export function rewardSamples(
  config: Pick<ProjectConfig, 'block_size' | 'samples_per_chunk' | 'reward_train_samples' | 'reward_val_samples'>,
  tokens: Plan['tokens'],
): Record<'train' | 'val', number> {
  const most = (length: number, limit: number | null) =>
    Math.min(Math.floor(length / config.block_size) * config.samples_per_chunk, limit ?? Infinity);
  return {
    train: most(tokens.train, config.reward_train_samples),
    val: most(tokens.val, config.reward_val_samples),
  };
}

/** Held-out text is read in windows, all of it or as much as so many blocks. */
function evaluates(model: GPTConfig, tokens: number, maxBlocks = Infinity): Work {
  const block_size = heldOutWindow(model);
  const windows = Math.ceil(Math.max(0, tokens - 1) / block_size);
  const most = Math.ceil((maxBlocks * model.block_size) / block_size);
  return scores({ ...model, block_size }, Math.min(windows, most) * block_size);
}

/** A language model that is trained on the text: the generator, the critic, the judge. */
function languageModel(tokens: Plan['tokens'], model: GPTConfig, config: TrainConfig): PhaseWork {
  const { batch_size, gradient_accumulation_steps, eval_interval, eval_iters, max_iters: steps } = config;
  const evaluation = evaluates(model, tokens.val, eval_iters === null ? Infinity : eval_iters * batch_size);
  return {
    before: together(compiles(model, 'train'), compiles(model, 'score')),
    steps: together(
      trains(
        model,
        steps,
        steps * gradient_accumulation_steps * batch_size * model.block_size,
        updateFlops(model, config),
      ),
      times(Math.ceil(steps / eval_interval), evaluation),
    ),
    after: evaluates(model, tokens.val),
  };
}

type Samples = ReturnType<typeof rewardSamples>;

/** The reward model's network: the critic's where it compares, the generator's elsewhere. */
export function rewardNetworkOf(
  kind: RewardKind,
  generator: GPTConfig,
  critic: GPTConfig,
  pooling: RewardModelConfig['reward_pooling'],
): GPTConfig {
  const { reward_head_hidden_dim } = generator;
  const trunk = usesCritic(kind) ? critic : generator;
  return { ...trunk, mode: 'reward', reward_kind: kind, reward_pooling: pooling, reward_head_hidden_dim };
}

/** A reward model of one kind (main/engine/reward). @param generator that wrote the samples */
function rewardModel(
  config: RewardModelConfig,
  kind: RewardKind,
  generator: GPTConfig,
  critic: GPTConfig,
  { train, val }: Samples,
): PhaseWork {
  const model = rewardNetworkOf(kind, generator, critic, config.reward_pooling);
  const T = model.block_size;
  const passages = train + val;
  const compared = together(scores(critic, T), scores(generator, T));
  if (kind === 'critic') {
    return { before: times(2, compiles(model, 'score')), steps: times(train, compared), after: times(val, compared) };
  }
  const { reward_max_iters: steps, reward_unfreeze: unfrozen } = config;
  const rows = Math.min(config.reward_batch_size, train);
  const evaluations = Math.ceil(steps / config.reward_eval_interval);
  const readsEach = kind === 'head' ? 1 : T;
  const head = headTrains(model, steps, steps * rows * readsEach);
  const evidence = kind === 'hybrid' ? times(passages, compared) : nothing;
  const compiled = together(times(kind === 'hybrid' ? 3 : 1, compiles(model, 'score')), compiles(model, 'head'));
  const pooledByAttention = kind === 'head' && config.reward_pooling === 'attention';
  const statesFit = kind === 'head' || 4 * passages * T * model.n_embd <= MAX_STATE_BYTES;
  if (unfrozen === 0 && !pooledByAttention && statesFit) {
    return { before: together(compiled, evidence, scores(model, passages * T)), steps: head, after: nothing };
  }
  // The backward pass goes through the unfrozen blocks alone, at twice the cost of their forward pass.
  const share = Math.min(1, unfrozen / model.n_layer);
  const learned = together(
    trains(model, 0, share * steps * rows * T),
    scores(model, (1 - share) * steps * rows * T),
    times(evaluations, scores(model, val * T)),
  );
  return {
    before: together(compiled, compiles(model, 'train'), evidence),
    steps: together(head, learned),
    after: scores(model, val * T),
  };
}

/**
 * One step of GRPO: completions are written, read by the reference and by the reward model, and learned from.
 * @param own the reward model's own network; none where it is a head on the reference
 */
export function grpoStep(
  model: GPTConfig,
  own: readonly GPTConfig[],
  config: Pick<GrpoConfig, 'prompts_per_step' | 'group_size' | 'num_iterations' | 'ptx_coef' | 'ptx_batch_size'>,
): Work {
  const passages = config.prompts_per_step * config.group_size;
  const mixed = config.ptx_coef > 0 ? config.ptx_batch_size : 0;
  const { num_iterations: updates } = config;
  const T = model.block_size;
  // From the second update on the policy is another one than the one that wrote, which is asked before.
  const asked = updates > 1 ? [model, model, ...own] : [model, ...own];
  return together(
    writes(model, passages),
    ...asked.map((network) => scores(network, passages * T)),
    trains(model, updates, updates * (passages + mixed) * T),
  );
}

/** GRPO, and what is measured before its first step and after its last. */
export function grpo(plan: Plan): PhaseWork {
  const { config, model, tokens } = plan;
  const critic = criticOf(plan);
  const T = model.block_size;
  const { reward_kind, grpo_max_steps: steps, grpo_eval_prompts: prompts } = config;
  const reward = rewardNetworkOf(reward_kind, model, critic, config.reward_pooling);
  const own = usesCritic(reward_kind) || config.reward_unfreeze > 0 ? [reward] : [];
  // The mean reward on held-out prompts, before the first step and after the last; perplexity is known before.
  const judged = usesCritic(reward_kind) ? [reward, model] : [reward];
  const rewarded = together(writes(model, prompts), ...judged.map((network) => scores(network, prompts * T)));
  const compiled = together(
    compiles(model, 'write'),
    compiles(model, 'train'),
    times(2 + 2 * judged.length, compiles(model, 'score')),
  );
  return {
    before: together(compiled, rewarded),
    steps: together(
      times(steps, grpoStep(model, own, config)),
      ...(learnsTextFromCritic(config) ? own : []).map((network) =>
        scores(
          network,
          textTokensRead(tokens.train, steps * config.ptx_batch_size, { blockSize: T, width: network.n_embd }),
        ),
      ),
      times(Math.ceil(steps / config.perplexity_interval), evaluates(model, tokens.val, quickWindows(model))),
    ),
    after: together(rewarded, evaluates(model, tokens.val)),
  };
}

/** What a cycle computes to make its generator better; its critic belongs to the first, which trains it. */
export function cycleWork(plan: Plan, cycle: number): Work {
  const critic = cycle === 1 && usesCritic(plan.config.reward_kind) ? [scoringModel(plan, 'critic')] : [];
  return together(...[rewardData(plan), rewardModels(plan), grpo(plan), ...critic].map(wholeOf));
}

/** Temperatures at which a control lets its writers write, about, all together. */
const CONTROL_POINTS = 9;

/**
 * What a cycle is held against: training on for a share of its work, and gently for as long where that finds nothing better, as it
 * mostly does not (docs/experiments.md), and what all of them write.
 */
function control(plan: Plan, cycle: number, judge: GPTConfig): Work {
  const { config, model } = plan;
  if (cycle === 0 || config.control_share === 0) return nothing;
  const passages = CONTROL_POINTS * config.judge_passages;
  return together(
    times(2 * config.control_share, cycleWork(plan, cycle)),
    times(2, compiles(model, 'train')),
    // With all tokens, and without the unlikely ones.
    times(2, compiles(model, 'write')),
    writes(model, passages),
    scores(judge, passages * model.block_size),
  );
}

/** The judge reads what the generator writes, and natural text once; a fresh discriminator is trained, and the control. */
export function evaluation(plan: Plan, cycle: number): PhaseWork {
  const { config, model, tokens } = plan;
  const passages = 2 * config.judge_passages; // with prompts and without
  if (passages === 0) return none;
  const judge = scoringModelOf('judge', config, model).model;
  const { block_size: T } = model;
  const settings = freshDiscriminatorSettings(config, { block_size: T, valTokens: tokens.val });
  const samples = rewardSamples(settings, tokens);
  const discriminator = rewardModel(settings, settings.reward_kind, model, judge, samples);
  return {
    ...none,
    before: together(
      times(2, compiles(model, 'write')),
      compiles(judge, 'score'),
      writes(model, passages + samples.train + samples.val),
      scores(judge, (cycle === 0 ? 2 : 1) * passages * T),
      ...[discriminator.before, discriminator.steps, discriminator.after, control(plan, cycle, judge)],
    ),
  };
}

/** The reward model, and the other kinds where they are compared. */
export function rewardModels(plan: Plan): PhaseWork {
  const { config, model, tokens } = plan;
  const critic = criticOf(plan);
  const samples = rewardSamples(config, tokens);
  const of = (kind: RewardKind) => rewardModel(config, kind, model, critic, samples);
  const chosen = of(config.reward_kind);
  const others = config.reward_compare ? rewardKinds.filter((kind) => kind !== config.reward_kind) : [];
  const compared = others.map((kind) => wholeOf(of(kind)));
  return { ...chosen, after: together(chosen.after, ...compared) };
}

/**
 * The generator, of which a few samples are shown in a batch of their own. What it writes while it trains is bounded by a
 * hundredth of the training (main/engine/generate/samples.ts) and not counted, but it is compiled for.
 */
export function baseTraining(plan: Plan): PhaseWork {
  const { before, ...rest } = languageModel(plan.tokens, plan.model, plan.config);
  const writers = plan.config.eval_samples > 0 ? 2 : 1;
  return { before: together(before, times(writers, compiles(plan.model, 'write'))), ...rest };
}

export function scoringModel(plan: Plan, kind: ScoringModel): PhaseWork {
  const { model, train } = scoringModelOf(kind, plan.config, plan.model);
  return languageModel(plan.tokens, model, train);
}

export function rewardData({ config, model, tokens }: Plan): PhaseWork {
  const { train, val } = rewardSamples(config, tokens);
  return { ...none, before: compiles(model, 'write'), steps: writes(model, train + val) };
}

const criticOf = ({ config, model }: Plan): GPTConfig => scoringModelOf('critic', config, model).model;

export const wholeOf = ({ before, steps, after }: PhaseWork): Work => together(before, steps, after);
