/** No part of the repository is larger than its budget (tools/lint/budgets.mjs). */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { budgets } from '../../../tools/lint/budgets.mjs';
import { sizesNow } from '../../../tools/size/sizes.mjs';

const sizes = sizesNow(join(import.meta.dirname, '../../..'));

it.each(budgets.map((budget) => [budget.name, budget] as const))('%s is within its budget', (name, { goal, now }) => {
  expect(sizes[name]).toBeGreaterThan(0);
  expect(sizes[name]).toBeLessThanOrEqual(now ?? goal);
});
