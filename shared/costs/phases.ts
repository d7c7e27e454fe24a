/**
 * Counts what the phases of a project compute: the one place for tokens and operations of a run, before it starts (wizard,
 * `preview`) and during it (time left). Each phase's declaration (../phases) names its count. Early stopping is not predicted.
 */
import { freshDiscriminatorSettings } from '../config/evaluation.js';
import { learnsTextFromCritic, PERPLEXITY_INTERVAL, quickTokens, type GrpoConfig } from '../config/grpo.js';
import type { ProjectConfig } from '../config/index.js';
import { initialModelPath } from '../config/init.js';
import {
  followsVoice,
  generatorOf,
  heldOutWindow,
  usesCritic,
  type GPTConfig,
  type RewardKind,
} from '../config/model.js';
import { rewardTraining, type RewardModelConfig } from '../config/reward-model.js';
import { scoringModelOf, type ScoringModel } from '../config/scoring-models.js';
import type { TrainConfig } from '../config/train.js';
import { passageShape, VOICE_ROUND, voicePassages } from '../config/voice.js';
import { comparedTokens, heldOutTokens, readAtMost } from './held-out.js';
import { textTokensRead } from './mixed-text.js';
import { compiles, flopsOf, headTrains, nothing, scores, times, together, trains, writes, type Work } from './work.js';

/** What costs depend on. */
export interface Plan {
  readonly config: Omit<ProjectConfig, 'vocab_size' | 'mode' | 'bias'>;
  /** The generator. */
  readonly model: GPTConfig;
  /** Of both splits of the text. */
  readonly tokens: Readonly<Record<'train' | 'val', number>>;
}

/** @param tokens of the whole text; null if unknown: what depends on it is not counted */
export function planOf(config: Plan['config'], vocabSize: number, tokens: number | null): Plan {
  const train = Math.floor((tokens ?? 0) * config.train_split);
  return { config, model: generatorOf(config, vocabSize), tokens: { train, val: (tokens ?? 0) - train } };
}

/** Work of a phase: `steps` is what its progress counts; the rest is done once. */
export interface PhaseWork {
  readonly before: Work;
  readonly steps: Work;
  readonly after: Work;
}

export const none: PhaseWork = { before: nothing, steps: nothing, after: nothing };

export const wholeOf = ({ before, steps, after }: PhaseWork): Work => together(before, steps, after);

/** Samples of reward data in each split. */
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

/** Evaluation on held-out text in windows: all of it or at most `most` tokens. */
const evaluates = (model: GPTConfig, tokens: number, most: number): Work =>
  scores({ ...model, block_size: heldOutWindow(model) }, readAtMost(model, tokens, most));

/** Training of a language model: generator, critic or judge. */
function languageModel(
  tokens: Plan['tokens'],
  model: GPTConfig,
  config: TrainConfig,
  last = heldOutTokens(model, config).last,
): PhaseWork {
  const { batch_size, gradient_accumulation_steps, eval_interval, max_iters: steps } = config;
  const { each } = heldOutTokens(model, config);
  return {
    before: together(compiles(model, 'train'), compiles(model, 'score')),
    steps: together(
      trains(model, steps * gradient_accumulation_steps * batch_size * model.block_size),
      times(Math.ceil(steps / eval_interval), evaluates(model, tokens.val, each)),
    ),
    after: evaluates(model, tokens.val, last),
  };
}

/** Base training. Its samples are under a twentieth of it and not counted, but their graphs are. */
export function baseTraining({ tokens, model, config }: Plan): PhaseWork {
  const { before, ...rest } = languageModel(tokens, model, config);
  // A model that could write is measured before its first step, too.
  const measured = initialModelPath(config) === null ? nothing : rest.after;
  return { before: together(before, measured, times(2, compiles(model, 'write'))), ...rest };
}

export function scoringModel({ tokens, config, model: generator }: Plan, kind: ScoringModel): PhaseWork {
  const { model, train } = scoringModelOf(kind, config, generator);
  return languageModel(tokens, model, train, comparedTokens([model, train], [generator, config]));
}

export function rewardData({ config, model, tokens }: Plan): PhaseWork {
  const { train, val } = rewardSamples(config, tokens);
  return { ...none, before: compiles(model, 'write'), steps: writes(model, train + val) };
}

const criticOf = ({ config, model }: Pick<Plan, 'config' | 'model'>): GPTConfig =>
  scoringModelOf('critic', config, model).model;

/** Network of the project's reward model: the critic's for a critic, else the generator's. */
export const rewardNetworkOf = (plan: Pick<Plan, 'config' | 'model'>): GPTConfig =>
  rewardNetwork(plan.config.reward_kind, plan.model, criticOf(plan));

function rewardNetwork(kind: RewardKind, generator: GPTConfig, critic: GPTConfig): GPTConfig {
  const { reward_head_hidden_dim } = generator;
  return { ...(usesCritic(kind) ? critic : generator), mode: 'reward', reward_kind: kind, reward_head_hidden_dim };
}

/** Training of a reward model of one kind (main/engine/reward). @param generator that wrote the samples */
function rewardModel(
  config: RewardModelConfig,
  kind: RewardKind,
  generator: GPTConfig,
  critic: GPTConfig,
  { train, val }: ReturnType<typeof rewardSamples>,
): PhaseWork {
  const model = rewardNetwork(kind, generator, critic);
  const T = model.block_size;
  const compared = together(scores(critic, T), scores(generator, T));
  if (kind === 'critic') {
    return { before: times(2, compiles(model, 'score')), steps: times(train, compared), after: times(val, compared) };
  }
  return {
    before: together(compiles(model, 'score'), compiles(model, 'head'), scores(model, (train + val) * T)),
    steps: headTrains(model, config.reward_max_iters * Math.min(rewardTraining.batchSize, train)),
    after: nothing,
  };
}

export const rewardModels = (plan: Plan): PhaseWork =>
  rewardModel(
    plan.config,
    plan.config.reward_kind,
    plan.model,
    criticOf(plan),
    rewardSamples(plan.config, plan.tokens),
  );

/**
 * One step of GRPO: completions are written, read by the reference and the reward model, and learned from.
 * @param own the reward model's network, unless it is a head on the reference
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
  // From the second update on, the policy differs from the one that wrote, whose probabilities are read first.
  const readers = updates > 1 ? [model, model, ...own] : [model, ...own];
  return together(
    writes(model, passages),
    ...readers.map((network) => scores(network, passages * T)),
    trains(model, updates * (passages + mixed) * T),
  );
}

/** One step of following the voice: the best and the worst of each group are learned from, with the text. */
export function voiceStep(model: GPTConfig, { prompts_per_step: groups }: Pick<GrpoConfig, 'prompts_per_step'>): Work {
  const short = { ...model, block_size: passageShape(model).length };
  // The backward pass ends at the upper half's first block.
  return times(0.6, trains(short, 3 * groups * short.block_size));
}

/** Reading of passages by one model. */
const voiceReads = (short: GPTConfig, passages: number): Work => scores(short, passages * short.block_size);

function voice({ config, model, tokens }: Plan): PhaseWork {
  const { grpo_max_steps: steps, prompts_per_step: groups, group_size } = config;
  const rounds = Math.ceil(steps / VOICE_ROUND);
  const short = { ...model, block_size: passageShape(model).length };
  const passages = rounds * VOICE_ROUND * groups * group_size;
  const look = evaluates(model, tokens.val, quickTokens(model));
  return {
    before: together(compiles(model, 'write'), compiles(model, 'train'), times(2, compiles(model, 'score')), look),
    steps: together(
      ...[times(steps, voiceStep(model, config)), times(rounds, look)],
      ...[writes(short, passages), voiceReads(short, passages)],
    ),
    after: evaluates(model, tokens.val, heldOutTokens(model, config).last),
  };
}

/** How a version sounds: its passages, and once those of the untrained model and of the text. */
function voiceMeasured({ config, model, tokens }: Plan, cycle: number): Work {
  if (!followsVoice(config.reward_kind) || config.max_cycles === 0) return nothing;
  const shape = passageShape(model);
  const short = { ...model, block_size: shape.length };
  const { version, read, classifiers, floor } = voicePassages(tokens.val, shape);
  const once = cycle === 0 ? together(writes(short, classifiers + floor), voiceReads(short, 2 * read)) : nothing;
  return together(
    compiles(model, 'write'),
    compiles(model, 'score'),
    writes(short, version),
    voiceReads(short, read),
    once,
  );
}

/** GRPO with its evaluations, or following the voice. */
export function grpo(plan: Plan): PhaseWork {
  const { config, model, tokens } = plan;
  if (followsVoice(config.reward_kind)) return voice(plan);
  const { grpo_max_steps: steps, grpo_eval_prompts: prompts, ptx_batch_size } = config;
  const reward = rewardNetworkOf(plan);
  const own = usesCritic(config.reward_kind) ? [reward] : [];
  const judged = own.length > 0 ? [reward, model] : [reward];
  const T = model.block_size;
  // Mean reward on held-out prompts, before the first step and after the last.
  const rewarded = together(writes(model, prompts), ...judged.map((network) => scores(network, prompts * T)));
  const readsText = learnsTextFromCritic(config) ? own : [];
  return {
    before: together(
      ...[compiles(model, 'write'), compiles(model, 'train')],
      times(2 + 2 * judged.length, compiles(model, 'score')),
      rewarded,
    ),
    steps: together(
      times(steps, grpoStep(model, own, config)),
      ...readsText.map((network) =>
        scores(network, textTokensRead(tokens.train, steps * ptx_batch_size, { blockSize: T, width: network.n_embd })),
      ),
      times(Math.ceil(steps / PERPLEXITY_INTERVAL), evaluates(model, tokens.val, quickTokens(model))),
    ),
    after: together(rewarded, evaluates(model, tokens.val, heldOutTokens(model, config).last)),
  };
}

/** Work that a cycle spends on its generator; the critic belongs to the first cycle, which trains it. */
function cycleWork(plan: Plan, cycle: number): Work {
  if (followsVoice(plan.config.reward_kind)) return wholeOf(grpo(plan));
  const critic = cycle === 1 && usesCritic(plan.config.reward_kind) ? [scoringModel(plan, 'critic')] : [];
  return together(...[rewardData(plan), rewardModels(plan), grpo(plan), ...critic].map(wholeOf));
}

/** Steps of base training in a cycle's control: a share of the cycle's work; at least 1. */
export function controlSteps(plan: Plan, cycle: number): number {
  const { eval_interval: steps, control_share: share } = plan.config;
  // Includes the share of evaluations.
  const perStep = flopsOf(baseTraining({ ...plan, config: { ...plan.config, max_iters: steps } }).steps) / steps;
  return Math.max(1, Math.round((share * flopsOf(cycleWork(plan, cycle))) / perStep));
}

/** A cycle's control: training on for a share of its work, twice, and what both models write. */
function control(plan: Plan, cycle: number, judge: GPTConfig): Work {
  const { config, model } = plan;
  if (cycle === 0 || config.control_share === 0) return nothing;
  // Two generators, with prompts and without.
  const passages = 4 * config.judge_passages;
  return together(
    times(2 * config.control_share, cycleWork(plan, cycle)),
    ...[times(2, compiles(model, 'train')), times(2, compiles(model, 'write'))],
    ...[writes(model, passages), scores(judge, passages * model.block_size)],
  );
}

/** Evaluation: the judge reads what the generator writes; a fresh discriminator and the control are trained. */
export function evaluation(plan: Plan, cycle: number): PhaseWork {
  const { config, model, tokens } = plan;
  const passages = 2 * config.judge_passages; // with and without prompts
  const voiceOnly = voiceMeasured(plan, cycle);
  if (passages === 0) return { ...none, before: voiceOnly };
  const judge = scoringModelOf('judge', config, model).model;
  const { block_size: T } = model;
  const settings = freshDiscriminatorSettings(config, { block_size: T, valTokens: tokens.val });
  const samples = rewardSamples(settings, tokens);
  return {
    ...none,
    before: together(
      voiceOnly,
      ...[times(2, compiles(model, 'write')), compiles(judge, 'score')],
      writes(model, passages + samples.train + samples.val),
      // Natural text is read once.
      scores(judge, (cycle === 0 ? 2 : 1) * passages * T),
      wholeOf(rewardModel(settings, settings.reward_kind, model, judge, samples)),
      control(plan, cycle, judge),
    ),
  };
}
