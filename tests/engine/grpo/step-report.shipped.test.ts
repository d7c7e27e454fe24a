/** Which completions of a GRPO step people get to read. */
import { describe, expect, it } from 'vitest';
import { shownCompletions } from '../../../main/engine/grpo/step-report.js';

const T = 4;
const rollouts = (groups: number, size: number, perToken = false) => {
  const N = groups * size;
  return {
    ids: Uint16Array.from({ length: N * T }, (_, i) => i),
    promptLengths: Array.from({ length: N }, (_, row) => 1 + (row % 2)),
    rewards: Float32Array.from({ length: N }, (_, row) => row / 100),
    advantages: Float64Array.from({ length: perToken ? N * (T - 1) : N }, (_, i) => i),
  };
};

describe('the completions that are shown', () => {
  it('are one group of each step, another one each time', () => {
    const shown = [1, 2, 3, 4].map((step) => shownCompletions(step, rollouts(3, 2), 2));
    expect(shown.map((rows) => rows.map(({ advantage }) => advantage))).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
      [0, 1],
    ]);
    expect(shown[1]?.[0]).toEqual({
      step: 2,
      prompt: Uint16Array.of(8),
      completion: Uint16Array.of(9, 10, 11),
      reward: Math.fround(0.02),
      advantage: 2,
    });
  });

  it('are at most sixteen, and sum up the advantages of their own tokens', () => {
    expect(shownCompletions(1, rollouts(2, 40), 40)).toHaveLength(16);
    const [first, second] = shownCompletions(1, rollouts(1, 2, true), 2);
    expect(first?.advantage).toBe((0 + 1 + 2) / 3); // a prompt of one token: three are predicted
    expect(second?.advantage).toBe((4 + 5) / 2);
  });
});
