/** A disk that fills up pauses the run before anything fails, and the run goes on by itself when there is room. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { cycleJob } from '../../main/jobs/project/cycle.js';
import { freeBytes } from '../../main/storage/disk/disk.js';
import { createDiskWatch } from '../../main/trainer/watches.js';
import { testContext } from '../jobs/context.js';
import { newProject, program, projectsHome, withoutTensorflow } from '../supervisor/project.js';
import { onSmallDisk } from '../support/small-disk.js';

const home = projectsHome();
withoutTensorflow();
const short = { max_iters: 12, grpo_max_steps: 2 };
const MB = 2 ** 20;

it('pauses before the disk is full, says so, and goes on to the same end when there is room', async () => {
  const child = join(home, 'child.mjs');
  const root = join(import.meta.dirname, '../..');
  buildSync({
    ...{ absWorkingDir: root, entryPoints: ['tests/trainer/disk-watch-child.ts'], outfile: child },
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20' },
  });
  const whole = await newProject('roomy', short);
  await cycleJob({ folder: whole, settings: null, given: {} }, testContext(undefined, 'wasm').context);
  const folder = await newProject('crowded', short);
  const disk = join(home, 'disk');
  mkdirSync(disk);
  // Room for what a run of this size writes, but not for what a checkpoint may need.
  const lines = onSmallDisk(disk, 64, [child, program, folder, disk, String(16 * MB)]);
  if (lines === null) return pausesByRule(disk);
  const said = z.object({
    ...{ outcome: z.string(), notices: z.array(z.string()), freeWhenPaused: z.array(z.number()), weights: z.string() },
  });
  const { outcome, notices, freeWhenPaused, weights } = said.parse(JSON.parse(lines.at(-1) ?? ''));
  expect(outcome).toBe('finished');
  expect(notices.filter((code) => code.startsWith('disk_'))).toEqual(['disk_nearly_full', 'disk_has_room']);
  expect(freeWhenPaused).toHaveLength(1);
  expect(freeWhenPaused[0]).toBeGreaterThan(15 * MB);
  const wanted = readFileSync(join(whole, 'checkpoints/base_model_v2/weights.safetensors')).toString('base64');
  expect(weights).toBe(wanted);
});

/** Where nothing may be mounted: the same watch over the disk there is, of which more is asked than it has. */
async function pausesByRule(folder: string): Promise<void> {
  let needed = (freeBytes(folder) ?? 0) * 2;
  const watch = createDiskWatch({ folder, needed: () => needed, now: () => 0, milliseconds: 10 });
  const full = watch.look();
  expect(full?.message).toContain('Paused: the disk');
  needed = 0;
  expect(await full?.room).toBe(true);
}
