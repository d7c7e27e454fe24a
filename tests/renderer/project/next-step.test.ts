/** The one thing that is offered first when a project has ended. */
import { expect, it } from 'vitest';
import { nextStep } from '../../../renderer/project/next-step.js';

type Given = Parameters<typeof nextStep>[0];
const people = { verdict: 'waiting', previous: 'base_model_v1', votes: 3 } as const;
const step = (
  worth: Given['another']['worth'],
  { plainIsBetter = false, ...given }: Partial<Given & { plainIsBetter: boolean }> = {},
) => nextStep({ cycle: 1, people: null, another: { worth, because: 'better' }, ...given }, plainIsBetter);

it('is what the verdict says', () => {
  expect(step('yes')).toBe('more');
  expect(step('no')).toBe('write');
  expect(step('no', { plainIsBetter: true })).toBe('train_on');
});

it('is reading where figures leave it open, until somebody has', () => {
  expect(step('unclear')).toBe('rate');
  expect(step('unclear', { people })).toBe('write');
  expect(step('unclear', { cycle: 0 })).toBe('write');
});
