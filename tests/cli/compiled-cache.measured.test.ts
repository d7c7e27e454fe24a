/** XLA's compiled code is cached on the disk: the next process uses it silently and makes the same bytes. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { onFullDisk, smallest, temporaryFolder, verisim, writeText } from './program.js';

/** A cache folder with the contents of the real one, except for compiled code. */
function emptyCache(folder = temporaryFolder()): string {
  fs.mkdirSync(join(folder, 'verisim'));
  for (const name of fs.readdirSync(cacheFolder())) {
    if (name !== 'compiled') fs.symlinkSync(join(cacheFolder(), name), join(folder, 'verisim', name));
  }
  return folder;
}

it('serves a second process, which is silent and writes the same weights', async () => {
  const cache = emptyCache();
  const folder = temporaryFolder();
  const train = ['train', ...smallest, '--data_path', writeText(folder), '--max_iters', '5', '--json'];
  const run = async (name: string) => {
    const out = join(folder, name);
    // The user's own flags for XLA stay.
    const environment = { XDG_CACHE_HOME: cache, TF_XLA_FLAGS: '--tf_xla_clustering_debug=false' };
    const outcome = await verisim([...train, '--out_dir', out], { environment });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    return fs.readFileSync(join(out, 'model', 'weights.safetensors'));
  };
  const filesOf = () => {
    const [machine = ''] = fs.readdirSync(join(cache, 'verisim', 'compiled'));
    return join(cache, 'verisim', 'compiled', machine);
  };
  const cached = () => fs.readdirSync(filesOf()).map((name) => [name, fs.statSync(join(filesOf(), name)).mtimeMs]);
  const first = await run('first');
  const compiled = cached();
  expect(compiled.length).toBeGreaterThan(0);
  const second = await run('second');
  expect(second.equals(first)).toBe(true);
  expect(cached(), 'nothing was compiled again').toEqual(compiled);

  // Above the limit, the files used last stay, whenever they were compiled.
  const [used, unused] = [join(filesOf(), 'used'), join(filesOf(), 'unused')];
  for (const [file, read, written] of [
    [used, Date.now() / 1000 - 60, 1e9],
    [unused, 1.1e9, 1.1e9],
  ] as const) {
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 200 * 2 ** 20);
    fs.utimesSync(file, read, written);
  }
  await run('third');
  expect([fs.existsSync(used), fs.existsSync(unused)]).toEqual([true, false]);
  expect(cached()).toEqual(expect.arrayContaining(compiled));
});

it('reports a full disk if compiled code cannot be cached', () => {
  const folder = temporaryFolder();
  const [cache, disk] = [emptyCache(), join(folder, 'disk')];
  fs.mkdirSync(disk);
  fs.symlinkSync(disk, join(cache, 'verisim', 'compiled'));
  const args = ['train', ...smallest, '--data_path', writeText(folder), '--max_iters', '1', '--json'];
  const lines = onFullDisk(disk, { XDG_CACHE_HOME: cache }, [...args, '--out_dir', join(folder, 'out')]);
  if (lines === null) return; // nothing may be mounted here
  expect(lines.find(({ event }) => event === 'error')?.['fault']).toMatchObject({
    code: 'disk_full',
    message: expect.stringContaining(join(cache, 'verisim', 'compiled')),
  });
});
