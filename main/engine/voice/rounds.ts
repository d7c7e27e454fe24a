/** The passages since the last look at the brakes, and what is looked at. */
import type { PassageShape } from '../../../shared/config/voice.js';
import { mean } from '../statistics/statistics.js';
import { distinctN, shortCopyLength, type CopyIndex } from '../statistics/text-statistics.js';
import type { TokenizationMethod } from '../tokenizer/types.js';
import type { HostArray, TokenIds, TokenSource } from '../types.js';
import { crossed, limitsOf, type Level, type Look } from './brakes.js';
import { continuationsOf, spreadPassages } from './passages.js';
import { countsOf } from './yardsticks.js';

interface RoundOptions {
  readonly before: Level;
  readonly text: Level;
  readonly valTokens: TokenSource;
  readonly tokenization: TokenizationMethod;
  readonly copies: CopyIndex;
  readonly shape: PassageShape;
  /** Continuations of a group. */
  readonly size: number;
}

/** @param saved as a checkpoint has them */
export function createRounds(options: RoundOptions, saved: HostArray | undefined) {
  const { before, text, valTokens, tokenization, copies, shape, size } = options;
  let recent: TokenIds = Uint32Array.from(saved?.data ?? []);
  let seen: Look | null = null;
  /** The variety of one passage of each group: those of one group are alike. */
  const varietyOf = (ids: TokenIds, each: number) =>
    distinctN(
      continuationsOf(ids, shape).filter((_, row) => row % each === 0),
      3,
    ) ?? NaN;
  return {
    /** For the checkpoint; 32-bit floats hold every id. */
    read: (): HostArray => ({ shape: [recent.length], data: Float32Array.from(recent) }),

    add(ids: TokenIds): void {
      const all = new Uint32Array(recent.length + ids.length);
      all.set(recent);
      all.set(ids, recent.length);
      recent = all;
    },

    /** @param heldOut the loss now */
    look(heldOut: number, logRatios: readonly number[]): void {
      const { repeated, copied } = countsOf(continuationsOf(recent, shape), copies, shortCopyLength[tokenization]);
      const counts = { repeated: repeated.mean, copied: copied.mean, distinct_3: varietyOf(recent, size) };
      seen = recent.length === 0 ? null : { held_out: heldOut, log_ratio: mean(logRatios), ...counts };
    },

    /** Compares what was seen with the text's own values, and begins the next round. @param heldOut the loss before the first step */
    end(heldOut: number) {
      const passages = recent.length / shape.length / size;
      const natural = varietyOf(spreadPassages(valTokens, passages, shape), 1);
      const brake = seen && crossed(seen, limitsOf(before, text, { held_out: heldOut, distinct_3: natural }));
      const isBest = seen !== null && brake === null;
      recent = new Uint32Array();
      return { brake, isBest };
    },
  };
}
