// Resume of unfinished reward data: after the last synced samples, to the same bytes.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRewardDatasetWriter,
  recoverRewardDataset,
  type RewardDatasetOptions,
} from '../../../main/storage/datasets/reward-dataset-writer.js';
import { acquireLock } from '../../../main/storage/disk/lock.js';
import { useDatasetFolder } from './dataset-folder.js';
import { faultOf } from '../fault-of.js';
import { contents } from '../faults.js';

const N = 4;
const options: RewardDatasetOptions = {
  blockSize: N,
  tokenization: { method: 'char', vocabSize: 65 },
  settings: { seed: 42, temperature: 1, top_k: null },
  provenance: { seed: 42 },
};
const plan = { train: 700, val: 90 };

const dir = useDatasetFolder();
const partial = (...names: string[]): string => path.join(`${dir()}.partial`, ...names);

/** Writes samples that depend on their index only, in batches, until `limit` of them; finishes when that is all. */
function run(target: string, limit = Infinity, batch = 32, changes: Partial<RewardDatasetOptions> = {}) {
  const writer = createRewardDatasetWriter(target, { ...options, ...changes });
  let left = limit;
  try {
    for (const split of ['train', 'val'] as const) {
      let { planned, skipped } = writer.settled[split];
      while (planned < plan[split]) {
        if (left <= 0) return writer.settled;
        const indices = Array.from({ length: Math.min(batch, plan[split] - planned) }, (_, i) => planned + i);
        const kept = indices.filter((index) => index % 50 !== 49); // every fiftieth cannot be generated
        planned += indices.length;
        skipped += indices.length - kept.length;
        left -= indices.length;
        const x = Uint16Array.from(
          kept.flatMap((index) => [index, index + 1, index + 2, index + 3].map((id) => id % 65)),
        );
        const y = Float32Array.from(kept.flatMap((index) => [((index % 3) + 1) / N, (3 - (index % 3)) / N]));
        writer.append(split, x, y, { planned, skipped });
      }
    }
    writer.finish();
    return writer.settled;
  } finally {
    writer.close();
  }
}

describe('a run that was interrupted', () => {
  it('ends with the bytes of an uninterrupted one, wherever and however often it stopped', () => {
    run(dir('whole'));
    const whole = contents(dir('whole'));
    expect(whole['train_metadata.txt']).toContain('num_samples: 686\n');
    expect(whole['val_metadata.txt']).toContain('skipped_samples: 1\n');
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 4 }), (stops) => {
        fs.rmSync(dir(), { recursive: true, force: true });
        for (const stop of stops) run(dir(), stop, 32, { overwrite: true });
        run(dir(), Infinity, 32, { overwrite: true });
        expect(contents(dir())).toEqual(whole);
        expect(fs.existsSync(partial())).toBe(false);
      }),
      { numRuns: 25 },
    );
  });

  it('starts over when files or progress are damaged', () => {
    run(dir('whole'));
    const damages: readonly ((file: (name: string) => string) => void)[] = [
      (file) => fs.truncateSync(file('train_x.bin'), 2000),
      (file) => fs.appendFileSync(file('train_y.bin'), 'what a crash left'),
      () => fs.writeFileSync(partial('progress.json'), '{"format_version": 1'),
      (file) => fs.rmSync(file('train_y.bin')),
    ];
    for (const damage of damages) {
      run(dir(), 600);
      damage((name) => partial('dataset', name));
      run(dir());
      expect(contents(dir())).toEqual(contents(dir('whole')));
      fs.rmSync(dir(), { recursive: true });
    }
  });

  it('is not gone on with by a run of other settings, unless it may be replaced', () => {
    run(dir(), 300);
    const other = { ...options.settings, temperature: 0.8, top_k: 40 };
    expect(faultOf(() => run(dir(), 1, 32, { settings: other }))).toMatchObject({
      code: 'exists',
      message: `${dir()} was begun with other settings and is not finished: temperature is 1 there, 0.8 now; top_k is null there, 40 now`,
      field: 'output_dir',
    });
    expect(run(dir(), 0).train.planned).toBe(320); // still there
    expect(run(dir(), 0, 32, { settings: other, overwrite: true }).train.planned).toBe(0);
  });

  it('is one process’s at a time, and leaves alone what is not its own', () => {
    const writer = createRewardDatasetWriter(dir(), options);
    expect(faultOf(() => run(dir())).code).toBe('locked');
    writer.close();
    fs.mkdirSync(partial());
    fs.writeFileSync(partial('novel.txt'), 'mine');
    expect(faultOf(() => run(dir(), 1, 32, { overwrite: true }))).toMatchObject({
      code: 'exists',
      message: `${partial()} holds something other than unfinished reward data: novel.txt`,
    });
    expect(fs.readFileSync(partial('novel.txt'), 'utf8')).toBe('mine');
  });

  it('is left alone if another process has just started it, or if a file is in its place', () => {
    fs.mkdirSync(partial(), { recursive: true });
    const lock = acquireLock(partial(), 'another');
    recoverRewardDataset(dir());
    expect(fs.readdirSync(partial())).toEqual(['lock']);
    lock.release();
    fs.rmSync(partial(), { recursive: true });
    fs.writeFileSync(partial(), 'mine');
    expect(faultOf(() => run(dir()))).toMatchObject({
      code: 'exists',
      message: expect.stringContaining(`unfinished reward data: ${path.basename(partial())}`) as string,
    });
    expect(fs.readFileSync(partial(), 'utf8')).toBe('mine');
  });

  it('that was finished a moment before it died is cleared up after', () => {
    run(dir('whole'));
    run(dir(), 300);
    fs.rmSync(partial('dataset'), { recursive: true }); // as if it had been given its place
    fs.cpSync(dir('whole'), dir(), { recursive: true });
    expect(faultOf(() => run(dir())).message).toContain('There is a reward dataset already');
    expect(fs.existsSync(partial())).toBe(false);
    fs.mkdirSync(partial());
    fs.writeFileSync(partial('progress.json'), '');
    recoverRewardDataset(dir());
    expect(fs.existsSync(partial())).toBe(false);
    expect(contents(dir())).toEqual(contents(dir('whole')));
  });
});
