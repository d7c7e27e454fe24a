/** What XLA has compiled is kept on the disk: the next process finds it, makes the same bytes with it, and says nothing of it. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { onFullDisk, smallest, temporaryFolder, verisim, writeText } from './program.js';

/** A cache folder with all that the set-up has put into the real one, and nothing compiled. */
function emptyCache(folder = temporaryFolder()): string {
  mkdirSync(join(folder, 'verisim'));
  for (const name of readdirSync(cacheFolder())) {
    if (name !== 'compiled') symlinkSync(join(cacheFolder(), name), join(folder, 'verisim', name));
  }
  return folder;
}

it('serves a second process, which is silent and writes the same weights', async () => {
  const cache = emptyCache();
  const folder = temporaryFolder();
  const train = ['train', ...smallest, '--data_path', writeText(folder), '--max_iters', '5', '--json'];
  const run = async (name: string) => {
    const out = join(folder, name);
    // A person's own flags for XLA stay beside it.
    const environment = { XDG_CACHE_HOME: cache, TF_XLA_FLAGS: '--tf_xla_clustering_debug=false' };
    const outcome = await verisim([...train, '--out_dir', out], { environment });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    return readFileSync(join(out, 'model', 'weights.safetensors'));
  };
  const filesOf = () => {
    const [machine = ''] = readdirSync(join(cache, 'verisim', 'compiled'));
    return join(cache, 'verisim', 'compiled', machine);
  };
  const kept = () => readdirSync(filesOf()).map((name) => [name, statSync(join(filesOf(), name)).mtimeMs]);
  const first = await run('first');
  const compiled = kept();
  expect(compiled.length).toBeGreaterThan(0);
  const second = await run('second');
  expect(second.equals(first)).toBe(true);
  expect(kept(), 'nothing was compiled again').toEqual(compiled);

  // Of more than is kept, what was used last stays, whenever it was compiled.
  const [used, unused] = [join(filesOf(), 'used'), join(filesOf(), 'unused')];
  for (const [file, read, written] of [
    [used, Date.now() / 1000 - 60, 1e9],
    [unused, 1.1e9, 1.1e9],
  ] as const) {
    writeFileSync(file, '');
    truncateSync(file, 200 * 2 ** 20);
    utimesSync(file, read, written);
  }
  await run('third');
  expect([existsSync(used), existsSync(unused)]).toEqual([true, false]);
  expect(kept()).toEqual(expect.arrayContaining(compiled));
});

it('says that the disk is full where what is compiled cannot be kept', () => {
  const folder = temporaryFolder();
  const [cache, disk] = [emptyCache(), join(folder, 'disk')];
  mkdirSync(disk);
  symlinkSync(disk, join(cache, 'verisim', 'compiled'));
  const args = ['train', ...smallest, '--data_path', writeText(folder), '--max_iters', '1', '--json'];
  const lines = onFullDisk(disk, { XDG_CACHE_HOME: cache }, [...args, '--out_dir', join(folder, 'out')]);
  if (lines === null) return; // nothing may be mounted here
  expect(lines.find(({ event }) => event === 'error')?.['fault']).toMatchObject({
    code: 'disk_full',
    message: expect.stringContaining(join(cache, 'verisim', 'compiled')),
  });
});
