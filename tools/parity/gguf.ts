/** A whole GGUF file as Verisim dequantises it and as the Python package gguf does. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import { readGgufModel } from '../../main/formats/gguf/gguf-model.js';
import { openGguf } from '../../main/formats/gguf/gguf.js';
import { openFile } from '../../main/storage/disk/file-bytes.js';

interface Tensor {
  readonly shape: readonly number[];
  readonly sha256: string;
}

/** @returns 0 when every tensor has the same bits */
export function compareGguf(root: string, python: string, path: string): number {
  const output = execFileSync(python, [join(root, 'tools/parity/hashes.py'), path], { maxBuffer: 1 << 28 });
  const theirs = new Map(Object.entries(JSON.parse(output.toString()) as Readonly<Record<string, Tensor>>));
  const source = openFile(path);
  try {
    const file = openGguf(source, path);
    const wrong: string[] = [];
    let seconds = 0;
    let numbers = 0;
    for (const [name, { shape }] of file.tensors) {
      const before = performance.now();
      const data = file.read(name);
      seconds += (performance.now() - before) / 1000;
      numbers += data.length;
      const sha256 = createHash('sha256').update(new Uint8Array(data.buffer)).digest('hex');
      const expected = theirs.get(name);
      if (expected?.sha256 !== sha256 || String(expected.shape) !== String(shape)) wrong.push(name);
      theirs.delete(name);
    }
    wrong.push(...theirs.keys());
    const { config } = readGgufModel(file, path);
    process.stdout.write(`${JSON.stringify(config, null, 1)}\n`);
    process.stdout.write(`${file.tensors.size} tensors, ${numbers} numbers, read in ${seconds.toFixed(2)} s\n`);
    process.stdout.write(wrong.length === 0 ? 'all the same bits\n' : `not the same: ${wrong.join(', ')}\n`);
    return wrong.length === 0 ? 0 : 1;
  } finally {
    source.close();
  }
}
