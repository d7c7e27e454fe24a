/** A run of a terminal does what is asked of it through its project's folder, and tells there and in its log what came of that. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { JobEvent } from '../../../shared/events.js';
import { UserError } from '../../../shared/errors.js';
import { steeredFromFolder } from '../../../main/jobs/steering/from-folder.js';
import { acquireLock, type ProjectLock } from '../../../main/storage/disk/lock.js';
import { askRun, readRun } from '../../../main/storage/projects/run-desk.js';
import { testContext } from '../context.js';

const folder = mkdtempSync(join(tmpdir(), 'verisim-steered-'));
let lock: ProjectLock;
beforeEach(() => {
  lock = acquireLock(folder, 'verisim cycle');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('pauses, changes, refuses and stops', async () => {
  const { context, events } = testContext();
  const [logged, changed]: [JobEvent[], unknown[]] = [[], []];
  const run = steeredFromFolder(context);
  await expect(askRun(folder, { action: 'pause' })).rejects.toMatchObject({
    message: expect.stringContaining('not running') as string,
  });
  run.logs?.((event) => logged.push(event));
  const end = run.steered?.(
    {
      change: (settings) => void changed.push(settings),
      extend: (more) => void changed.push(more),
      skip() {
        throw new UserError({ code: 'bad_input', message: 'what runs now cannot be skipped', hint: 'Later.' });
      },
    },
    { folder, places: ['10.0.0.1:4000', '10.0.0.2:4000'] },
  );
  const [phase, cycle, step] = ['base_training', 0, 3] as const;
  run.emit({ event: 'phase', phase, cycle, state: 'started', message: 'Training' });
  const values = { loss: 2, rank_0_waiting: 0.25, rank_1_waiting: 0, rank_1_tokens_per_second: 1500 };
  run.emit({ event: 'metrics', phase, cycle, step, values });
  run.emit({ event: 'progress', phase, done: step, total: 9, unit: 'steps', rate: 1, seconds_left: 6 });

  await askRun(folder, { action: 'pause' });
  let isThrough = false;
  const waits = run.yieldToEventLoop().then(() => (isThrough = true));
  expect(readRun(folder)).toEqual({
    activity: 'paused',
    phase: expect.objectContaining({ cycle }) as object,
    progress: expect.objectContaining({ done: 3 }) as object,
    ranks: [
      { rank: 0, place: '10.0.0.1:4000', waiting: 0.25, tokens_per_second: null },
      { rank: 1, place: '10.0.0.2:4000', waiting: 0, tokens_per_second: 1500 },
    ],
  });
  await askRun(folder, { action: 'change', settings: { learning_rate: 0.5 } });
  expect([isThrough, run.stop.paused]).toEqual([false, true]);
  await Promise.all([askRun(folder, { action: 'resume' }), waits]);
  expect(readRun(folder)?.activity).toBe('running');
  await askRun(folder, { action: 'extend', iterations: 5, cycles: 1 });
  expect(changed).toEqual([{ learning_rate: 0.5 }, { action: 'extend', iterations: 5, cycles: 1 }]);

  await expect(askRun(folder, { action: 'skip' })).rejects.toMatchObject({
    message: 'what runs now cannot be skipped',
  });
  writeFileSync(join(folder, 'lock', `asked-1-${'0'.repeat(36)}`), '{"action": "rm -rf"}');
  await expect.poll(() => logged.length, { timeout: 20_000 }).toBe(4);
  expect(logged).toEqual(events.filter(({ event }) => event === 'notice'));
  expect(logged.map((event) => event.event === 'notice' && [event.code, event.message])).toEqual([
    ['paused', 'Paused.'],
    ['resumed', 'Resumed.'],
    ['refused', 'Not done: what runs now cannot be skipped.'],
    ['refused', 'Not done: What was asked through the project’s folder is not understood.'],
  ]);

  await askRun(folder, { action: 'stop', after: 'step' });
  expect([run.stop.requested, readRun(folder)?.activity]).toEqual([true, 'stopping']);
  end?.();
  lock.release();
  await expect(askRun(folder, { action: 'pause' })).rejects.toMatchObject({ code: 'bad_input' });
  // Nothing of it is left, and nothing was made anew.
  expect(readdirSync(folder)).toEqual([]);
});

it('is not left paused when it is over, where nobody could ask it to go on', async () => {
  const run = steeredFromFolder(testContext().context);
  const nothing = () => undefined;
  const end = run.steered?.({ change: nothing, extend: nothing, skip: nothing }, { folder, places: [] });
  await askRun(folder, { action: 'pause' });
  expect(run.stop.paused).toBe(true);
  end?.();
  expect(run.stop.paused).toBe(false);
  await run.yieldToEventLoop();
  lock.release();
});
