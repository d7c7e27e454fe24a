/** The same bytes in every process, and memory that does not grow: each run is a process of its own. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireTensorflow } from '../../../scripts/setup/require-tensorflow.mjs';

interface Result {
  readonly hash: string;
  readonly grown: number;
  readonly rss: readonly number[];
}

let folder = '';

async function train(way: string, steps: number, ...more: string[]): Promise<Result> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    // A small nursery: otherwise JavaScript's own heap grows for a while, which is no leak.
    '--max-semi-space-size=1',
    join(folder, 'train.mjs'),
    way,
    String(steps),
    ...more,
  ]);
  return JSON.parse(stdout) as Result;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verisim-determinism-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: [resolve('tests/engine/runtime/fixtures/train-hash.ts')],
    outfile: join(folder, 'train.mjs'),
    bundle: true,
    packages: 'external',
    plugins: [requireTensorflow(resolve('.'))],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('two processes', () => {
  it.each(['graph', 'xla'])('compute the same bytes, as %s', async (way) => {
    const [first, second] = await Promise.all([train(way, 40), train(way, 40)]);
    expect(first.hash).toBe(second.hash);
  });
});

describe('two thousand steps', () => {
  it('hold no more memory at the end than after the first hundreds', async () => {
    const { grown, rss } = await train('graph', 2000);
    expect(grown).toBe(0);
    const [early = 0] = rss.slice(4);
    // TensorFlow's allocator settles in the first hundreds of steps; 2,000 leaked steps of this size would be 8 MB.
    expect((rss.at(-1) ?? Infinity) - early).toBeLessThan(4 * 2 ** 20);
  });
});

describe('the compile cache', () => {
  /** The files in it, with their sizes. */
  const kept = (cache: string) =>
    readdirSync(cache, { recursive: true, encoding: 'utf8' })
      .map((name) => ({ path: join(cache, name), size: statSync(join(cache, name)).size, name }))
      .filter(({ name }) => name.endsWith('.pb'));

  it('gives the next process the same function, and a damaged file in it is replaced', async () => {
    const cache = join(folder, 'cache');
    mkdirSync(cache);
    const first = await train('xla', 10, cache);
    const [file, ...more] = kept(cache);
    if (!file) throw new Error('nothing was kept');
    expect(more).toEqual([]);
    expect((await train('xla', 10, cache)).hash).toBe(first.hash);
    expect(kept(cache)).toEqual([file]);
    expect((await train('xla', 10, cache, 'after others')).hash).toBe(first.hash);
    expect(kept(cache), 'whatever its session had to do with before').toEqual([file]);
    truncateSync(file.path, Math.floor(file.size / 2));
    expect((await train('xla', 10, cache)).hash).toBe(first.hash);
    expect(kept(cache)).toEqual([file]);
  });

  it('may be removed while a process has it, and is kept though a file in it goes meanwhile', async () => {
    const cache = join(folder, 'gone');
    mkdirSync(cache);
    const { hash } = await train('xla', 10, cache, 'without it');
    expect((await train('xla', 10, cache)).hash).toBe(hash);
    const [file, ...more] = kept(cache);
    if (!file) throw new Error('nothing was kept');
    expect(more).toEqual([]);
    // Who lists the folder finds a name, and then no file of it.
    symlinkSync(join(folder, 'nowhere'), join(dirname(file.path), 'gone.pb'));
    rmSync(file.path);
    expect((await train('xla', 10, cache)).hash).toBe(hash);
    expect(existsSync(file.path)).toBe(true);
  });
});
