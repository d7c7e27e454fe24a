/** The project that a cycle works on, its store, and the names and seeds of a cycle. */
import type { ProjectStop } from '../../../shared/judging.js';
import type { CycleReport, EndReason } from '../../../shared/reports/report.js';
import type { ProjectConfig } from '../../../shared/config/index.js';
import { artefactName } from '../../../shared/phases/index.js';
import type { TasteFeature } from '../../../shared/writing-taste.js';
import type { RunControl } from '../control.js';
import type { Settled } from '../reward/reward-data.js';
import type { CheckpointSlot, Environment, LanguageModel, RewardSamples, TokenIds, TokenSource } from '../types.js';
import type { ShownCompletion } from '../grpo/step-report.js';
import type { ReadableChoice } from '../voice/choices.js';
import { decodeContinued, type TokenizationMethod, type Vocabulary } from '../tokenizer/types.js';

interface PreparedTokens extends Vocabulary {
  readonly train: TokenSource;
  readonly val: TokenSource;
  readonly method: TokenizationMethod;
}

/** Stores a project's results, each whole or not at all. */
export interface ProjectStore {
  prepare(): Promise<PreparedTokens>;
  /** Loads the model that the first generator and the judge begin from; null: from scratch. */
  initialModel?(): Promise<LanguageModel | null>;
  /** Loads the model that the critic begins from, in the text's tokens; null: as the generator. */
  initialCritic?(): Promise<LanguageModel | null>;
  /** Returns the checkpoint of the phase that makes `name`. */
  slot(name: string): CheckpointSlot;
  loadModel(name: string): Promise<LanguageModel | null>;
  saveModel(name: string, model: LanguageModel, facts: Readonly<Record<string, unknown>>): Promise<void>;
  openRewardData(name: string): Promise<RewardData | null>;
  /** Starts a dataset, or resumes an earlier run's with the same settings. */
  createRewardData(name: string, generator: LanguageModel, seed: number): Promise<RewardDataSink>;
  /** Logs completions of a GRPO step, again for steps that a resumed run repeats. */
  keepCompletions?(cycle: number, completions: readonly Completion[]): void;
  /** Saves the reward model's P(natural) of each validation sample, in order. */
  savePredictions?(cycle: number, predictions: Float32Array): Promise<void>;
  /** The choices that a cycle learns from, as they were when it was requested. */
  loadChoices?(cycle: number): Promise<FrozenChoices | null>;
  /** The untrained model's continuations, written once. */
  loadVoice?(): Promise<VoiceTexts | null>;
  saveVoice?(texts: VoiceTexts): Promise<void>;
  loadReport(cycle: number): Promise<CycleReport | null>;
  saveReport(report: CycleReport): Promise<void>;
  /** Records that a cycle begins, before it stores or reports anything: later votes do not end it. */
  beginCycle?(cycle: number): void;
  /** Evaluates people's votes on two versions, which decide about the next cycle until it begins. */
  peopleSay?(newest: string, previous: string): ProjectStop | undefined | Promise<ProjectStop | undefined>;
}

/** The user's choices in the model's tokens, with what is held out to decide. */
export interface FrozenChoices {
  readonly training: readonly ReadableChoice[];
  readonly heldOut: readonly ReadableChoice[];
  readonly ignored: readonly TasteFeature[];
}

/** What is measured once in a project, and stored. */
export interface VoiceTexts {
  /** Continuations by the untrained model, of the training text for the classifiers and of held-out text for their floor. */
  readonly classifiers: readonly string[];
  readonly floor: readonly string[];
}

export interface RewardData {
  readonly train: RewardSamples;
  readonly val: RewardSamples;
}

interface RewardDataSink {
  readonly settled: Readonly<Record<'train' | 'val', Settled>>;
  append(split: 'train' | 'val', x: TokenIds, y: Float32Array, settled: Settled): void | Promise<void>;
  finish(): Promise<void>;
  close(): Promise<void>;
}

interface Completion {
  readonly prompt: string;
  readonly completion: string;
  readonly step: number;
  readonly reward: number;
  readonly advantage: number;
}

export interface CyclesResult {
  readonly reports: readonly CycleReport[];
  /** `votes`: not ended, but waiting for people's votes. */
  readonly stopped_because: EndReason | 'votes';
  readonly awaits?: { readonly newest: string; readonly previous: string; readonly votes: number };
}

export interface Project {
  readonly config: ProjectConfig;
  readonly store: ProjectStore;
  readonly tokens: PreparedTokens;
  readonly env: Environment;
  readonly control: RunControl | undefined;
}

/** Returns what logs a cycle's completions, as texts. */
export const keeping =
  ({ store, tokens }: Project, cycle: number) =>
  (shown: readonly ShownCompletion[]): void =>
    store.keepCompletions?.(
      cycle,
      shown.map(({ prompt, completion, ...facts }) => ({
        ...facts,
        ...decodeContinued(tokens, Uint32Array.of(...prompt, ...completion), prompt.length),
      })),
    );

/** Returns base_model_v1 before the first cycle, base_model_v2 after it, … */
export const generatorName = (cycle: number): string => artefactName('base_model', cycle);

/** Returns a seed for each cycle, so that no two have the same prompts or noise. Seeds have 32 bits. */
export const cycleSeed = (seed: number, cycle: number): number => seed + cycle * 2 ** 32;
