/**
 * Folders that a version made whose preset `tiny` was what is `classic` now (commit d5eb6ea, without TensorFlow), interrupted in
 * base training: the same command resumes them as they were started, and they end with the bytes of `classic`.
 */
import { readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { trainJob } from '../../../main/jobs/commands/train.js';
import { cycleJob } from '../../../main/jobs/project/cycle.js';
import { trainCommandShape } from '../../../shared/config/commands.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { openProject } from '../../../main/storage/projects/project-folder.js';
import { projectSettings, temporaryFolder, testContext } from '../context.js';
import { z } from 'zod';
import { unpackEarlier, type EarlierSettings } from './earlier.js';

const home = temporaryFolder();
const at = (...steps: string[]) => join(home, ...steps);
let settings: EarlierSettings;

beforeAll(() => {
  settings = unpackEarlier('earlier-preset', home);
});
afterAll(() => rmSync(home, { recursive: true }));

const weights = (...folder: string[]) => readFileSync(at(...folder, 'weights.safetensors')).toString('base64');

it('a project is resumed with the settings that it was made with, whatever its preset says now', async () => {
  const cycle = async (name: string, more: object) => {
    const given = { ...settings.cyc, max_cycles: 0, ...more };
    const { context, events } = testContext(undefined, 'plain');
    const folder = at(name);
    const results = await cycleJob(
      { folder, settings: projectSettings({ ...given, project: folder }), given },
      context,
    );
    return { results, first: events.find((event) => event.event === 'metrics') };
  };
  const resumed = await cycle('project', {});
  expect(resumed.first).toMatchObject({ step: 4 });
  expect(openProject(at('project')).config).toMatchObject({ learning_rate: 1e-3, lr_schedule: 'cosine' });
  expect(openProject(at('project')).config.architecture ?? 'gpt2').toBe('gpt2');
  await cycle('whole', { preset: 'classic' });
  expect(weights('project', 'checkpoints', 'base_model_v1')).toBe(weights('whole', 'checkpoints', 'base_model_v1'));
  // A size is what a preset is: another one is another project's.
  const { n_layer: _layers, ...sizeless } = settings.cyc;
  await expect(
    cycleJob(
      { folder: at('project'), settings: null, given: { ...sizeless, preset: 'small' } },
      testContext(undefined, 'plain').context,
    ),
  ).rejects.toThrow('n_layer is 1 there, 6 was requested');
});

it('the output folder of a command is, too; another rate is another run', async () => {
  const runTo = (out_dir: string, more: object = {}) => {
    const resolved = resolveSettings(trainCommandShape, { ...settings.small, out_dir, ...more });
    if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
    const { context, events } = testContext(undefined, 'plain');
    const config = z.object(trainCommandShape).parse(resolved.value);
    return trainJob(config, context).then((results) => ({ results, events }));
  };
  // The text is the one that was read then.
  const { inputs } = z
    .object({ inputs: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(at('train/run.json'), 'utf8')));
  const modified = Number(inputs[at('text.txt')]?.split(', ')[1]) / 1000;
  utimesSync(at('text.txt'), modified, modified);
  await expect(runTo(at('train'), { learning_rate: 2e-3 })).rejects.toThrow('learning_rate is 0.001 there, 0.002 now');
  const resumed = await runTo(at('train'));
  expect(resumed.events.find((event) => event.event === 'metrics')).toMatchObject({ step: 4 });
  await runTo(at('trained'), { preset: 'classic' });
  expect(weights('train', 'model')).toBe(weights('trained', 'model'));
});
