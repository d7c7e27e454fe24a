/**
 * Shows that the results of training have not changed: hashes of two small projects against tests/golden/hashes.json.
 *
 * On the processor that the hashes were recorded on, every compared file must be equal. On another one, floating-point results
 * may differ in their last digits, so only files without such results, and the loss of base training, are compared with the
 * record; that a second project equals the first is for tests/supervisor/tensorflow.own.test.ts. `npm run golden:record` replaces the
 * record. To record what another version makes, name its built command line:
 * VERISIM_GOLDEN_PROGRAM=../base/dist/cli.js npm run golden:record.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { baseLoss, describeProcessor, hashProject, kinds, makeProject, type Kind } from './project.js';

interface Golden {
  readonly processor: string;
  readonly base_loss: Readonly<Record<Kind, number>>;
  readonly hashes: Readonly<Record<Kind, Readonly<Record<string, string>>>>;
}

const recordPath = new URL('hashes.json', import.meta.url);
const program = resolve(process.env['VERISIM_GOLDEN_PROGRAM'] ?? 'dist/cli.js');
const folder = mkdtempSync(join(tmpdir(), 'verisim-golden-'));
let made: Golden;

/** Text becomes tokens without floating-point arithmetic. */
const isExact = (file: string) => file.startsWith('data/');
const onlyExact = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).filter(([file]) => isExact(file)));

beforeAll(async () => {
  const [critic, head] = await Promise.all(kinds.map((kind) => makeProject(program, folder, kind, kind)));
  if (critic === undefined || head === undefined) throw new Error('no project was made');
  made = {
    processor: describeProcessor(),
    base_loss: { critic: baseLoss(critic), head: baseLoss(head) },
    hashes: { critic: hashProject(critic), head: hashProject(head) },
  };
  if (process.env['VERISIM_RECORD']) writeFileSync(recordPath, `${JSON.stringify(made, null, 2)}\n`);
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(kinds)('a project with the reward kind %s equals the record', (kind) => {
  const recorded = JSON.parse(readFileSync(recordPath, 'utf8')) as Golden;
  const isSame = recorded.processor === made.processor;
  process.stderr.write(
    isSame
      ? `golden: all files of "${kind}" are compared, as on the recorded processor\n`
      : `golden: of "${kind}" only data and the base loss are compared: recorded on ${recorded.processor}; this is ${made.processor}\n`,
  );
  const compared = isSame ? (files: Readonly<Record<string, string>>) => files : onlyExact;
  expect(Object.keys(made.hashes[kind])).toEqual(Object.keys(recorded.hashes[kind]));
  expect(compared(made.hashes[kind])).toEqual(compared(recorded.hashes[kind]));
  expect(made.base_loss[kind]).toBeCloseTo(recorded.base_loss[kind], 3);
});
