/** What is fuzzed: a reader of Verisim's, good files for it, hostile ones, and a second reading to compare it with. */

import type { Limits } from './protocol.js';

/** A file by its name, whose ending may say what kind it is. */
export interface Sample {
  readonly name: string;
  readonly bytes: Buffer;
  /** From where to where its structure lies: each of these bytes is changed in turn. The whole file when left out. */
  readonly structure?: readonly (readonly [begin: number, end: number])[];
  /** It is only damaged at random: another file has been through the rest. */
  readonly onlyRandom?: boolean;
}

export type Reading = string | null | typeof unknown;
export const unknown = Symbol('unknown');

export interface Subject {
  readonly name: string;
  /** Where a library reads it, in a worker that is ended when it takes more; `limits` of protocol.ts otherwise. */
  readonly limits?: Limits;
  /** Files that must be read. */
  readonly samples: readonly Sample[];
  /** Hostile files by name, made when they are needed. None may be read. */
  readonly bombs: Readonly<Record<string, () => Uint8Array>>;
  /** Hostile files that are legal: they may be read, in little time and memory. */
  readonly burdens?: Readonly<Record<string, () => Uint8Array>>;
  /** Pieces of the format, for random changes to put in. */
  readonly words: readonly (string | Uint8Array)[];
  /** The part that lengths or checksums guard, and a file with another such part, its guards made right again. */
  readonly inside?: {
    get(file: Buffer, name: string): Buffer;
    put(inside: Buffer, file: Buffer, name: string): Buffer;
  };
  /**
   * Reads with Verisim's reader.
   * @param folder for files of its own; emptied by others
   * @returns what was read, in a short form that two readings can be compared by
   */
  read(bytes: Buffer, name: string, folder: string): string | Promise<string>;
  /**
   * A second, lenient reading, written apart from the first; `python` when judge.py does it.
   * @returns the same form; null for a file that cannot be read, of which nothing may be loaded then; or `unknown` where
   *   this reader looks at more of the file, or at less
   */
  readonly again: ((bytes: Buffer, name: string) => Reading | Promise<Reading>) | 'python';
}
