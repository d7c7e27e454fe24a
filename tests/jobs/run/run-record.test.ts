/** Runs of earlier versions, whose record does not name a setting. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keptBefore } from '../../../shared/config/data.js';
import { asStarted, openRunRecord } from '../../../main/jobs/run/run-record.js';
import { temporaryFolder } from '../../storage/faults.js';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a run of an earlier version keeps its text as it was prepared, a new one as the user says', () => {
  const file = join(folder, 'run.json');
  const config = { out_dir: folder, overwrite: false, preset: 'none', data_path: 'book.txt', keep: 'nothing' };
  const open = (settings: typeof config) => openRunRecord(file, { command: 'train', settings, inputs: [] });
  open(config);
  expect(asStarted('train', { ...config, keep: 'lines' }).keep).toBe('lines');
  expect(() => open({ ...config, keep: 'lines' })).toThrow(/keep/);
  const { settings, ...record } = JSON.parse(readFileSync(file, 'utf8'));
  const { keep: _, ...earlier } = settings;
  writeFileSync(file, JSON.stringify({ ...record, settings: earlier }));
  expect(() => open(config)).toThrow(/keep/);
  const started = asStarted('train', config);
  expect(started.keep).toBe(keptBefore);
  expect(() => open(started)).not.toThrow();
});
