/**
 * What the cycle works on and what it reports: the store that it finds and leaves its results in, the report of a cycle,
 * and the names and seeds that follow from a cycle's number.
 */
import type { ProjectConfig } from '../../shared/config/index.js';
import type { GPTConfig, RewardKind } from '../../shared/config/model.js';
import type { RunControl } from './control.js';
import type { GrpoResult } from './grpo.js';
import type { Judgement } from './judgement.js';
import type { Settled } from './reward-data.js';
import type { RewardReport } from './reward-report.js';
import type { TrainResult } from './train.js';
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
  hasModel(name: string): Promise<boolean>;
  loadModel(name: string): Promise<StoredModel | null>;
  saveModel(name: string, model: StoredModel, facts: Readonly<Record<string, unknown>>): Promise<void>;
  openRewardData(name: string): Promise<RewardData | null>;
  /** Begins a dataset, or goes on with the one that an earlier run of the same settings has begun. */
  createRewardData(name: string, generator: StoredModel, seed: number): Promise<RewardDataSink>;
  /** Keeps completions of a GRPO step; those after a checkpoint that is gone on from are kept again. */
  keepCompletions?(cycle: number, completions: readonly Completion[]): void;
  /** Keeps what the reward model of a cycle makes of each validation sample, in their order: P(natural). */
  savePredictions?(cycle: number, predictions: Float32Array): Promise<void>;
  loadReport(cycle: number): Promise<CycleReport | null>;
  saveReport(report: CycleReport): Promise<void>;
}

export interface RewardData {
  readonly train: RewardSamples;
  readonly val: RewardSamples;
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

/** What every part of a cycle is given. */
export interface Project {
  readonly config: ProjectConfig;
  readonly store: ProjectStore;
  readonly tokens: PreparedTokens;
  readonly env: Environment;
  readonly control: RunControl | undefined;
}

/** base_model_v1 before the first cycle, base_model_v2 after it, … */
export const generatorName = (cycle: number): string => `base_model_v${cycle + 1}`;

/** A seed of its own for each cycle, so that no two cycles see the same prompts or noise. Seeds have 32 bits. */
export const cycleSeed = (seed: number, cycle: number): number => seed + cycle * 2 ** 32;
