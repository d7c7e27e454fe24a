/** Keeps passages in the sequences of one context: reads their beginnings, as far as they are new, and appends tokens. */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { NoisePlace, Passage, Written } from '../engine/generate/generate.js';
import { uniforms } from '../engine/rng.js';
import type { Environment, TokenIds } from '../engine/types.js';
import type { LlamaContext } from './addon.js';

/** A passage in the sequence that it is written in. */
export interface Row extends Written {
  readonly sequence: number;
  /** Decides each token. */
  readonly uniform: Float32Array;
  length: number;
  /** Of the scores after its last token. */
  place: number;
}

/** Tokens that are read at once, between two checks for a stop. */
export const BATCH = 128;
/** Fewer tokens are read faster than copied. */
const COPIED = 16;

interface SequencesOptions {
  readonly rows: number;
  readonly window: number;
  readonly threads: () => number;
  readonly env: Pick<Environment, 'stop' | 'yieldToEventLoop'>;
}

export function createSequences(context: LlamaContext, { rows, window, threads, env }: SequencesOptions) {
  /** Tokens that each sequence has read. */
  const held = Array.from({ length: rows }, () => new Uint32Array(0));

  async function decode(parts: readonly { readonly row: Row; readonly from: number; readonly to: number }[]) {
    context.setThreads(threads());
    context.initBatch(parts.reduce((sum, { from, to }) => sum + to - from, 0));
    for (const { row, from, to } of parts) {
      const tokens = Uint32Array.from(row.ids.subarray(from, to));
      [row.place = 0] = context.addToBatch(row.sequence, from, tokens, Uint32Array.of(to - from - 1));
    }
    await context.decodeBatch();
    for (const { row, to } of parts) held[row.sequence] = Uint32Array.from(row.ids.subarray(0, to));
  }
  /** Reads all but the last token. @returns false if the user stopped */
  async function readRow(row: Row): Promise<boolean> {
    const end = row.length - 1;
    const known = Math.min(end, sharedLength(held[row.sequence], row.ids));
    context.removeTokenCellsFromSequence(row.sequence, known, -1);
    held[row.sequence] = Uint32Array.from(row.ids.subarray(0, known));
    for (let from = known; from < end; from += BATCH) {
      if (env.stop.requested) return false;
      await decode([{ row, from, to: Math.min(end, from + BATCH) }]);
      await env.yieldToEventLoop();
    }
    return true;
  }
  /** Copies what a sequence has read, by a file: copying costs a twentieth of reading. */
  async function copy(first: Row, others: readonly Row[]) {
    const file = join(tmpdir(), `verisim-${randomUUID()}`);
    try {
      const tokens = Uint32Array.from(first.ids.subarray(0, first.length - 1));
      await context.saveSequenceStateToFile(file, first.sequence, tokens);
      for (const { sequence } of others) {
        await context.loadSequenceStateFromFile(file, sequence, window);
        held[sequence] = tokens;
      }
    } finally {
      rmSync(file, { force: true });
    }
  }
  /** Reads the last token of each. */
  const append = (open: readonly Row[]) => decode(open.map((row) => ({ row, from: row.length - 1, to: row.length })));

  return {
    /** Places passages, the first in the sequence that has read most of it. */
    rowsFor(passages: readonly Passage[], noise: NoisePlace): Row[] {
      const shared = held.map((tokens) => sharedLength(tokens, passages[0]?.prefix ?? tokens));
      const order = held.map((_, at) => at).sort((a, b) => (shared[b] ?? 0) - (shared[a] ?? 0));
      return passages.map(({ prefix, index }, at) => {
        const ids = new Uint32Array(window);
        ids.set(prefix);
        const uniform = uniforms(noise.seed, noise.stream, index, 0, window);
        const sequence = order[at] ?? 0;
        return { ids, logProbs: new Float32Array(window), sequence, uniform, length: prefix.length, place: 0 };
      });
    },
    /** Reads the beginnings. @returns false if the user stopped */
    async read(writing: readonly Row[]): Promise<boolean> {
      const [first] = writing;
      const copies = writing.filter(
        (row) => first && row !== first && row.length > COPIED && sharedLength(row.ids, first.ids) >= first.length,
      );
      for (const row of writing) if (!copies.includes(row) && !(await readRow(row))) return false;
      if (first && copies.length > 0) await copy(first, copies);
      await append(writing);
      return true;
    },
    append,
    /** Counts the tokens that no sequence has read. */
    unread: (prefix: TokenIds) => prefix.length - Math.max(...held.map((tokens) => sharedLength(tokens, prefix))),
    /** After a failure nothing is certain. */
    forget() {
      for (let sequence = 0; sequence < rows; sequence++) {
        context.removeTokenCellsFromSequence(sequence, 0, -1);
        held[sequence] = new Uint32Array(0);
      }
    },
  };
}

/** The length of what two texts begin with. */
function sharedLength(a: TokenIds | undefined, b: TokenIds): number {
  const shorter = Math.min(a?.length ?? 0, b.length);
  let at = 0;
  while (at < shorter && a?.[at] === b[at]) at++;
  return at;
}
