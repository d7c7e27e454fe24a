/** What `node tools/parity/run.mjs` does: see `usage`. */
import process from 'node:process';
import { compareGguf } from './gguf.js';
import { compareTokenizer } from './tokenizer.js';

export const usage = `node tools/parity/run.mjs gguf PYTHON MODEL.gguf
  every tensor of the file, dequantised, against the Python package gguf, to the bit
node tools/parity/run.mjs tokenizer PYTHON TOKENIZER.json|MODEL.gguf TEXT...
  the ids of each text, and what they decode to, against the Python package tokenizers

PYTHON is one that has the packages:  python3 -m venv v && v/bin/pip install gguf tokenizers`;

/** @param root the repository's folder. @returns the exit code: 0 when all is equal */
export async function compare(root: string, args: readonly string[]): Promise<number> {
  const [what, python, file, ...texts] = args;
  if (python !== undefined && file !== undefined) {
    if (what === 'gguf') return compareGguf(root, python, file);
    if (what === 'tokenizer') return compareTokenizer(root, python, file, texts);
  }
  process.stderr.write(`${usage}\n`);
  return 2;
}
