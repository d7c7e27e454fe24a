/** A project's settings given again: the command that trains on is one that the terminal takes, and that trains. */
import { execFileSync } from 'node:child_process';
import { join, isAbsolute, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { cycleJob } from '../../../main/jobs/project/cycle.js';
import { trainingOnCommand, projectConfigOf } from '../../../main/jobs/project/project-settings.js';
import { openProject } from '../../../main/storage/projects/project-folder.js';
import { program } from '../../../shared/config/command-line.js';
import { projectCommandShape } from '../../../shared/config/commands.js';
import { pathSettings } from '../../../shared/config/index.js';
import { plainTraining } from '../../../shared/reports/cycle-control.js';
import { reportSchema } from '../../../shared/reports/report.js';
import { verisim, writeText } from '../../cli/program.js';
import { projectRequest, temporaryFolder, testContext } from '../context.js';

const home = temporaryFolder();
const given = {
  ...{ data_path: writeText(home), preset: 'nano', threads: 1, ...plainTraining },
  ...{ n_layer: 1, n_head: 2, n_embd: 16, block_size: 8, batch_size: 4, max_iters: 4, eval_interval: 4, eval_iters: 2 },
};
const around = (gain: number) => ({ gain, interval: { low: gain - 0.02, high: gain + 0.02 } });
const report = (cycle: number, trained: number) =>
  reportSchema.parse({
    ...{ cycle, name: `base_model_v${cycle}`, val_loss: 1, perplexity: 3, samples: [] },
    control: {
      ...{ judge: 'judge_model_v1', share: 0.5, cycle: around(0.1), lead: around(0.1 - trained) },
      trained_on: { ...around(trained), steps: 9, val_loss: 2 },
      temperature: { temperature: 0.9, gain: 0.1, variety: 0.5 },
      variety: { before: 0.6, after: 0.55 },
    },
  });

it.each(['char', 'learned'])('trains a project with %s tokens on, without cycles', async (tokenization) => {
  const folder = join(home, `a ${tokenization} project`);
  const settings = { ...given, tokenization, ...(tokenization === 'char' ? {} : { vocab: 300 }) };
  await cycleJob(projectRequest(folder, settings), testContext().context);
  expect(trainingOnCommand(folder, [report(0, 0), report(1, 0)])).toBeNull();
  const command = trainingOnCommand(folder, [report(0, 0), report(1, 0.3)]) ?? '';
  expect(command.startsWith(`${program} cycle `)).toBe(true);
  // A size of one's own is described by its differences from the nearest preset.
  expect(command).toContain(' --preset nano ');
  expect(command).not.toContain(' --reward_train_samples ');
  const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command.slice(program.length)}`], { encoding: 'utf8' });
  const { code, stderr } = await verisim(words.trim().split('\n'), { cwd: home });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  const made = openProject(`${folder}-trained-on`).config;
  expect(made).toMatchObject({
    ...plainTraining,
    max_iters: 4,
    init_from: join(folder, 'checkpoints/base_model_v1'),
  });
});

const settingsOf = (given: object) => z.object(projectCommandShape).parse({ project: 'p', ...given });

it('makes every path absolute that a setting declares, and nothing else', () => {
  expect(pathSettings).toEqual(expect.arrayContaining(['data_path', 'train_bin', 'val_bin', 'meta_path', 'init_from']));
  const given = Object.fromEntries(pathSettings.map((key) => [key, `./texts/${key}`]));
  const config: Readonly<Record<string, unknown>> = projectConfigOf(settingsOf({ ...given, text_field: 'texts/it' }));
  expect(pathSettings.map((key) => config[key])).toEqual(pathSettings.map((key) => resolve('texts', key)));
  expect(config['text_field']).toBe('texts/it');
  expect(Object.values(config).filter((value) => typeof value === 'string' && isAbsolute(value))).toHaveLength(
    pathSettings.length,
  );
});

it('leaves out what is not given, and the word for nothing', () => {
  const config = projectConfigOf(settingsOf({ init_from: 'scratch' }));
  expect(pathSettings.filter((key) => key in config)).toEqual([]);
  expect(config).not.toHaveProperty('project');
});
