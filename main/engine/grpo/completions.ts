/**
 * Which completions of a GRPO step are kept for people to read: one group of each step, another one each time, so that
 * a log of any length stays readable and small. Pure.
 */
import { mean } from '../statistics/statistics.js';
import type { TokenIds } from '../types.js';

/** Of a group, at most so many. */
const MAX_OF_A_GROUP = 16;

export interface ShownCompletion {
  /** Counts from 1, as in the metrics. */
  readonly step: number;
  readonly prompt: TokenIds;
  readonly completion: TokenIds;
  readonly reward: number;
  /** Of the whole completion: the mean where each token has its own. */
  readonly advantage: number;
}

/** @param advantages (N), or (N, T − 1) for each predicted token */
export function shownCompletions(
  step: number,
  rollouts: {
    readonly ids: TokenIds;
    readonly promptLengths: readonly number[];
    readonly rewards: Float32Array;
    readonly advantages: Float64Array;
  },
  groupSize: number,
): ShownCompletion[] {
  const { ids, promptLengths, rewards, advantages } = rollouts;
  const N = promptLengths.length;
  const T = ids.length / N;
  const width = advantages.length / N;
  const groups = Math.max(1, Math.floor(N / groupSize));
  const first = ((step - 1) % groups) * groupSize;
  return Array.from({ length: Math.min(groupSize, MAX_OF_A_GROUP) }, (_, member) => {
    const row = first + member;
    const length = promptLengths[row] ?? 0;
    const text = ids.subarray(row * T, (row + 1) * T);
    // Of advantages for each token, those of the completion: token t is predicted at t − 1.
    const own =
      width === 1
        ? advantages.subarray(row, row + 1)
        : advantages.subarray(row * width + length - 1, (row + 1) * width);
    return {
      step,
      prompt: text.slice(0, length),
      completion: text.slice(length),
      reward: rewards[row] ?? NaN,
      advantage: own.length === 0 ? 0 : mean(own),
    };
  });
}
