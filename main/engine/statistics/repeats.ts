/**
 * Finds repeats in a text of any language as neighbours among the sorted suffixes (Kasai et al. 2001, "Linear-time
 * longest-common-prefix computation").
 */
import { suffixArray } from './suffix-array.js';

interface Repeats {
  /** The longest substring that occurs at least twice, or ''. */
  readonly longest: string;
  /** The share of the text in substrings of at least LONG_REPEAT characters that occur elsewhere in it. */
  readonly share: number;
}

/** Longer than set phrases. */
export const LONG_REPEAT = 60;

/** Takes linear time and about 30 bytes a character. */
export function findRepeats(text: string): Repeats {
  const n = text.length;
  const units = Uint16Array.from({ length: n }, (_, i) => text.charCodeAt(i));
  const order = suffixArray(units, 65536);
  const place = new Int32Array(n);
  for (let i = 0; i < n; i++) place[order[i] as number] = i;

  /** The longest repeat from each start. */
  const repeated = new Int32Array(n);
  for (let start = 0, length = 0; start < n; start++) {
    const here = place[start] as number;
    if (here === 0) {
      length = 0;
      continue;
    }
    const before = order[here - 1] as number;
    while (units[start + length] !== undefined && units[start + length] === units[before + length]) length++;
    repeated[start] = Math.max(repeated[start] as number, length);
    repeated[before] = Math.max(repeated[before] as number, length);
    length = Math.max(0, length - 1);
  }

  let [best, covered, end] = [0, 0, 0];
  for (let start = 0; start < n; start++) {
    const length = repeated[start] as number;
    if (length > (repeated[best] ?? 0)) best = start;
    if (length < LONG_REPEAT) continue;
    covered += Math.max(0, start + length - Math.max(end, start));
    end = Math.max(end, start + length);
  }
  const length = repeated[best] ?? 0;
  return { longest: text.slice(best, best + length), share: n === 0 ? 0 : covered / n };
}
