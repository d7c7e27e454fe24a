/**
 * The product in one function: prepare, train, then cycle after cycle sample, score, update, evaluate, checkpoint
 * (seed 000, part 4). Models and data are named as in the seeds: base_model_v1 → reward_data_v1 → reward_model_v1 →
 * base_model_v2 → … What is finished already is taken from the store, so running it again goes on where it stopped.
 */
import type { ProjectConfig } from '../../shared/config/index.js';
import { rewardKinds, usesCritic, type GPTConfig, type RewardKind } from '../../shared/config/model.js';
import type { PhaseName } from '../../shared/events.js';
import { stopHereIf, type RunControl } from './control.js';
import { initialEarlyStopping, updateEarlyStopping, type EarlyStoppingState } from './early-stopping.js';
import { freshDiscriminator } from './fresh-discriminator.js';
import { generate } from './generate.js';
import { trainGrpo, type GrpoResult } from './grpo.js';
import { judgeWriting, type Judgement } from './judgement.js';
import { perplexity } from './perplexity.js';
import { samplePrompts } from './prompts.js';
import { criticName, judgeName, trainReader } from './readers.js';
import { makeRewardData, type Settled } from './reward-data.js';
import { isBlind, rewardVerdict, type RewardReport } from './reward-report.js';
import { trainRewardModel, type LanguageModel, type RewardModelResult } from './reward.js';
import { streams } from './rng.js';
import { createCopyIndex } from './text-statistics.js';
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
  /** Of the kind that rewards. */
  readonly reward_model: RewardReport | null;
  /** Of every kind that was trained in this cycle, on the same samples. */
  readonly reward_models: Readonly<Partial<Record<RewardKind, RewardReport>>>;
  readonly critic: CriticReport | null;
  readonly grpo: GrpoResult | null;
  /** What the independent judge makes of that generator; null when no judge was asked for. */
  readonly judgement: JudgementReport | null;
  readonly samples: readonly Sample[];
}

export interface CriticReport {
  readonly name: string;
  readonly val_loss: number;
  /** How many nats per token it is ahead of the generator that the cycle began with. */
  readonly lead_nats: number;
}

export interface JudgementReport {
  readonly judge: string;
  readonly generator: Judgement;
  /** Held-out text, judged in the same way. */
  readonly natural: Judgement;
  /** Nats per token by which the judge finds this generator's writing likelier than base_model_v1's; null for that one. */
  readonly gain: { readonly unconditional: number; readonly prompted: number } | null;
  /** How well a discriminator that was trained afresh tells this generator's passages from natural ones. */
  readonly fresh_discriminator: RewardReport;
}

export interface CyclesResult {
  readonly reports: readonly CycleReport[];
  /** `critic`: the generator has caught up with it, so that a reward would be noise. */
  readonly stopped_because: 'max_cycles' | 'perplexity' | 'critic';
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
    if (report === null) return { reports, stopped_because: 'critic' };
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
  const judgement = await judge(project, 0, { model, weights });
  const report: CycleReport = {
    cycle: 0,
    name,
    val_loss: result.val_loss,
    perplexity: result.perplexity,
    base: result,
    reward_samples: null,
    reward_model: null,
    reward_models: {},
    critic: null,
    grpo: null,
    judgement,
    samples: await showSamples(project, { model, weights }),
  };
  await store.saveReport(report);
  return report;
}

/**
 * Cycle n: reward_data_vn, reward_model_vn, base_model_v(n+1). Null where a critic's evidence is no more than chance: the
 * generator has caught up.
 */
async function runCycle(project: Project, cycle: number): Promise<CycleReport | null> {
  const { config, store, tokens, env } = project;
  const seed = cycleSeed(config.seed, cycle);
  const generator = await requireModel(store, generatorName(cycle - 1));

  const dataName = `reward_data_v${cycle}`;
  const data = await during(project, 'reward_data', cycle, dataName, (inside) =>
    sampleRewardData(project, generator, dataName, seed, inside),
  );

  const { rewardModel, reports, critic } = await rewardModelOf(project, cycle, generator, data, seed);
  const blind = isBlind(rewardModel.report);
  if (blind && usesCritic(config.reward_kind)) {
    const message = `Stopped before GRPO of cycle ${cycle}: the generator has caught up with its critic. ${rewardVerdict(rewardModel.report)}`;
    env.emit({ event: 'notice', level: 'info', code: 'critic_caught_up', message });
    return null;
  }
  env.emit({
    event: 'notice',
    level: blind ? 'warning' : 'info',
    code: blind ? 'reward_blind' : 'reward_sees',
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
  const judgement = await judge(project, cycle, improved);
  const report: CycleReport = {
    cycle,
    name,
    val_loss: Math.log(result.perplexity_after),
    perplexity: result.perplexity_after,
    base: null,
    reward_samples: { train: data.train.numSamples, val: data.val.numSamples },
    reward_model: rewardModel.report,
    reward_models: reports,
    critic,
    grpo: result,
    judgement,
    samples: await showSamples(project, improved),
  };
  await store.saveReport(report);
  return report;
}

interface RewardData {
  readonly train: RewardSamples;
  readonly val: RewardSamples;
}

/** reward_model_vn of the chosen kind, and what the others see where that was asked for. */
async function rewardModelOf(project: Project, cycle: number, generator: StoredModel, data: RewardData, seed: number) {
  const { config, store, env } = project;
  const name = `reward_model_v${cycle}`;
  const train = (kind: RewardKind, slot: string, critic: LanguageModel | null) =>
    during(project, 'reward_model', cycle, kind === config.reward_kind ? name : `${name}_${kind}`, (inside) =>
      trainRewardModel({
        ...generator,
        ...(critic && usesCritic(kind) ? { critic } : {}),
        temperature: config.temperature,
        trainSamples: data.train,
        valSamples: data.val,
        config: { ...config, reward_kind: kind },
        seed,
        slot: store.slot(slot),
        env: inside,
      }),
    );

  const needsCritic = usesCritic(config.reward_kind) || config.reward_compare;
  let critic = needsCritic ? await criticFor(project, cycle, generator) : null;
  let rewardModel = await train(config.reward_kind, name, critic);
  for (let time = 1; critic && isBlind(rewardModel.report) && time <= config.critic_strengthen; time++) {
    if (!usesCritic(config.reward_kind)) break;
    const message = `The generator has caught up with ${critic.name}: it is trained on.`;
    env.emit({ event: 'notice', level: 'info', code: 'critic_strengthened', message });
    critic = await strengthened(project, cycle, critic, time);
    rewardModel = await train(config.reward_kind, `${name}_stronger_${time}`, critic);
  }
  await store.saveModel(name, rewardModel, { ...rewardModel.report });

  const reports: Partial<Record<RewardKind, RewardReport>> = { [config.reward_kind]: rewardModel.report };
  if (config.reward_compare) {
    for (const kind of rewardKinds) {
      if (reports[kind]) continue;
      const other: RewardModelResult = await train(kind, `${name}_${kind}`, critic);
      reports[kind] = other.report;
    }
  }
  return { rewardModel, reports, critic: critic && (await criticReport(project, generator, critic)) };
}

type NamedModel = StoredModel & { readonly name: string };

/** The newest critic of the project; the first is trained when it is first needed. */
async function criticFor(project: Project, cycle: number, { model }: StoredModel): Promise<NamedModel> {
  const { config, store, tokens } = project;
  for (let version = cycle; version >= 1; version--) {
    const there = await store.loadModel(criticName(version));
    if (there) return { ...there, name: criticName(version) };
  }
  const name = criticName(cycle);
  const made = await during(project, 'critic', cycle, name, (inside) =>
    trainReader('critic', { config, generator: model, tokens, slot: store.slot(name), env: inside }),
  );
  await store.saveModel(name, made, { ...made.result });
  return { ...made, name };
}

/** A critic trained on from where it is. It is kept, under this cycle's number, only for the cycles that follow. */
async function strengthened(project: Project, cycle: number, critic: NamedModel, time: number): Promise<NamedModel> {
  const { config, store, tokens } = project;
  const name = `${criticName(cycle)}_stronger_${time}`;
  const there = await store.loadModel(name);
  if (there) return { ...there, name };
  const stronger = { than: critic, version: cycle * 128 + time };
  const made = await during(project, 'critic', cycle, name, (inside) =>
    trainReader('critic', { config, generator: critic.model, tokens, stronger, slot: store.slot(name), env: inside }),
  );
  await store.saveModel(name, made, { ...made.result });
  return { ...made, name };
}

async function criticReport(project: Project, generator: StoredModel, critic: NamedModel): Promise<CriticReport> {
  const { tokens, env } = project;
  const lossOf = async (model: LanguageModel) => (await perplexity({ ...model, tokens: tokens.val, env })).loss;
  const loss = await lossOf(critic);
  return { name: critic.name, val_loss: loss, lead_nats: (await lossOf(generator)) - loss };
}

/** The independent judgement of a cycle's generator; the judge is trained once, in cycle 0. */
async function judge(project: Project, cycle: number, generator: StoredModel): Promise<JudgementReport | null> {
  const { config, store, tokens } = project;
  if (config.judge_passages === 0) return null;
  const there = await store.loadModel(judgeName);
  const judge: LanguageModel =
    there ??
    (await during(project, 'judge', 0, judgeName, (inside) =>
      trainReader('judge', {
        ...{ config, generator: generator.model, tokens, slot: store.slot(judgeName), env: inside },
      }),
    ));
  if (!there) await store.saveModel(judgeName, judge, {});
  return during(project, 'evaluation', cycle, generatorName(cycle), async (inside) => {
    const shared = { judge, vocabLimit: tokens.vocabSize, seed: config.seed, env: inside };
    const options = {
      ...{ ...shared, valTokens: tokens.val, copies: createCopyIndex(tokens.train), tokenization: tokens.method },
      ...{ generation: config, passages: config.judge_passages },
    };
    const first = cycle === 0 ? null : ((await store.loadReport(0))?.judgement ?? null);
    const judged = await judgeWriting(generator, options);
    const report: JudgementReport = {
      judge: judgeName,
      generator: judged,
      natural: first?.natural ?? (await judgeWriting(null, options)),
      gain: first && {
        unconditional: first.generator.unconditional.mean - judged.unconditional.mean,
        prompted: first.generator.prompted.mean - judged.prompted.mean,
      },
      fresh_discriminator: await freshDiscriminator({ ...shared, generator, tokens, config }),
    };
    inside.emit({ event: 'metrics', phase: 'evaluation', step: cycle, values: judgementValues(report) });
    return report;
  });
}

/** The dashboard's figures. */
const judgementValues = ({ generator, natural, gain, fresh_discriminator }: JudgementReport) => ({
  judge_nats: generator.unconditional.mean,
  judge_nats_prompted: generator.prompted.mean,
  natural_nats: natural.unconditional.mean,
  ...(gain && { judge_gain: gain.unconditional, judge_gain_prompted: gain.prompted }),
  distinct_3: generator.distinct_3,
  natural_distinct_3: natural.distinct_3,
  copied_share: generator.copied_share,
  natural_copied_share: natural.copied_share,
  fresh_discriminator_r2: fresh_discriminator.r2,
});

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
  judge: 'Training the judge',
  critic: 'Training the critic, a reader more experienced than the writer',
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
