/** The adaptive KL coefficient: towards the target from both sides, never by more than a fifth. */
import { expect, it } from 'vitest';
import { firstBeta, nextBeta } from '../../../main/engine/grpo/kl-control.js';

it('rises above the target, falls below it, rests on it, and moves by at most a fifth', () => {
  expect(nextBeta(0.1, 0.11, 0.1)).toBeCloseTo(0.11, 12);
  expect(nextBeta(0.1, 0.09, 0.1)).toBeCloseTo(0.09, 12);
  expect(nextBeta(0.1, 0.1, 0.1)).toBe(0.1);
  expect(nextBeta(0.1, 100, 0.1)).toBeCloseTo(0.12, 12);
  expect(nextBeta(0.1, 0, 0.1)).toBeCloseTo(0.08, 12);
});

it('leaves β alone without a target, and can begin from nothing with one', () => {
  expect(nextBeta(0.04, 9, null)).toBe(0.04);
  expect(firstBeta({ beta: 0, kl_target: null })).toBe(0);
  expect(firstBeta({ beta: 0.3, kl_target: 0.1 })).toBe(0.3);
  expect(firstBeta({ beta: 0, kl_target: 0.1 })).toBeGreaterThan(0);
});
