/** train.bin and val.bin: bare ids, and llm.c's with its header. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTokenFile } from '../../../main/storage/datasets/token-files.js';
import type { Subject } from '../subject.js';

const VOCABULARY = 300;
const MAGIC = 20240520;

function llmC(magic: number, version: number, count: number, ids: readonly number[]): Buffer {
  const bytes = Buffer.alloc(1024 + 2 * ids.length);
  [magic, version, count].forEach((value, i) => bytes.writeInt32LE(value | 0, 4 * i));
  ids.forEach((id, i) => bytes.writeUInt16LE(id, 1024 + 2 * i));
  return bytes;
}

const ids = Array.from({ length: 120 }, (_, i) => (i * 37) % VOCABULARY);
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

export const tokenFiles: Subject = {
  name: 'token-files',
  samples: [
    { name: 'plain.bin', bytes: Buffer.from(Uint16Array.from(ids).buffer) },
    { name: 'llmc.bin', bytes: llmC(MAGIC, 1, ids.length, ids) },
  ],
  bombs: {
    'promises more than there is.bin': () => llmC(MAGIC, 1, 0x7fffffff, ids),
    'promises less than nothing.bin': () => llmC(MAGIC, 1, -1, ids),
    'another version.bin': () => llmC(MAGIC, 7, ids.length, ids),
    '32-bit ids of Llama 3.bin': () => llmC(20240801, 7, ids.length / 2, ids),
  },
  burdens: { 'only a header.bin': () => llmC(MAGIC, 1, 0, []) },
  words: [Buffer.from(Int32Array.of(MAGIC, 1, 120).buffer)],
  read(bytes, name, folder) {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    const source = openTokenFile(file, { vocabSize: VOCABULARY, split: 'train' });
    try {
      const read = source.read(0, source.length);
      return `${source.length} ${digest(new Uint8Array(read.buffer))}`;
    } finally {
      source.close();
    }
  },
  again(bytes) {
    if (bytes.length === 0 || bytes.length % 2 !== 0) return null;
    const tokens = bytes.length >= 1024 && bytes.readInt32LE(0) === MAGIC ? bytes.subarray(1024) : bytes;
    for (let at = 0; at < tokens.length; at += 2) if (tokens.readUInt16LE(at) >= VOCABULARY) return null;
    return `${tokens.length / 2} ${digest(tokens)}`;
  },
};
