/** A missing or full folder for temporary files is reported with a hint, not as a bug. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonLines, onFullDisk, smallest, temporaryFolder, verisim, writeText } from './program.js';

const folder = temporaryFolder();
const text = writeText(folder);
const model = join(folder, 'trained', 'model');
const train = (name: string) => ['train', ...smallest, '--data_path', text, '--out_dir', join(folder, name), '--json'];
/** The first writes TensorFlow's graphs there, the second a text's tokens. */
const commands = (name: string): [string, string[]][] => [
  ['train', train(name)],
  ['perplexity', ['perplexity', model, '--data_path', text, '--json']],
];

const faultIn = (lines: readonly { event?: string; fault?: unknown }[]) =>
  lines.find(({ event }) => event === 'error')?.fault;

describe('the folder for temporary files', () => {
  beforeAll(async () => expect((await verisim(train('trained'))).code).toBe(0));

  it.each(commands('never'))('is missing: %s', async (_name, args) => {
    const { code, stdout } = await verisim(args, { environment: { TMPDIR: join(folder, 'nowhere') } });
    expect(code).not.toBe(0);
    expect(faultIn(jsonLines(stdout))).toMatchObject({
      code: 'file_not_writable',
      message: expect.stringContaining(join(folder, 'nowhere', 'verisim-')),
      hint: expect.stringContaining('TMPDIR'),
    });
  });

  it.each(commands('full'))('is on a full disk: %s', (_name, args) => {
    const disk = join(folder, 'disk');
    mkdirSync(disk, { recursive: true });
    const lines = onFullDisk(disk, { TMPDIR: disk }, args);
    if (lines === null) return;
    expect(faultIn(lines)).toMatchObject({
      code: 'disk_full',
      message: expect.stringContaining(join(disk, 'verisim-')),
    });
  });
});
