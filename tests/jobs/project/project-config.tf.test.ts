/** main/jobs/project/project-config.ts: a project works from any folder, whatever files its settings name. */
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { expect, it } from 'vitest';
import { projectConfigOf } from '../../../main/jobs/project/project-settings.js';
import { projectCommandShape } from '../../../shared/config/commands.js';
import { pathSettings } from '../../../shared/config/index.js';

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
