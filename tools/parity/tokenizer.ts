/** A tokenizer.json, or what a GGUF file becomes as one, on long texts: the ids and the time of Verisim's reader, and those of Python's `tokenizers`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { readPretrained } from '../../main/storage/datasets/tokenizer-files.js';

/** @returns 0 when all ids are equal */
export async function compareTokenizer(
  root: string,
  python: string,
  given: string,
  texts: readonly string[],
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-parity-'));
  try {
    const startedAt = performance.now();
    const { tokenizer, files } = await readPretrained(given);
    const path = join(folder, 'tokenizer.json');
    writeFileSync(path, files['tokenizer.json']);
    process.stdout.write(
      `${given}: ${tokenizer.vocabSize} ids, read in ${(performance.now() - startedAt).toFixed(0)} ms\n`,
    );
    let differing = 0;
    for (const file of texts) {
      const out = join(folder, 'ids');
      const seconds = Number(
        execFileSync(python, [join(root, 'tools/parity/ids.py'), path, file, out], { maxBuffer: 1 << 20 }),
      );
      const bytes = readFileSync(out);
      const expected = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
      const text = readFileSync(file, 'utf8');
      const start = performance.now();
      const ids = tokenizer.encode(text);
      const own = (performance.now() - start) / 1000;
      const length = Math.max(ids.length, expected.length);
      let first = -1;
      for (let i = 0; i < length && first < 0; i++) if (ids[i] !== expected[i]) first = i;
      const decoded = tokenizer.decode(expected.subarray(0, 20000));
      const isSame = decoded === readFileSync(`${out}.txt`, 'utf8');
      const speed = (time: number) => `${(text.length / 1e6 / time).toFixed(1)} MB/s`;
      process.stdout.write(
        `${file}: ${text.length} units, ${ids.length} ids, ${speed(own)}; Python ${speed(seconds)}\n`,
      );
      if (first >= 0) {
        const [mine, theirs] = [ids, expected].map((all) => [...all.slice(Math.max(0, first - 3), first + 5)]);
        const where = tokenizer.decode(expected.subarray(Math.max(0, first - 12), first + 12));
        process.stdout.write(
          `  differs at ${first}: [${mine?.join()}], not [${theirs?.join()}]: ${JSON.stringify(where)}\n`,
        );
      }
      if (!isSame) process.stdout.write('  decodes to another text\n');
      if (first >= 0 || !isSame) differing++;
    }
    return differing === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
