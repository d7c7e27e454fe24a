/**
 * Several processes that work on one run, as the engine sees them: each computes its share, and what they exchange is the
 * same everywhere afterwards. All of them take the same way through the program, so they meet at the same calls.
 */
import { concatBytes } from '../../shared/bytes.js';
import type { Environment } from './types.js';

export interface Sums {
  readonly vector: Float32Array;
  readonly numbers: readonly number[];
}

/** What a rank has done with its time since it joined. */
export interface RankTimes {
  /** Milliseconds that went into exchanging and into waiting for others. */
  readonly waited: number;
  /** Milliseconds of its steps without that, and the tokens of its share of them. */
  readonly computed: number;
  readonly tokens: number;
}

export interface Team {
  /** This one's number, 0 … size − 1. Rank 0 keeps what is made. */
  readonly rank: number;
  readonly size: number;
  /** In base training: steps that each takes by itself, before weights are averaged; 1: gradients are summed at every step. */
  readonly every: number;
  /**
   * What the person wants to end, as all have agreed: it changes only within the calls below, everywhere at the same one. While it
   * is to be paused, all wait within one of them.
   */
  readonly stop: Environment['stop'];
  /** Milliseconds that went into exchanging and into waiting for others, so far. */
  readonly waited: number;
  /** By rank, as of the last sum: of the others it is what they had told by then. */
  readonly ranks: readonly RankTimes[];
  /** Where each listens, by rank, for people. */
  readonly places: readonly string[];
  /** Adds to what this rank has computed, for `ranks`. */
  computed(milliseconds: number, tokens: number): void;
  /**
   * The sums over all ranks, number by number: the same bytes everywhere, and again with as many ranks.
   * @param vector may travel rounded to bfloat16
   * @param numbers a few more, which never do
   * @returns the sums; of the vector in memory that the next call writes to again
   * @throws UserError `cluster` when another rank is gone, does not answer, or has failed; so do all of these
   */
  sum(vector: Float32Array, numbers: readonly number[]): Promise<Sums>;
  /** What every rank gives, by rank; lengths may differ. */
  gather(bytes: Uint8Array): Promise<readonly Uint8Array[]>;
  /** What rank 0 gives; the others give null. */
  share(bytes: Uint8Array | null): Promise<Uint8Array>;
  /** Agrees on `stop`, where nothing else has been exchanged since the last time. */
  agree(): Promise<void>;
  /** By rank 0: what all of them hear within their next exchange, the same one everywhere. Short. */
  tell(news: Uint8Array): void;
  /** Who hears that, on rank 0 too; the last one named does. */
  onTold(listener: (news: Uint8Array) => void): void;
}

/** Who works with nobody else has all of it. */
export const alone = { rank: 0, size: 1 } as const;

/** The part of `count` things that lie side by side which is this rank's: from `first`, up to but without `end`. */
export function shareOf({ rank, size }: Pick<Team, 'rank' | 'size'>, count: number) {
  return { first: Math.floor((rank * count) / size), end: Math.floor(((rank + 1) * count) / size) };
}

/** Numbers that each rank has of its part, as all of them in order. */
export async function gatherNumbers(team: Team, own: Float32Array): Promise<Float32Array> {
  const parts = await team.gather(new Uint8Array(own.buffer, own.byteOffset, own.byteLength));
  return new Float32Array(concatBytes(parts).buffer);
}

/**
 * Numbers that every rank has computed for itself, as rank 0 has them: machines may round differently, and what is decided
 * by them is to be decided alike.
 */
export async function asFirstHas(team: Team | undefined, own: Float32Array): Promise<Float32Array> {
  if (!team) return own;
  const told = await team.share(team.rank === 0 ? new Uint8Array(own.buffer, own.byteOffset, own.byteLength) : null);
  return new Float32Array(told.slice().buffer);
}
