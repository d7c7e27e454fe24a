/** Signs of reward hacking and collapse, from the metrics alone. */
import { describe, expect, it } from 'vitest';
import { grpoWarnings, type WarningInput } from '../../../renderer/warnings/grpo-warnings.js';
import { inEnglish } from '../../support/messages.js';
import { warningCodes } from '../../../renderer/warnings/grpo-warnings.js';

const STEPS = 60;
const steps = Array.from({ length: STEPS }, (_, at) => at + 1);
const series = (value: (progress: number) => number) => ({ steps, values: steps.map((step) => value(step / STEPS)) });
const healthy = {
  reward: series((progress) => 0.5 + 0.2 * progress),
  held_out_perplexity: series((progress) => 4.5 - 0.1 * progress),
  distinct_2: series(() => 0.3),
  entropy: series(() => 1.5),
  kl: series((progress) => 0.1 * progress),
  frac_reward_zero_std: series(() => 0),
  copied_share: series(() => 0.1),
};
const warningsOf = (changes: WarningInput['series'], more: Partial<WarningInput> = {}) =>
  grpoWarnings({ series: { ...healthy, ...changes }, klCap: 0.5, rewardModelIsBlind: false, ...more });

describe('what is healthy', () => {
  it('brings no warning', () => {
    expect(warningsOf({})).toEqual([]);
  });

  it('brings none before anything was measured either', () => {
    expect(grpoWarnings({ series: {}, klCap: 0.5, rewardModelIsBlind: null })).toEqual([]);
  });
});

describe('what is not', () => {
  it('reward hacking: the reward rises while the held-out text is lost, since the perplexity left its best', () => {
    const [warning] = warningsOf({
      held_out_perplexity: series((progress) => (progress <= 0.5 ? 4.4 : 4.4 + progress)),
    });
    expect(warning).toMatchObject({ code: 'reward_hacking', before: 4.4, since: 31 });
    expect(warning?.now).toBeCloseTo(5.4);
  });

  it('is no reward hacking while the reward is constant', () => {
    expect(warningsOf({ reward: series(() => 0.5), held_out_perplexity: series((progress) => 4 + progress) })).toEqual(
      [],
    );
  });

  it('repetition: since it has held without a break', () => {
    const [warning] = warningsOf({ distinct_2: series((progress) => (progress > 0.7 ? 0.15 : 0.3)) });
    expect(warning?.code).toBe('repetition');
    expect(warning?.since).toBeGreaterThan(42);
    expect(warning?.since).toBeLessThanOrEqual(48);
  });

  it('takes one odd step for no warning, and forgets what has passed', () => {
    expect(warningsOf({ distinct_2: series((progress) => (progress === 1 ? 0.15 : 0.3)) })).toEqual([]);
    expect(warningsOf({ distinct_2: series((progress) => (progress < 0.6 && progress > 0.3 ? 0.1 : 0.3)) })).toEqual(
      [],
    );
  });

  it('collapse of entropy, nearness to the cap, groups without signal, copying', () => {
    expect(warningsOf({ entropy: series((progress) => 1.5 - 1.2 * progress) })[0]?.code).toBe('entropy_collapse');
    expect(warningsOf({ kl: series((progress) => 0.48 * progress) })[0]).toMatchObject({
      code: 'near_kl_cap',
      before: 0.5,
    });
    expect(warningsOf({ frac_reward_zero_std: series(() => 0.8) })[0]?.code).toBe('no_signal');
    expect(warningsOf({ copied_share: series((progress) => 0.1 + 0.6 * progress) })[0]?.code).toBe('copying');
  });

  it('a reward model that cannot see comes first', () => {
    expect(warningsOf({}, { rewardModelIsBlind: true })).toEqual([
      { code: 'blind_reward_model', since: null, before: null, now: null },
    ]);
  });
});

it('has words for every warning: what was seen, what it means, what to do', () => {
  for (const code of warningCodes) {
    expect(inEnglish(`project.warnings.${code}.seen`, { before: 'a', now: 'b' }).length).toBeGreaterThan(10);
    expect(inEnglish(`project.warnings.${code}.means`).length).toBeGreaterThan(10);
    expect(inEnglish(`project.warnings.${code}.todo`).length).toBeGreaterThan(10);
  }
});
