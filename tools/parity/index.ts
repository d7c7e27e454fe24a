/** What `node tools/parity/run.mjs` does: see `usage`. */
import process from 'node:process';
import { compareGguf } from './gguf.js';

export const usage = `node tools/parity/run.mjs gguf PYTHON MODEL.gguf
  every tensor of the file, dequantised, against the Python package gguf, to the bit

PYTHON is one that has the packages:  python3 -m venv v && v/bin/pip install gguf`;

/** @param root the repository's folder. @returns the exit code: 0 when all is equal */
export async function compare(root: string, args: readonly string[]): Promise<number> {
  const [what, python, ...files] = args;
  if (what === 'gguf' && python !== undefined && files[0] !== undefined) return compareGguf(root, python, files[0]);
  process.stderr.write(`${usage}\n`);
  return 2;
}
