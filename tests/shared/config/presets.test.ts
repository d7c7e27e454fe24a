// What presets say of short texts: there too a project must be able to tell whether its reward sees.
import { expect, it } from 'vitest';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { valuesOf } from '../../../shared/config/presets.js';
import { rewardSamples } from '../../../shared/costs/phases.js';

it.each([
  { preset: 'tiny', from: { critic_from: 'a model' }, text: '50,000 letters under a teacher', val: 1960, least: 120 },
  { preset: 'smollm2', from: { init_from: 'a model' }, text: '50,000 letters from SmolLM2', val: 1400, least: 40 },
] as const)('$preset has passages enough to measure its reward on $text', ({ preset, from, val, least }) => {
  const config = projectConfigSchema.parse({ ...valuesOf(preset, from), ...from });
  expect(rewardSamples(config, { train: 9 * val, val }).val).toBeGreaterThanOrEqual(least);
});

it.each([
  { given: { max_cycles: 0 }, passages: undefined },
  { given: { max_cycles: 2 }, passages: 256 },
  { given: {}, passages: 256 },
])('a judge that has no cycles to compare is left out: $given', ({ given, passages }) => {
  expect(valuesOf('small', given)['judge_passages']).toBe(passages);
});
