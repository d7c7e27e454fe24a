/** A trainer's calls: one at a time, but a preview does not wait for models that read the text. */
import { beforeEach, expect, it, vi } from 'vitest';
import { createCalls } from '../../main/trainer/calls.js';

const order = vi.hoisted(() => ({ log: [] as string[], open: new Map<string, () => void>() }));

/** Stands in for a job: it ends when the test lets it. */
const job = vi.hoisted(() => (name: string, answer: unknown) => () => {
  order.log.push(name);
  return new Promise((resolve) => order.open.set(name, () => resolve(answer)));
});

vi.mock('../../main/jobs/commands/familiarity.js', () => ({
  familiarity: job('familiarity', { nats_per_character: 1 }),
}));
vi.mock('../../main/jobs/commands/preview.js', () => ({ previewView: job('preview', {}) }));
vi.mock('../../main/jobs/machine/matrix-product.js', () => ({ describe: job('describe', {}) }));

beforeEach(() => {
  order.log.length = 0;
  order.open.clear();
});

const nothing = () => undefined;
const reads = { model: 'm', text: 't' };

it('a preview runs while models read, another call after both', async () => {
  const calls = createCalls();
  const reading = calls.call(1, 'familiarity', reads, nothing);
  const previewed = calls.call(2, 'preview', { data_path: 'a.txt' }, nothing).catch(() => 'shown');
  const again = calls.call(3, 'preview', { data_path: 'b.txt' }, nothing).catch(() => 'shown');
  const described = calls.call(4, 'describe', { device: 'auto', threads: null }, nothing).catch(() => 'described');
  await expect.poll(() => order.log).toEqual(['familiarity', 'preview']);
  order.open.get('preview')?.();
  expect(await previewed).toBe('shown');
  // The second preview waits for the first one only.
  await expect.poll(() => order.log).toEqual(['familiarity', 'preview', 'preview']);
  order.open.get('preview')?.();
  expect(await again).toBe('shown');
  expect(order.log).not.toContain('describe');
  order.open.get('familiarity')?.();
  expect(await reading).toEqual({ nats_per_character: 1 });
  await expect.poll(() => order.log.at(-1)).toBe('describe');
  order.open.get('describe')?.();
  expect(await described).toBe('described');
});

it('models read only after a preview that was asked before', async () => {
  const calls = createCalls();
  const previewed = calls.call(1, 'preview', { data_path: 'a.txt' }, nothing).catch(() => 'shown');
  const reading = calls.call(2, 'familiarity', reads, nothing);
  await expect.poll(() => order.log).toEqual(['preview']);
  order.open.get('preview')?.();
  expect(await previewed).toBe('shown');
  await expect.poll(() => order.log).toEqual(['preview', 'familiarity']);
  order.open.get('familiarity')?.();
  expect(await reading).toEqual({ nats_per_character: 1 });
});
