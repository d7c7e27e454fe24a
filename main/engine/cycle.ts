/**
 * The product in one function: prepare, train, then cycle after cycle sample, score, update, evaluate, checkpoint
 * (seed 000, part 4). Models and data are named as in the seeds: base_model_v1 → reward_data_v1 → reward_model_v1 →
 * base_model_v2 → … What is finished already is taken from the store, so running it again goes on where it stopped.
 */
import type { ProjectConfig } from '../../shared/config/index.js';
import type { GPTConfig } from '../../shared/config/model.js';
import type { PhaseName } from '../../shared/events.js';
import { stopHereIf, type RunControl } from './control.js';
import { initialEarlyStopping, updateEarlyStopping, type EarlyStoppingState } from './early-stopping.js';
import { generate } from './generate.js';
import { trainGrpo, type GrpoResult } from './grpo.js';
import { samplePrompts } from './prompts.js';
import { makeRewardData, type Settled } from './reward-data.js';
import { isBlind, rewardVerdict, type RewardReport } from './reward-report.js';
import { trainRewardModel } from './reward.js';
import { streams } from './rng.js';
import { trainBase, type TrainResult } from './train.js';
import type { CheckpointSlot, Environment, NamedArrays, RewardSamples, TokenSource } from './types.js';

export interface StoredModel {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
}

/** The text as the engine needs it. */
export interface PreparedTokens {
  readonly train: TokenSource;
  readonly val: TokenSource;
  readonly method: 'bpe' | 'char';
  readonly vocabSize: number;
  decode(ids: Uint16Array): string;
}

/** Where a project's results live. Everything saved is whole or not there at all. */
export interface ProjectStore {
  prepare(): Promise<PreparedTokens>;
  /** Progress of the phase that makes `name`, for going on in the middle of it. */
  slot(name: string): CheckpointSlot;
  loadModel(name: string): Promise<StoredModel | null>;
  saveModel(name: string, model: StoredModel, facts: Readonly<Record<string, unknown>>): Promise<void>;
  openRewardData(name: string): Promise<{ readonly train: RewardSamples; readonly val: RewardSamples } | null>;
  /** Begins a dataset, or goes on with the one that an earlier run of the same settings has begun. */
  createRewardData(name: string, generator: StoredModel, seed: number): Promise<RewardDataSink>;
  /** Keeps completions of a GRPO step; those after a checkpoint that is gone on from are kept again. */
  keepCompletions?(cycle: number, completions: readonly Completion[]): void;
  loadReport(cycle: number): Promise<CycleReport | null>;
  saveReport(report: CycleReport): Promise<void>;
}

export interface RewardDataSink {
  /** What an earlier run has written already. */
  readonly settled: Readonly<Record<'train' | 'val', Settled>>;
  append(split: 'train' | 'val', x: Uint16Array, y: Float32Array, settled: Settled): void | Promise<void>;
  finish(): Promise<void>;
  /** Keeps what is there for the next run. */
  close(): Promise<void>;
}

export interface Sample {
  readonly prompt: string;
  readonly completion: string;
}

/** What the policy wrote at a step of GRPO, and what that was worth. */
export interface Completion extends Sample {
  readonly step: number;
  readonly reward: number;
  readonly advantage: number;
}

/** What a cycle did, in numbers and samples. Cycle 0 is base training. */
export interface CycleReport {
  readonly cycle: number;
  /** The generator that the cycle ended with. */
  readonly name: string;
  /** Of that generator, on the whole held-out split. */
  readonly val_loss: number;
  readonly perplexity: number;
  readonly base: TrainResult | null;
  readonly reward_samples: { readonly train: number; readonly val: number } | null;
  readonly reward_model: RewardReport | null;
  readonly grpo: GrpoResult | null;
  readonly samples: readonly Sample[];
}

export interface CyclesResult {
  readonly reports: readonly CycleReport[];
  readonly stopped_because: 'max_cycles' | 'perplexity';
}

/** Samples shown for every generator, always after the same prompts and with the same noise. */
const SHOWN_SAMPLES = 4;

/** A seed of its own for each cycle, so that no two cycles see the same prompts or noise. Seeds have 32 bits. */
export const cycleSeed = (seed: number, cycle: number): number => seed + cycle * 2 ** 32;

export async function runCycles(options: {
  readonly config: ProjectConfig;
  readonly store: ProjectStore;
  readonly env: Environment;
  /** What the person changes while it runs; left out: nothing. */
  readonly control?: RunControl;
}): Promise<CyclesResult> {
  const { config, store, env, control } = options;
  const tokens = await during({ env, control }, 'prepare', 0, undefined, () => store.prepare());
  const project: Project = { config, store, tokens, env, control };
  const maxCycles = () => control?.maxCycles(config.max_cycles) ?? config.max_cycles;

  const reports = [await trainFirstGenerator(project)];
  let patience = improvementOver(initialEarlyStopping, reports[0], config);
  for (let cycle = 1; cycle <= maxCycles(); cycle++) {
    const finished = await store.loadReport(cycle);
    const report = finished ? skipped(env, 'grpo', finished) : await runCycle(project, cycle);
    reports.push(report);
    patience = improvementOver(patience.state, report, config);
    if (patience.stop && cycle < maxCycles()) {
      const message = `Stopped after cycle ${cycle}: held-out perplexity has not improved for ${config.cycle_patience} cycle(s).`;
      env.emit({ event: 'notice', level: 'info', code: 'cycles_converged', message });
      return { reports, stopped_because: 'perplexity' };
    }
  }
  return { reports, stopped_because: 'max_cycles' };
}

interface Project {
  readonly config: ProjectConfig;
  readonly store: ProjectStore;
  readonly tokens: PreparedTokens;
  readonly env: Environment;
  readonly control: RunControl | undefined;
}

/** Cycle 0: base_model_v1. */
async function trainFirstGenerator(project: Project): Promise<CycleReport> {
  const { config, store, tokens, env } = project;
  const finished = await store.loadReport(0);
  if (finished) return skipped(env, 'base_training', finished);
  const name = generatorName(0);
  const model: GPTConfig = { ...modelOf(config), vocab_size: tokens.vocabSize, mode: 'generator' };
  const { weights, result } = await during(project, 'base_training', 0, name, (inside) =>
    trainBase({
      model,
      train: config,
      seed: config.seed,
      trainTokens: tokens.train,
      valTokens: tokens.val,
      slot: store.slot(name),
      env: inside,
    }),
  );
  await store.saveModel(name, { model, weights }, { ...result });
  const report: CycleReport = {
    cycle: 0,
    name,
    val_loss: result.val_loss,
    perplexity: result.perplexity,
    base: result,
    reward_samples: null,
    reward_model: null,
    grpo: null,
    samples: await showSamples(project, { model, weights }),
  };
  await store.saveReport(report);
  return report;
}

/** Cycle n: reward_data_vn, reward_model_vn, base_model_v(n+1). */
async function runCycle(project: Project, cycle: number): Promise<CycleReport> {
  const { config, store, tokens, env } = project;
  const seed = cycleSeed(config.seed, cycle);
  const generator = await requireModel(store, generatorName(cycle - 1));

  const dataName = `reward_data_v${cycle}`;
  const data = await during(project, 'reward_data', cycle, dataName, (inside) =>
    sampleRewardData(project, generator, dataName, seed, inside),
  );

  const rewardName = `reward_model_v${cycle}`;
  const rewardModel = await during(project, 'reward_model', cycle, rewardName, (inside) =>
    trainRewardModel({
      ...generator,
      trainSamples: data.train,
      valSamples: data.val,
      config,
      seed,
      slot: store.slot(rewardName),
      env: inside,
    }),
  );
  await store.saveModel(rewardName, rewardModel, { ...rewardModel.report });
  env.emit({
    event: 'notice',
    level: isBlind(rewardModel.report) ? 'warning' : 'info',
    code: isBlind(rewardModel.report) ? 'reward_blind' : 'reward_sees',
    message: rewardVerdict(rewardModel.report),
  });

  const name = generatorName(cycle);
  const { weights, result } = await during(project, 'grpo', cycle, name, (inside) =>
    trainGrpo({
      model: generator.model,
      policy: generator.weights,
      rewardModel: rewardModel.model,
      rewardWeights: rewardModel.weights,
      trainTokens: tokens.train,
      valTokens: tokens.val,
      config,
      generation: config,
      tokenization: tokens.method,
      vocabLimit: tokens.vocabSize,
      seed,
      slot: store.slot(name),
      onCompletions: (shown) =>
        store.keepCompletions?.(
          cycle,
          shown.map(({ prompt, completion, ...facts }) => ({
            ...facts,
            prompt: tokens.decode(prompt),
            completion: tokens.decode(completion),
          })),
        ),
      env: inside,
    }),
  );
  const improved: StoredModel = { model: generator.model, weights };
  await store.saveModel(name, improved, { ...result });
  const report: CycleReport = {
    cycle,
    name,
    val_loss: Math.log(result.perplexity_after),
    perplexity: result.perplexity_after,
    base: null,
    reward_samples: { train: data.train.numSamples, val: data.val.numSamples },
    reward_model: rewardModel.report,
    grpo: result,
    samples: await showSamples(project, improved),
  };
  await store.saveReport(report);
  return report;
}

/** Makes both splits of a reward dataset, or opens the one that is there. */
async function sampleRewardData(
  project: Project,
  generator: StoredModel,
  name: string,
  seed: number,
  env: Environment,
) {
  const { config, store, tokens } = project;
  const existing = await store.openRewardData(name);
  if (existing) return existing;
  const sink = await store.createRewardData(name, generator, seed);
  try {
    await makeRewardData({
      ...generator,
      tokens,
      config,
      generation: config,
      seed,
      vocabLimit: tokens.vocabSize,
      from: sink.settled,
      append: (split, x, y, settled) => sink.append(split, x, y, settled),
      env,
    });
    await sink.finish();
  } finally {
    await sink.close();
  }
  const made = await store.openRewardData(name);
  if (!made) throw new Error(`${name} is not there although it was written`);
  return made;
}

/** The same few prompts, from the held-out text, for every generator of the project. */
async function showSamples({ config, tokens, env }: Project, generator: StoredModel): Promise<Sample[]> {
  const { block_size } = generator.model;
  const place = { seed: config.seed, stream: streams.sample, step: 0 };
  const longest = Math.min(Math.max(1, Math.floor(block_size / 4)), tokens.val.length);
  const prompts = samplePrompts(tokens.val, SHOWN_SAMPLES, block_size, place).map((prompt) => prompt.slice(0, longest));
  const texts = await generate({
    ...generator,
    prompts,
    newTokens: 4 * block_size,
    temperature: config.temperature,
    topK: config.top_k,
    vocabLimit: tokens.vocabSize,
    seed: config.seed,
    stream: streams.sample,
    env,
  });
  // Texts that were cut short are not what the report is to hold.
  stopHereIf(env.stop.requested);
  return texts.map((ids, row) => {
    const length = prompts[row]?.length ?? 0;
    return { prompt: tokens.decode(ids.subarray(0, length)), completion: tokens.decode(ids.subarray(length)) };
  });
}

/** base_model_v1 before the first cycle, base_model_v2 after it, … */
const generatorName = (cycle: number): string => `base_model_v${cycle + 1}`;

async function requireModel(store: ProjectStore, name: string): Promise<StoredModel> {
  const model = await store.loadModel(name);
  if (!model) throw new Error(`${name} is missing from the project`);
  return model;
}

function modelOf(config: ProjectConfig): GPTConfig {
  const { block_size, vocab_size, n_layer, n_head, n_embd, dropout, bias, mode, reward_head_hidden_dim } = config;
  return { block_size, vocab_size, n_layer, n_head, n_embd, dropout, bias, mode, reward_head_hidden_dim };
}

function improvementOver(
  state: EarlyStoppingState,
  report: CycleReport | undefined,
  { cycle_patience, cycle_min_delta }: ProjectConfig,
) {
  const rule = { patience: cycle_patience, minDelta: cycle_min_delta, better: 'lower' } as const;
  return updateEarlyStopping(rule, state, report?.perplexity ?? NaN);
}

const phaseWords: Readonly<Record<PhaseName, string>> = {
  prepare: 'Preparing the text',
  base_training: 'Training the base model',
  reward_data: 'Writing passages for the reward model',
  reward_model: 'Training the reward model',
  grpo: 'Improving the generator with GRPO',
  evaluation: 'Evaluating',
};

/** Announces a phase, gives it an environment that knows its cycle, and announces its end. */
async function during<T>(
  { env, control }: Pick<Project, 'env' | 'control'>,
  phase: PhaseName,
  cycle: number,
  name: string | undefined,
  work: (env: Environment) => Promise<T>,
): Promise<T> {
  stopHereIf(env.stop.requested || env.stop.afterPhase === true);
  const about = { phase, cycle, ...(name === undefined ? {} : { name }) };
  const message = name === undefined ? phaseWords[phase] : `${phaseWords[phase]}: ${name}`;
  env.emit({ event: 'phase', state: 'started', ...about, message });
  const result = await work({
    ...env,
    ...(control && { control: control.within(phase, cycle) }),
    emit: (event) => {
      env.emit(event.event === 'metrics' ? { ...event, cycle } : event);
    },
  });
  env.emit({ event: 'phase', state: 'finished', ...about, message });
  return result;
}

function skipped(env: Environment, phase: PhaseName, report: CycleReport): CycleReport {
  const message = `${report.name} is already there.`;
  env.emit({ event: 'phase', phase, state: 'skipped', cycle: report.cycle, name: report.name, message });
  return report;
}
