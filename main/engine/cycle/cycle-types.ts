/**
 * What the cycle works on: the store that it finds and leaves its results in, and the names and seeds that follow from a cycle's number.
 */
import type { ProjectStop } from '../../../shared/judging.js';
import type { CycleReport, EndReason } from '../../../shared/reports/report.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { artefactName } from '../../../shared/phases/index.js';
import type { RunControl } from '../control.js';
import type { Settled } from '../reward/reward-data.js';
import type { CheckpointSlot, Environment, NamedArrays, RewardSamples, TokenIds, TokenSource } from '../types.js';
import type { TokenizationMethod, Vocabulary } from '../tokenizer/types.js';

export interface StoredModel {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
}

/** The text as the engine needs it. */
interface PreparedTokens extends Vocabulary {
  readonly train: TokenSource;
  readonly val: TokenSource;
  readonly method: TokenizationMethod;
}

/** Where a project's results live. Everything saved is whole or not there at all. */
export interface ProjectStore {
  prepare(): Promise<PreparedTokens>;
  /** What the first generator and the scoring models begin from; null, or left out: from nothing. */
  initialModel?(): Promise<StoredModel | null>;
  /** What the critic begins from, in the text's tokens; null, or left out: from what the generator does. */
  initialCritic?(): Promise<StoredModel | null>;
  /** Progress of the phase that makes `name`, for resuming in the middle of it. */
  slot(name: string): CheckpointSlot;
  hasModel(name: string): Promise<boolean>;
  loadModel(name: string): Promise<StoredModel | null>;
  saveModel(name: string, model: StoredModel, facts: Readonly<Record<string, unknown>>): Promise<void>;
  openRewardData(name: string): Promise<RewardData | null>;
  /** Begins a dataset, or resumes the one that an earlier run of the same settings has begun. */
  createRewardData(name: string, generator: StoredModel, seed: number): Promise<RewardDataSink>;
  /** Keeps completions of a GRPO step; those after a checkpoint that a run resumes from are kept again. */
  keepCompletions?(cycle: number, completions: readonly Completion[]): void;
  /** Keeps what the reward model of a cycle makes of each validation sample, in their order: P(natural). */
  savePredictions?(cycle: number, predictions: Float32Array): Promise<void>;
  loadReport(cycle: number): Promise<CycleReport | null>;
  saveReport(report: CycleReport): Promise<void>;
  /** Notes that a cycle begins, before anything of it is there or told: why it does is asked no more. */
  beginCycle?(cycle: number): void;
  /**
   * What people's votes on two versions come to, where they decide whether there is another cycle; left out: nobody votes.
   * Once the next cycle has begun (`beginCycle`) that is decided, whatever is said later.
   */
  peopleSay?(newest: string, previous: string): ProjectStop | undefined | Promise<ProjectStop | undefined>;
}

export interface RewardData {
  readonly train: RewardSamples;
  readonly val: RewardSamples;
}

interface RewardDataSink {
  /** What an earlier run has written already. */
  readonly settled: Readonly<Record<'train' | 'val', Settled>>;
  append(split: 'train' | 'val', x: TokenIds, y: Float32Array, settled: Settled): void | Promise<void>;
  finish(): Promise<void>;
  /** Keeps what is there for the next run. */
  close(): Promise<void>;
}

/** What the policy wrote at a step of GRPO, and what that was worth. */
export interface Completion {
  readonly prompt: string;
  readonly completion: string;
  readonly step: number;
  readonly reward: number;
  readonly advantage: number;
}

export interface CyclesResult {
  readonly reports: readonly CycleReport[];
  /** `votes`: not ended, people have to vote first. */
  readonly stopped_because: EndReason | 'votes';
  /** What is to be voted on, where that is so. */
  readonly awaits?: { readonly newest: string; readonly previous: string; readonly votes: number };
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
export const generatorName = (cycle: number): string => artefactName('base_model', cycle);

/** A seed of its own for each cycle, so that no two cycles see the same prompts or noise. Seeds have 32 bits. */
export const cycleSeed = (seed: number, cycle: number): number => seed + cycle * 2 ** 32;
