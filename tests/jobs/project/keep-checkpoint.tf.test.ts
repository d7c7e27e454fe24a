/** Another project begins where a phase was: its checkpoints are listed, kept as models of their own, and trained on from. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cycleJob } from '../../../main/jobs/project/cycle.js';
import { keepCheckpoint } from '../../../main/jobs/project/keep-checkpoint.js';
import { settingsAgain } from '../../../main/jobs/project/project-settings.js';
import { checkpointsOf } from '../../../main/services/projects/pages.js';
import { readCheckpointFolder } from '../../../main/storage/projects/checkpoint-store.js';
import { loadModel } from '../../../main/storage/projects/models.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { writeText } from '../../cli/program.js';
import { faultOfAsync } from '../../storage/fault-of.js';
import { projectRequest, quick, temporaryFolder, testContext } from '../context.js';

const home = temporaryFolder();
const given = { ...quick, data_path: writeText(home), eval_interval: 4, log_interval: 1, reward_max_iters: 4 };
const folder = join(home, 'stopped');

/** Trains until an event, and stops there with a checkpoint. */
async function trainUntil(stopAt: (event: JobEvent) => boolean) {
  const stopped = cycleJob({ ...projectRequest(folder, given), given: {} }, testContext(stopAt).context);
  expect(await faultOfAsync(stopped)).toMatchObject({ code: 'stopped' });
}
const at = (phase: string, step: number) => (event: JobEvent) =>
  event.event === 'metrics' && event.phase === phase && event.step === step;
const { context } = testContext();
const keep = (model: string, step: number) => keepCheckpoint({ folder, model, step }, context);
const progress = (model: string) => join(folder, 'checkpoints', `${model}.progress`);

it('keeps a checkpoint of base training, and another project trains on from it', async () => {
  await trainUntil(at('base_training', 11));
  const listed = checkpointsOf(folder, 0);
  expect(listed[0]).toMatchObject({ model: 'base_model_v1', step: 11 });
  const best = listed.find((one) => one.best)?.step ?? 0;
  expect(best).toBeGreaterThan(0);

  const { model } = await keep('base_model_v1', 11);
  expect(model).toBe('base_model_v1_step_11');
  const newest = readCheckpointFolder(join(progress('base_model_v1'), 'step-0000011'));
  const kept = loadModel(join(folder, 'checkpoints', model));
  expect(kept.weights).toEqual(newest.weights);
  expect(kept.provenance).toMatchObject({ checkpoint_of: 'base_model_v1', iterations: 11 });
  // The best one is in the newest, too: its own checkpoint may be gone.
  const { model: bestOne } = await keep('base_model_v1', best);
  const [name = '', array] = Object.entries(loadModel(join(folder, 'checkpoints', bestOne)).weights)[0] ?? [];
  expect(array).toEqual(newest.optimizer?.[`best.${name}`]);

  const manifest = () => readFileSync(join(folder, 'checkpoints', model, 'manifest.json'), 'utf8');
  const before = manifest();
  expect(await keep('base_model_v1', 11)).toEqual({ model });
  expect(manifest()).toBe(before);

  const { given: again } = settingsAgain(folder, model);
  const forked = join(home, 'forked');
  const settings = { ...again, max_iters: 2, eval_interval: 2, max_cycles: 0 };
  const results = await cycleJob(projectRequest(forked, settings), context);
  expect(results['base']).toMatchObject({ iterations: 2 });
});

it('keeps one of GRPO, whose phase goes on as if nothing had been', async () => {
  await trainUntil(at('grpo', 3));
  expect(checkpointsOf(folder, 0)).toEqual([]);
  const { model } = await keep('base_model_v2', 3);
  const kept = loadModel(join(folder, 'checkpoints', model));
  expect(Object.keys(kept.weights)).toEqual(Object.keys(loadModel(join(folder, 'checkpoints/base_model_v1')).weights));
  const results = await cycleJob({ folder, settings: null, given: {} }, context);
  expect(results['cycles']).toHaveLength(1);
  expect(checkpointsOf(folder, 1)).toEqual([]);
});

it('says where one is gone, and takes nothing else for one', async () => {
  // What was kept stays, though its checkpoint is gone.
  expect(await keep('base_model_v1', 11)).toEqual({ model: 'base_model_v1_step_11' });
  for (const [model, step] of [
    ['base_model_v1', 12],
    ['base_model_v2', 3_000],
    ['reward_model_v1', 4],
    ['../stopped', 4],
  ] as const) {
    expect(await faultOfAsync(keep(model, step))).toMatchObject({ code: 'checkpoint', field: 'step' });
  }
});
