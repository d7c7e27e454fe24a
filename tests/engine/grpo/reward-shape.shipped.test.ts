/** Rewards and advantages of every shape, by hand on a small group. */
import { describe, expect, it } from 'vitest';
import { tokenAdvantages } from '../../../main/engine/grpo/advantages.js';
import { rewarded, meanOfCompletions } from '../../../main/engine/grpo/reward-shape.js';
import type { RewardAnswers } from '../../../main/engine/reward/rollout-scorer.js';

const promptLengths = [1, 1];
// Evidence of two completions of one prompt; column 0 is the prompt.
const evidence = Float32Array.from([0, 1, 2, 9, 0, -1, 0, -9]);
const shape = {
  reward_shape: 'token_log_ratio',
  group_size: 2,
  scale_rewards: 'none',
} as const;
const answers: RewardAnswers = { fractions: () => Float32Array.of(0.75, 0.25), evidence };

describe('reward shapes', () => {
  it('fraction is the score of the whole passage', () => {
    const found = rewarded(answers, { ...shape, reward_shape: 'fraction' }, promptLengths);
    expect(Array.from(found.rewards)).toEqual([0.75, 0.25]);
    expect(Array.from(found.advantages)).toEqual([0.25, -0.25]);
  });

  it('token_log_ratio credits each token with its own bounded evidence, and reports the mean over the completion', () => {
    const found = rewarded(answers, shape, promptLengths);
    const centre = (1 + 2 + 3 - 1 + 0 - 3) / 6; // 9 counts for 3
    expect(Array.from(found.advantages.subarray(0, 3))).toEqual([
      expect.closeTo(1 - centre, 6),
      expect.closeTo(2 - centre, 6),
      expect.closeTo(3 - centre, 6),
    ]);
    expect(found.rewards[0]).toBeCloseTo(2, 6);
    expect(found.rewards[1]).toBeCloseTo(-4 / 3, 6);
  });

  it('what needs evidence refuses a reward model without it', () => {
    const head = { ...answers, evidence: null };
    expect(() => rewarded(head, shape, promptLengths)).toThrow('needs a reward model that weighs tokens');
  });

  it('a completion of nothing has mean 0', () => {
    expect(Array.from(meanOfCompletions(evidence, [4, 1]))).toEqual([0, expect.closeTo(-10 / 3, 5)]);
  });
});

describe('advantages of tokens', () => {
  const inputs = { rewards: evidence, promptLengths: [2, 1], groupSize: 2 };

  it('are 0 in prompts and centred over what the group wrote', () => {
    const advantages = tokenAdvantages(inputs, 'group');
    expect(advantages[0]).toBe(0);
    const written = [...advantages.subarray(1, 3), ...advantages.subarray(3)];
    expect(written.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 10);
    expect(advantages.every(Number.isFinite)).toBe(true);
  });

  it('scale by the group or by the batch', () => {
    const two = {
      rewards: Float32Array.of(...evidence, ...evidence.map((nats) => nats * 10)),
      promptLengths: [1, 1, 1, 1],
      groupSize: 2,
    };
    const group = tokenAdvantages(two, 'group');
    const batch = tokenAdvantages(two, 'batch');
    expect((group[6] ?? NaN) / (group[0] ?? NaN)).toBeCloseTo(1, 3);
    expect((batch[6] ?? NaN) / (batch[0] ?? NaN)).toBeCloseTo(10, 6);
  });
});
