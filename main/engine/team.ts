/**
 * Several processes that share a run: each computes a part, and an exchange gives every rank the same. All ranks run the same
 * program, so they make the same calls in the same order.
 */
import { concatBytes } from '../../shared/base/bytes.js';

export interface Sums {
  readonly vector: Float32Array;
  readonly numbers: readonly number[];
}

export interface Team {
  /** 0 … size − 1. Rank 0 stores the results. */
  readonly rank: number;
  readonly size: number;
  /** Changes only within the calls below, on every rank at the same one. */
  readonly stop: { readonly requested: boolean; readonly afterPhase?: boolean };
  /** Milliseconds spent on exchanges and on waiting for other ranks. */
  readonly waited: number;
  /**
   * Sums over all ranks, with the same bytes everywhere and every time.
   * @returns the sums; the next call overwrites the vector
   * @throws UserError `cluster` if another rank is gone, does not answer, or has failed; so do all of these
   */
  sum(vector: Float32Array, numbers: readonly number[]): Promise<Sums>;
  /** Collects bytes by rank; lengths may differ. */
  gather(bytes: Uint8Array): Promise<readonly Uint8Array[]>;
  /** Sends rank 0's bytes to all; the other ranks pass null. */
  share(bytes: Uint8Array | null): Promise<Uint8Array>;
  /** Agrees on `stop`, if nothing was exchanged since the last call. */
  agree(): Promise<void>;
}

/** A process without a team computes everything itself. */
export const alone = { rank: 0, size: 1 } as const;

/** Returns this rank's part of `count` items, from `first` to before `end`. */
export function shareOf({ rank, size }: Pick<Team, 'rank' | 'size'>, count: number) {
  return { first: Math.floor((rank * count) / size), end: Math.floor(((rank + 1) * count) / size) };
}

/** Joins the numbers of all ranks, in order of rank. */
export async function gatherNumbers(team: Team, own: Float32Array): Promise<Float32Array> {
  const parts = await team.gather(new Uint8Array(own.buffer, own.byteOffset, own.byteLength));
  return new Float32Array(concatBytes(parts).buffer);
}

/** Returns rank 0's numbers: machines may round differently, and decisions must be the same. */
export async function asFirstHas(team: Team | undefined, own: Float32Array): Promise<Float32Array> {
  if (!team) return own;
  const first = await team.share(team.rank === 0 ? new Uint8Array(own.buffer, own.byteOffset, own.byteLength) : null);
  return new Float32Array(first.slice().buffer);
}
