/** A window hears of a run that nobody here has started when that tells something new, and when it is over. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ProjectSummary } from '../../../shared/contract/projects.js';
import { createEventBus } from '../../../main/services/event-bus.js';
import { lookingElsewhere, watchElsewhere } from '../../../main/services/projects/watch-elsewhere.js';
import { acquireLock } from '../../../main/storage/disk/lock.js';
import { readRun, tellRun } from '../../../main/storage/projects/run-desk.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verisim-elsewhere-'));
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

it('each thing once', () => {
  const bus = createEventBus();
  const told: unknown[] = [];
  bus.listen((topic, message) => told.push([topic, message]));
  const summaryOf = () =>
    ({ state: readRun(folder)?.activity ?? 'stopped', activity: null }) as unknown as ProjectSummary;
  const end = watchElsewhere({ bus, registry: { list: () => [{ id: 'project_1', folder }] }, summaryOf });
  const changed = (state: string) => ['projects.changed', { id: 'project_1', summary: { state, activity: null } }];
  const look = () => vi.advanceTimersByTime(2 * lookingElsewhere);
  look();
  const lock = acquireLock(folder, 'verisim cycle');
  look();
  expect(told).toEqual([]);
  const tell = (activity: 'running' | 'paused') =>
    tellRun(folder, { activity, phase: null, progress: null, ranks: [] });
  tell('running');
  look();
  look();
  tell('paused');
  look();
  lock.release();
  look();
  end();
  tell('running');
  look();
  expect(told).toEqual([changed('running'), changed('paused'), changed('stopped')]);
});
