/** GRPO's options, the completions of a step, and the inputs and outputs of an update. */
import type * as tf from '@tensorflow/tfjs';
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { TextLoss } from '../../../shared/reports/report.js';
import type { Parameters } from '../model/model.js';
import type { Drawing } from '../model/sampling-rule.js';
import type { TokenizationMethod, Vocabulary } from '../tokenizer/types.js';
import type { Batch } from '../train/dataset.js';
import type { CheckpointSlot, Environment, NamedArrays, TokenIds, TokenSource } from '../types.js';
import type { Rewarded } from './reward-shape.js';
import type { ShownCompletion } from './step-report.js';

export interface GrpoOptions extends Drawing {
  readonly model: GPTConfig;
  /** Weights of the generator that the cycle began with: the initial policy, and the reference. */
  readonly policy: NamedArrays;
  /** Its loss on `valTokens`, if it is known, and how many of them are measured. */
  readonly heldOut?: TextLoss | null;
  readonly measuredTokens?: number;
  readonly rewardModel: GPTConfig;
  readonly rewardWeights: NamedArrays;
  readonly trainTokens: TokenSource;
  readonly valTokens: TokenSource;
  readonly config: GrpoConfig;
  readonly tokenization: TokenizationMethod;
  /** Without it losses are by token only. */
  readonly vocabulary?: Vocabulary;
  readonly seed: number;
  readonly slot: CheckpointSlot;
  /** Receives some completions of each step, for users to read. */
  onCompletions?(completions: readonly ShownCompletion[]): void;
  readonly env: Environment;
}

/** ids (N, T), the completions of a group next to each other. */
export interface WrittenGroups {
  readonly ids: TokenIds;
  readonly promptLengths: readonly number[];
}

export interface ScoredGroups extends Rewarded {
  /** (N, T − 1): log p of tokens 1 … T−1 under the reference. */
  readonly referenceLogProbs: Float32Array;
  /** The teachers' hidden states, for expected evidence. The updater disposes of them. */
  readonly read?: TeachersRead | undefined;
}

/** Completions of one step on the host; `advantages` is (N), or (N, T − 1) with one for each predicted token. */
export type Rollouts = WrittenGroups & Pick<ScoredGroups, 'advantages' | 'referenceLogProbs' | 'read'>;

/** Hidden states of the tokens 0 … T−2, (N, T−1, C) each. */
export type TeachersRead = { readonly critic: tf.Tensor; readonly writer: tf.Tensor };

/** A network that is only read. */
export interface Teacher {
  readonly model: GPTConfig;
  readonly parameters: Parameters;
}

/** The networks of expected evidence: the critic, and the generator that the cycle began with. */
export type Teachers = Readonly<Record<keyof TeachersRead, Teacher>>;

/** Passages with the critic's hidden states. x: (B, T) ids; hidden: (B, T, the critic's width). */
export interface ReadText {
  readonly x: Int32Array;
  readonly hidden: Float32Array;
}

/** Ordinary text for the pre-training mix: with the next tokens, or with the critic's hidden states. */
export type MixedText = Batch | ReadText;

export interface UpdateExtras {
  /** Override the configuration's β and learning rate. */
  readonly beta: number;
  readonly learningRate: number;
  readonly text: MixedText | null;
}

/** The result of one pass. `ptx`: the loss of the mixed-in text. */
export interface UpdateNumbers {
  readonly loss: number;
  readonly gradNorm: number;
  readonly kl: number;
  readonly entropy: number;
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly ptx?: number;
}
