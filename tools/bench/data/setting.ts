/** What every part of the benchmark is given, and what it gives back. */
import type { Tiktoken } from './tiktoken.js';

export interface Setting {
  readonly root: string;
  readonly folder: string;
  /** Share of the full amount of text. */
  readonly size: number;
  readonly book: string;
  readonly say: (line: string) => void;
  /** Starts tiktoken when it is first needed. */
  readonly tiktoken: () => Promise<Tiktoken>;
}

/** One figure: whether it is met, or null when it is only for information. */
export interface Figure {
  readonly name: string;
  readonly measured: string;
  readonly must: string;
  readonly isMet: boolean | null;
}

/** Repeats of what is measured; the median counts. */
export const ROUNDS = 5;

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
/** The book as often as it takes. */
export const bookOf = ({ book }: Setting, bytes: number): string =>
  book.repeat(Math.ceil(bytes / Buffer.byteLength(book))).slice(0, bytes);
