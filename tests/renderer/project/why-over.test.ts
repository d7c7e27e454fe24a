/** Why base training is over, in the window. */
import { expect, it } from 'vitest';
import { whyOver } from '../../../renderer/project/why-over.js';
import type { TrainResult } from '../../../shared/reports/report.js';

const ended = (facts: Partial<TrainResult>) => facts as TrainResult;

it('training that took all of its steps did not stop early, by patience neither', () => {
  expect(whyOver(ended({ stopped_because: 'patience', iterations: 2803, planned_steps: 2803 }), 300)).toBe('max_iters');
  expect(whyOver(ended({ stopped_because: 'patience', iterations: 300 }), 300)).toBe('max_iters');
  expect(whyOver(ended({ stopped_because: 'patience', iterations: 200, planned_steps: 2803 }), 100)).toBe('patience');
  expect(whyOver(ended({ stopped_because: 'patience', iterations: 200 }), 300)).toBe('patience');
  expect(whyOver(ended({ stopped_because: 'asked', iterations: 300 }), 300)).toBe('asked');
});
