/** Loads a text, or its token files, up to the first batch of training. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { getBatch } from '../../../main/engine/train/dataset.js';
import { streams } from '../../../main/engine/rng.js';
import { openBinaryData, prepareText } from '../../../main/storage/datasets/prepare-text.js';
import { sampleTextPath } from '../../../main/installation/locations.mjs';
import type { Work } from '../shapes.js';
import type { Iteration } from './environment.js';

/** A folder that is removed with the process. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-bench-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Repeats the sample book. */
function writeText(path: string, bytes: number): void {
  const book = readFileSync(sampleTextPath());
  const text = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; at += book.length) book.copy(text, at);
  // Ends on a whole character.
  writeFileSync(path, text.toString('utf8').replace(/\ufffd+$/, ''));
}

async function prepare(folder: string): Promise<void> {
  const dataPath = join(folder, 'input.txt');
  await prepareText({ dataPath, tokenization: 'char', trainSplit: 0.9, outDir: join(folder, 'data') });
}

async function firstBatch(folder: string, { model, batch }: Work): Promise<void> {
  const [trainBin, valBin] = [join(folder, 'data/train.bin'), join(folder, 'data/val.bin')];
  const data = await openBinaryData({ trainBin, valBin, tokenization: 'auto' });
  const place = { batchSize: batch, blockSize: model.block_size, seed: 1, stream: streams.trainBatch, step: 0 };
  getBatch(data.train, place);
  data.close();
}

export function load_text(work: Work): Iteration {
  const folder = temporaryFolder();
  writeText(join(folder, 'input.txt'), work.textBytes);
  return async () => {
    await prepare(folder);
    await firstBatch(folder, work);
  };
}

export async function load_binary(work: Work): Promise<Iteration> {
  const folder = temporaryFolder();
  writeText(join(folder, 'input.txt'), work.textBytes);
  await prepare(folder);
  return () => firstBatch(folder, work);
}
