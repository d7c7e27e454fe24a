/** A project's summary is published when another program begins and stops using its folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ProjectSummary } from '../../../shared/contract/projects.js';
import { createEventBus } from '../../../main/services/event-bus.js';
import { CHECK_INTERVAL, watchLocks } from '../../../main/services/projects/watch-locks.js';
import { acquireLock } from '../../../main/storage/disk/lock.js';

const folder = mkdtempSync(join(tmpdir(), 'verisim-locks-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('publishes both changes once', () => {
  const bus = createEventBus();
  const published: string[] = [];
  bus.listen((name) => published.push(name));
  const summaryOf = () => ({}) as ProjectSummary;
  const end = watchLocks({ bus, registry: { list: () => [{ id: 'project_book', folder }] as never }, summaryOf });
  const counts: number[] = [];
  const check = () => {
    vi.advanceTimersByTime(2 * CHECK_INTERVAL);
    counts.push(published.length);
  };
  check();
  const lock = acquireLock(folder, 'verisim cycle');
  check();
  lock.release();
  check();
  end();
  expect(counts).toEqual([0, 1, 2]);
});
