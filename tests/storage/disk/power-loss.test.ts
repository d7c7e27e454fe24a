/**
 * The power goes in the middle of writing: of what was not synced any part may be on the disk, in any order. For every
 * protocol of writing and every moment, what is loaded afterwards is the old state or the new one.
 */
import * as path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  copyFileAtomic,
  ensureFolder,
  recover,
  removeFolderAtomic,
  writeFileAtomic,
  writeFolderAtomic,
} from '../../../main/storage/disk/atomic.js';
import { createCheckpointSlot } from '../../../main/storage/projects/checkpoint-store.js';
import { readText, writeAll } from '../../../main/storage/disk/file-bytes.js';
import type { FileOperations } from '../../../main/storage/disk/file-operations.js';
import { cutBack, openJsonLines, readJsonLines } from '../../../main/storage/disk/json-lines.js';
import { verifyFolder } from '../../../main/storage/disk/manifest.js';
import { loadModel, saveModel } from '../../../main/storage/projects/models.js';
import { createProject, openProject } from '../../../main/storage/projects/project-folder.js';
import { addPick, readDocument, readPicks, saveDocument } from '../../../main/storage/projects/writing.js';
import { createRewardDatasetWriter } from '../../../main/storage/datasets/reward-dataset-writer.js';
import { copyFolder, stageFile, stageFolder } from '../../../main/storage/disk/staged.js';
import { modelConfigSchema, projectConfigSchema } from '../../../shared/config/index.js';
import { type Fate, MemoryDisk } from '../memory-disk.js';

interface Protocol {
  readonly name: string;
  /** What is safely on the disk before. */
  before?(ops: FileOperations): unknown;
  act(ops: FileOperations): unknown;
  /** What a person finds afterwards, recovered first; one of `states`. @throws when it is neither old nor new */
  load(ops: FileOperations): unknown;
  /** Every state that may be found, the last one being what must be found when `act` has returned. */
  readonly states: readonly unknown[];
}

const checkpoint = (step: number) => ({
  weights: { w: { shape: [3], data: Float32Array.of(step, step / 2, -step) } },
  optimizer: { m: { shape: [1], data: Float32Array.of(step) } },
  state: { step },
});
const config = projectConfigSchema.parse({ data_path: '/books/a.txt' });
const info = { name: 'p', verisim_version: '1' };
const network = modelConfigSchema.parse({ n_layer: 1, n_head: 1, n_embd: 2, vocab_size: 3, block_size: 4 });
const model = (step: number) => ({
  weights: checkpoint(step).weights,
  config: network,
  tokenization: { method: 'bpe' as const, vocab_size: 3 },
  provenance: { step },
});

/** The text of a folder's files, which its manifest vouches for; null when there is none. */
const folderText = (folder: string, ops: FileOperations) => {
  recover(path.dirname(folder), undefined, ops);
  if (ops.kind(folder) === 'none') return null;
  return verifyFolder(folder, ops).map((name) => readText(path.join(folder, name), ops));
};
const fileText = (file: string, ops: FileOperations) => {
  recover(path.dirname(file), undefined, ops);
  return ops.kind(file) === 'none' ? null : readText(file, ops);
};
const slotIn = (ops: FileOperations) => createCheckpointSlot('/run/checkpoints', { ops });
const rows = (ops: FileOperations) => [...readJsonLines('/run/log.jsonl', (row) => row, ops)];
const dataset = (ops: FileOperations) =>
  createRewardDatasetWriter(
    '/run/data',
    { blockSize: 2, tokenization: { method: 'char', vocabSize: 65 }, settings: { seed: 1 } },
    ops,
  );
const samples = (first: number, count: number) =>
  [
    Uint16Array.from({ length: 2 * count }, (_, i) => (2 * first + i) % 65),
    Float32Array.from({ length: 2 * count }, () => 0.5),
  ] as const;

const pick = (id: string) => ({
  id: id.repeat(32),
  ...{ context: 'Once', kept: ' upon', chosen: ' upon a time', others: [' more'], model: 'base_model_v1' },
  ...{ temperature: 1, top_p: 0.9, min_p: 0, repetition_penalty: 1, at: '2026-11-27T00:00:00.000Z' },
});

const protocols: readonly Protocol[] = [
  {
    name: 'a new file',
    act: (ops) => writeFileAtomic('/a/b/file', 'new', ops),
    load: (ops) => fileText('/a/b/file', ops),
    states: [null, 'new'],
  },
  {
    name: 'a file replaced',
    before: (ops) => writeFileAtomic('/a/file', 'old', ops),
    act: (ops) => writeFileAtomic('/a/file', 'new and longer', ops),
    load: (ops) => fileText('/a/file', ops),
    states: ['old', 'new and longer'],
  },
  {
    name: 'a copy of a file',
    before: (ops) => writeFileAtomic('/from', 'old', ops),
    act: (ops) => copyFileAtomic('/from', '/a/file', ops),
    load: (ops) => fileText('/a/file', ops),
    states: [null, 'old'],
  },
  {
    name: 'a copy of a folder',
    before(ops) {
      writeFolderAtomic('/from', { a: 'old a', b: 'old b' }, { ops });
      writeFileAtomic('/from/in/c', 'old c', ops);
      ensureFolder('/to', ops);
    },
    act: (ops) => copyFolder('/from', '/to/copy', ops),
    load: (ops) => [folderText('/to/copy', ops), fileText('/to/copy/in/c', ops)],
    states: [
      [null, null],
      [['old a', 'old b'], 'old c'],
    ],
  },
  {
    name: 'a new folder',
    act: (ops) => writeFolderAtomic('/m', { a: 'new a', b: 'new b' }, { ops }),
    load: (ops) => folderText('/m', ops),
    states: [null, ['new a', 'new b']],
  },
  {
    name: 'a folder replaced',
    before: (ops) => writeFolderAtomic('/m', { a: 'old a', c: 'old c' }, { ops }),
    act: (ops) => writeFolderAtomic('/m', { a: 'new a', b: 'new b' }, { ops }),
    load: (ops) => folderText('/m', ops),
    states: [
      ['old a', 'old c'],
      ['new a', 'new b'],
    ],
  },
  {
    name: 'a folder removed',
    before: (ops) => writeFolderAtomic('/m', { a: 'old a', c: 'old c' }, { ops }),
    act: (ops) => removeFolderAtomic('/m', ops),
    load: (ops) => folderText('/m', ops),
    states: [['old a', 'old c'], null],
  },
  {
    name: 'a staged file',
    before: (ops) => writeFileAtomic('/a/file', 'old', ops),
    act(ops) {
      const staged = stageFile('/a/file', ops);
      staged.write(Buffer.from('new '));
      staged.write(Buffer.from('text'));
      staged.commit();
    },
    load: (ops) => fileText('/a/file', ops),
    states: ['old', 'new text'],
  },
  {
    name: 'a staged folder',
    before: (ops) => writeFolderAtomic('/m', { a: 'old a' }, { ops }),
    act(ops) {
      const staged = stageFolder('/m', ops);
      writeFileAtomic(path.join(staged.path, 'a'), 'new', ops);
      staged.commit();
    },
    load(ops) {
      recover('/', undefined, ops);
      return readText('/m/a', ops);
    },
    states: ['old a', 'new'],
  },
  {
    name: 'a checkpoint, with the oldest one removed',
    before: (ops) => [10, 20].map((step) => slotIn(ops).save(checkpoint(step), step)),
    act: (ops) => slotIn(ops).save(checkpoint(30), 30),
    load: (ops) => slotIn(ops).latest(),
    states: [checkpoint(20), checkpoint(30)],
  },
  {
    name: 'a checkpoint saved again',
    before: (ops) => [10, 20].map((step) => slotIn(ops).save(checkpoint(step), step)),
    act: (ops) => slotIn(ops).save({ ...checkpoint(21), state: { step: 20 } }, 20),
    load: (ops) => slotIn(ops).latest(),
    // Between moving the old one aside and giving the new one its name, the one before is the newest.
    states: [checkpoint(10), checkpoint(20), { ...checkpoint(21), state: { step: 20 } }],
  },
  {
    name: 'a model',
    before: (ops) => saveModel('/p/model', model(1), {}, { ops }),
    act: (ops) => saveModel('/p/model', model(2), { 'meta.pkl': 'x' }, { ops }),
    load: (ops) => loadModel('/p/model', ops).provenance,
    states: [{ step: 1 }, { step: 2 }],
  },
  {
    name: 'a project',
    act: (ops) => createProject('/p', config, info, ops),
    load(ops) {
      recover('/p', undefined, ops);
      return ops.kind('/p/project.json') === 'none' ? null : openProject('/p', ops).name;
    },
    states: [null, 'p'],
  },
  {
    name: 'a log that is synced',
    before(ops) {
      const log = openJsonLines('/run/log.jsonl', ops);
      log.append({ row: 1 });
      log.sync();
      log.close();
    },
    act(ops) {
      const log = openJsonLines('/run/log.jsonl', ops);
      log.append({ row: 2 });
      log.sync();
      log.close();
    },
    load: (ops) => {
      openJsonLines('/run/log.jsonl', ops).close();
      return rows(ops);
    },
    states: [[{ row: 1 }], [{ row: 1 }, { row: 2 }]],
  },
  {
    name: 'a log, cut back to its checkpoint whatever became of what came after',
    before(ops) {
      const log = openJsonLines('/run/log.jsonl', ops);
      log.append({ step: 1 });
      log.sync();
      log.close();
    },
    act(ops) {
      const log = openJsonLines('/run/log.jsonl', ops);
      for (const step of [2, 3, 4]) log.append({ step });
      log.close();
    },
    load(ops) {
      cutBack('/run/log.jsonl', { keep: (row) => (row as { step: number }).step <= 1 }, ops);
      const byRows = rows(ops);
      cutBack('/run/log.jsonl', '{"step":1}\n'.length, ops);
      expect(byRows).toEqual(rows(ops));
      return byRows;
    },
    states: [[{ step: 1 }]],
  },
  {
    name: 'a document that is written on',
    before: (ops) => saveDocument('/p', { text: 'old', keeps_picks: true, ignored: [] }, ops),
    act: (ops) => saveDocument('/p', { text: 'new and longer', keeps_picks: false, ignored: [] }, ops),
    load: (ops) => readDocument('/p', ops).text,
    states: ['old', 'new and longer'],
  },
  {
    name: 'a choice among continuations',
    before: (ops) => addPick('/p', pick('a'), ops),
    act: (ops) => addPick('/p', pick('b'), ops),
    load(ops) {
      const found = readPicks('/p', ops);
      // Sent again, as the page does that had no answer: once all the same.
      if (found.length > 1) addPick('/p', pick('b'), ops);
      return readPicks('/p', ops).map(({ id }) => id);
    },
    states: [[pick('a').id], [pick('a').id, pick('b').id]],
  },
  {
    name: 'reward data',
    act(ops) {
      const writer = dataset(ops);
      writer.append('train', ...samples(0, 300));
      writer.append('train', ...samples(300, 20));
      writer.append('val', ...samples(320, 5));
      writer.finish();
    },
    load(ops) {
      if (ops.kind('/run/data') === 'none') {
        // Gone on with: whatever is taken over is what had been written.
        ops.makeFolder('/run');
        const writer = dataset(ops);
        const { train, val } = writer.settled;
        expect([0, 300, 320]).toContain(train.planned);
        if (train.planned < 300) writer.append('train', ...samples(0, 300));
        if (train.planned < 320) writer.append('train', ...samples(300, 20));
        if (val.planned < 5) writer.append('val', ...samples(320, 5));
        writer.finish();
      }
      return ['train_x.bin', 'train_y.bin', 'val_x.bin', 'val_y.bin'].map((name) => readText(`/run/data/${name}`, ops));
    },
    states: [
      [samples(0, 320), samples(320, 5)].flatMap((pair) =>
        pair.map(({ buffer }) => new TextDecoder().decode(new Uint8Array(buffer))),
      ),
    ],
  },
];

const fates: readonly Fate[] = ['kept', 'lost', 'half'];

describe.each(protocols)('$name', ({ before, act, load, states }) => {
  async function written(): Promise<MemoryDisk> {
    const disk = new MemoryDisk();
    await before?.(disk.ops);
    disk.begin();
    await act(disk.ops);
    return disk;
  }
  const outcome = async (disk: MemoryDisk): Promise<number> => {
    const found = await load(disk.ops);
    const at = states.findIndex((state) => isSame(state, found));
    if (at < 0) expect(found).toEqual(states.at(-1));
    return at;
  };

  it('is old or new when the power goes, at every moment', async () => {
    const disk = await written();
    for (let count = 0; count <= disk.changeCount; count += 1) {
      for (const fate of fates) {
        const at = await outcome(disk.afterPowerCut(count, () => fate));
        if (count === disk.changeCount) expect([count, fate, at]).toEqual([count, fate, states.length - 1]);
      }
    }
  });

  it('is old or new, whichever of what was not synced is there', async () => {
    const disk = await written();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(disk.changeCount),
        fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 60 }),
        async (count, chosen) => {
          await outcome(disk.afterPowerCut(count, (n) => chosen[n % chosen.length] ?? 'lost'));
        },
      ),
      { numRuns: 300 },
    );
  });
});

function isSame(a: unknown, b: unknown): boolean {
  try {
    expect(b).toEqual(a);
    return true;
  } catch {
    return false;
  }
}

describe('the disk in memory', () => {
  it('loses what was written without a sync, and would show it', async () => {
    const disk = new MemoryDisk();
    disk.begin();
    const handle = disk.ops.open('/file', 'wx');
    writeAll(handle, Buffer.from('abcd'), disk.ops);
    disk.ops.rename('/file', '/other');
    disk.ops.close(handle);
    expect(disk.contents()).toEqual({ other: 'abcd' });
    expect(disk.unsynced(disk.changeCount)).toBe(3);
    const after = (...fate: Fate[]) => disk.afterPowerCut(3, (n) => fate[n] ?? 'kept').contents();
    expect(after('lost', 'lost', 'lost')).toEqual({});
    expect(after('lost', 'lost', 'kept')).toEqual({ other: '' });
    expect(after('kept', 'half', 'lost')).toEqual({ file: 'ab' });
  });
});
