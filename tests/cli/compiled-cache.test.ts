/** What XLA has compiled is kept on the disk: the next process finds it, makes the same bytes with it, and says nothing of it. */
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { smallest, temporaryFolder, verisim, writeText } from './program.js';

/** A cache folder with all that the set-up has put into the real one, and nothing compiled. */
function emptyCache(): string {
  const folder = temporaryFolder();
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
  const kept = () => {
    const [machine = ''] = readdirSync(join(cache, 'verisim', 'compiled'));
    const of = join(cache, 'verisim', 'compiled', machine);
    return readdirSync(of).map((name) => [name, statSync(join(of, name)).mtimeMs]);
  };
  const first = await run('first');
  const compiled = kept();
  expect(compiled.length).toBeGreaterThan(0);
  const second = await run('second');
  expect(second.equals(first)).toBe(true);
  expect(kept(), 'nothing was compiled again').toEqual(compiled);
});
