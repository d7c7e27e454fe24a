/** For which phases this machine has compiled before. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createCompiledPhases } from '../../../main/jobs/machine/compiled-phases.js';
import { projectConfigSchema } from '../../../shared/config/index.js';
import { planOf } from '../../../shared/costs/phases.js';
import { temporaryFolder } from '../context.js';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'compiled-phases.json');
const phases = (settings: object, machine = 'a machine') =>
  createCompiledPhases(
    machine,
    planOf(projectConfigSchema.parse({ n_embd: 16, n_head: 2, ...settings }), 65, 400),
    file,
  );

it('is known by what makes the same graphs, in this process or another, phase by phase', () => {
  const first = phases({ max_iters: 100 });
  expect(first.has('grpo')).toBe(false);
  first.add('grpo');
  expect(first.has('grpo')).toBe(true);
  expect(first.has('base_training')).toBe(false);
  expect(phases({ max_iters: 7, seed: 3, patience: 1 }).has('grpo')).toBe(true);
  expect(phases({ n_embd: 32 }).has('grpo')).toBe(false);
  expect(phases({ group_size: 4 }).has('grpo')).toBe(false);
  first.add('base_training');
  expect(phases({ group_size: 4, reward_kind: 'token' }).has('base_training')).toBe(true);
  expect(phases({ batch_size: 3 }).has('base_training')).toBe(false);
  expect(phases({}, 'another machine').has('grpo')).toBe(false);
});
