/**
 * A large file fetched with the help of an older one: blocks that the older has are copied, the others are asked for by their
 * place. Of an AppImage these are the app's; its runtime, two thirds of it, lies first and stays the same (scripts/package/appimage.mjs).
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { WrongHash, hashFile, retrying } from '../../installation/download.mjs';
import { Refused, get, refusal } from '../../installation/http-get.mjs';
import { blockSize, type UpdateFile } from './manifest.js';

const STALL_SECONDS = 60;
/** Blocks that are asked for at once, at most: what breaks off is asked for again. */
const MOST_AT_ONCE = 32;

interface BlocksOptions {
  readonly url: URL;
  readonly target: string;
  readonly file: UpdateFile;
  /** Of `file`. */
  readonly blocks: readonly string[];
  readonly older: string;
  readonly progress: (done: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** @returns bytes that were fetched @throws WrongHash, and then nothing is kept; Refused; what the network or the disk says */
export async function fetchBlocks(options: BlocksOptions): Promise<number> {
  const { target, file, blocks, older, progress } = options;
  const part = `${target}.part`;
  if (blocks.length !== Math.ceil(file.size / blockSize))
    throw new Refused('the list of its blocks does not fit its size');
  const output = fs.openSync(part, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644);
  let [done, fetched] = [0, 0];
  try {
    const missing = await fillFromFiles();
    for (const run of runsOf(missing)) fetched += await fetchRun(options, output, run, count);
    fs.fsyncSync(output);
  } finally {
    fs.closeSync(output);
  }
  const found = await hashFile(part);
  if (found !== file.sha256) {
    fs.rmSync(part);
    throw new WrongHash(found, file.sha256);
  }
  fs.renameSync(part, target);
  return fetched;

  function count(bytes: number): void {
    done += bytes;
    progress(done);
  }

  /** What this file had when it was stopped, and what the older one has. @returns the numbers of the blocks that are missing */
  async function fillFromFiles(): Promise<number[]> {
    const had = await hashesOf(part);
    if (fs.fstatSync(output).size > file.size) fs.ftruncateSync(output, file.size);
    const places = new Map([...(await hashesOf(older)).entries()].map(([at, hash]) => [hash, at]));
    const source = fs.openSync(older, 'r');
    try {
      return blocks.flatMap((hash, index) => {
        const place = places.get(hash);
        if (had[index] !== hash && place === undefined) return [index];
        const bytes = Buffer.alloc(sizeOf(index, file.size));
        if (had[index] !== hash && place !== undefined) {
          if (fs.readSync(source, bytes, 0, bytes.length, place * blockSize) !== bytes.length) return [index];
          fs.writeSync(output, bytes, 0, bytes.length, index * blockSize);
        }
        count(bytes.length);
        return [];
      });
    } finally {
      fs.closeSync(source);
    }
  }
}

const sizeOf = (index: number, size: number): number => Math.min(blockSize, size - index * blockSize);

async function hashesOf(file: string): Promise<string[]> {
  const hashes: string[] = [];
  let hash = createHash('sha256');
  let filled = 0;
  for await (const part of fs.createReadStream(file, { highWaterMark: blockSize })) {
    for (let bytes = part as Buffer; bytes.length > 0;) {
      const piece = bytes.subarray(0, blockSize - filled);
      hash.update(piece);
      filled += piece.length;
      bytes = bytes.subarray(piece.length);
      if (filled < blockSize) continue;
      hashes.push(hash.digest('hex'));
      hash = createHash('sha256');
      filled = 0;
    }
  }
  return filled > 0 ? [...hashes, hash.digest('hex')] : hashes;
}

/** Blocks that follow each other, together. */
function runsOf(indexes: readonly number[]): { readonly first: number; readonly count: number }[] {
  const runs: { first: number; count: number }[] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last && last.first + last.count === index && last.count < MOST_AT_ONCE) last.count += 1;
    else runs.push({ first: index, count: 1 });
  }
  return runs;
}

/** Fetches one run into its place, each block checked before it is written. */
async function fetchRun(
  { url, file, blocks, signal }: BlocksOptions,
  output: number,
  { first, count: length }: { readonly first: number; readonly count: number },
  count: (bytes: number) => void,
): Promise<number> {
  const last = Math.min((first + length) * blockSize, file.size);
  let index = first;
  await retrying(
    async () => {
      const begin = index * blockSize;
      const headers = { range: `bytes=${String(begin)}-${String(last - 1)}` };
      const response = await get(url, { headers, stallSeconds: STALL_SECONDS, signal });
      if (response.statusCode === 200) {
        response.destroy();
        throw new Refused('the server sends whole files only', response);
      }
      if (response.statusCode !== 206) throw refusal(response);
      if (!response.headers['content-range']?.startsWith(`bytes ${String(begin)}-${String(last - 1)}/`)) {
        response.destroy();
        throw new Refused('the server sent another range than was asked for', response);
      }
      let held = Buffer.alloc(0);
      for await (const part of response) {
        held = Buffer.concat([held, part as Buffer]);
        for (let size = sizeOf(index, file.size); held.length >= size && index < first + length;) {
          const block = held.subarray(0, size);
          const found = createHash('sha256').update(block).digest('hex');
          const wanted = blocks[index] ?? '';
          if (found !== wanted) throw new WrongHash(found, wanted);
          fs.writeSync(output, block, 0, size, index * blockSize);
          count(size);
          held = held.subarray(size);
          index += 1;
          size = sizeOf(index, file.size);
        }
      }
      if (index < first + length) throw new Error('the connection ended early');
    },
    { signal, progress: () => index },
  );
  return last - first * blockSize;
}
