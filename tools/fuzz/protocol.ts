/** What the process in which cases run says, one JSON object a line, and the limits that it judges by. */

/** What a file may cost: processor time, which other programs do not change as they do the clock's; memory beyond what there was. */
export interface Limits {
  readonly cpuMs: number;
  readonly memory: number;
}

export const limits: Limits = { cpuMs: 1000, memory: 64 << 20 };

/** A damaged file that was read, to be read again by judge.py. */
export interface LoadedFile {
  readonly name: string;
  readonly bytes: string;
  readonly value: string;
}

export interface Measured {
  /** Milliseconds of processor time, as the processor of the bounds would have taken (slowness.ts). */
  readonly cpu: number;
  readonly growth: number;
  readonly result: string;
}

export interface Counts {
  readonly cases: number;
  /** Of these, how many were read. */
  readonly loaded: number;
  /** The longest of them, in milliseconds of processor time. */
  readonly slowest: number;
}

export type Message =
  | { readonly at: number }
  | { readonly wrong: number; readonly why: string; readonly what: string }
  /** It may have cost too much; measured by itself, it may turn out not to. */
  | { readonly suspect: number }
  | { readonly loaded: LoadedFile }
  | { readonly counts: Counts }
  | { readonly measured: Measured }
  | { readonly done: true };
