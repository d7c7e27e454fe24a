/**
 * The engine's environment, inputs and outputs. It opens no files and reads no clock itself, so that every phase is a function of
 * (weights, configuration, seed).
 */
import type { GPTConfig } from '../../shared/config/model.js';
import type { JobEvent } from '../../shared/phases/events.js';
import type { PhaseControl } from './control.js';
import type { Precision, Runtime } from './runtime/types.js';
import type { Team } from './team.js';

export interface Environment {
  readonly runtime: Runtime;
  emit(event: JobEvent): void;
  /** Milliseconds; for rates and time left, and to convert minutes to steps. */
  now(): number;
  /** Whether the user wants to stop: now, between two steps, or after the phase. */
  readonly stop: { readonly requested: boolean; readonly afterPhase?: boolean };
  /** Live changes. */
  readonly control?: PhaseControl;
  /** Operations a second of the machine's best matrix product; only for figures. */
  readonly peaks?: Readonly<Partial<Record<Precision, number>>>;
  /** Bytes that the process may use; unlimited by default. */
  readonly memory?: number;
  /** The processes that share the run; none by default. */
  readonly team?: Team;
  /** Handles signals and messages between two blocking steps, and waits while the run is paused. */
  yieldToEventLoop(): Promise<void>;
}

/** Token ids: 16 bits as in nanoGPT's files, 32 for larger vocabularies. */
export type TokenIds = Uint16Array | Uint32Array;

/** A sequence of token ids, possibly larger than memory. */
export interface TokenSource {
  readonly length: number;
  /** Reads ids [position, position + count). @throws RangeError outside the source */
  read(position: number, count: number): TokenIds;
}

/** A reward dataset: x is (count, blockSize) ids, y is (count, 2) probabilities. */
export interface RewardSamples {
  readonly numSamples: number;
  readonly blockSize: number;
  x(first: number, count: number): TokenIds;
  y(first: number, count: number): Float32Array;
}

export interface HostArray {
  readonly shape: readonly number[];
  /** Decoded on each access if a file stores fewer bytes: read once for a loop, and release it soon. */
  readonly data: Float32Array;
}
export type NamedArrays = Readonly<Record<string, HostArray>>;

/** A network and its weights. */
export interface LanguageModel {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Everything a phase needs to resume exactly where it was. */
export interface Checkpoint {
  readonly weights: NamedArrays;
  readonly optimizer?: NamedArrays;
  readonly state: { readonly [key: string]: Json };
}

/** Stores a phase's checkpoint atomically. */
export interface CheckpointSlot {
  latest(): Promise<Checkpoint | null>;
  /** Writes arrays out of a session one after the other: copy what is to outlive the call. */
  save(checkpoint: Checkpoint, step: number): Promise<void>;
  /** Reports whether a regular checkpoint is due; always by default. */
  due?(): boolean;
}

/** For short phases, which start over after a stop. */
export const nothingKept: CheckpointSlot = { latest: async () => null, save: async () => undefined };
