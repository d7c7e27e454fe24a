/**
 * What the engine needs from outside and hands back: it opens no files and reads no clock itself,
 * so that every phase is a function of (weights, configuration, seed) and can be tested and repeated.
 */
import type { JobEvent } from '../../shared/phases/events.js';
import type { PhaseControl } from './control.js';
import type { Precision, Runtime } from './runtime/types.js';
import type { Team } from './team.js';

/** The world around a phase. */
export interface Environment {
  readonly runtime: Runtime;
  emit(event: JobEvent): void;
  /** Milliseconds; for rates and time left, and never for results, but for steps that are to fit into minutes. */
  now(): number;
  /** What the person wants to end: at once, between two steps, or once the phase is over; or to wait between two steps. */
  readonly stop: { readonly requested: boolean; readonly afterPhase?: boolean };
  /** What was changed while it runs, asked before every step; left out: nothing is. */
  readonly control?: PhaseControl;
  /** Operations a second of the machine's best matrix product, where known; only for figures, never for results. */
  readonly peaks?: Readonly<Partial<Record<Precision, number>>>;
  /** Bytes that the process may use; left out: as many as it takes. */
  readonly memory?: number;
  /** The others that work on the same run, each with its share of it; left out: this process works alone. */
  readonly team?: Team;
  /** Lets signals and messages in between two blocking steps; while the person pauses, it waits. */
  yieldToEventLoop(): Promise<void>;
}

/** Token ids: in 16 bits as nanoGPT's files hold them, in 32 where a vocabulary is larger than that. */
export type TokenIds = Uint16Array | Uint32Array;

/** A sequence of token ids of any length, read by position; larger than memory is fine. */
export interface TokenSource {
  readonly length: number;
  /** Ids [position, position + count). Throws a RangeError outside the source. */
  read(position: number, count: number): TokenIds;
}

/** A reward dataset, read by position: x is (count, blockSize) ids, y is (count, 2) probabilities. */
export interface RewardSamples {
  readonly numSamples: number;
  readonly blockSize: number;
  x(first: number, count: number): TokenIds;
  y(first: number, count: number): Float32Array;
}

/** A named tensor on the host. */
export interface HostArray {
  readonly shape: readonly number[];
  /** Of what a file holds in fewer bytes, decoded each time: ask once for a loop, and hold on to it no longer than needed. */
  readonly data: Float32Array;
}
export type NamedArrays = Readonly<Record<string, HostArray>>;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Everything a phase needs to resume exactly where it was. */
export interface Checkpoint {
  readonly weights: NamedArrays;
  readonly optimizer?: NamedArrays;
  readonly state: { readonly [key: string]: Json };
}

/** Where a phase keeps its progress; storage makes it atomic. */
export interface CheckpointSlot {
  latest(): Promise<Checkpoint | null>;
  /** Its arrays are taken out of a session while they are written, one after the other: whoever keeps it copies them. */
  save(checkpoint: Checkpoint, step: number): Promise<void>;
  /** Whether a checkpoint that nobody has asked for is worth its time now. Left out: always. */
  due?(): boolean;
}

/** For what is over in a minute or two: when it is stopped, it begins again. */
export const nothingKept: CheckpointSlot = { latest: async () => null, save: async () => undefined };
