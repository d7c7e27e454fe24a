// Binary mode is there because it is fast (specification 2.3: ~2.5 s against ~0.3 s), although it looks at every id.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openBinaryData, prepareText } from '../../../main/storage/datasets/prepare-text.js';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'verisim-binary-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const ROUNDS = 15;

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

it.each([
  ['tinyshakespeare', 'char', 1_115_394],
  ['tinyshakespeare', 'bpe', 1_115_394],
  ['ten megabytes', 'char', 10_000_000],
] as const)(
  'loads a text of the size of %s (%s) at least 8 times faster than text mode',
  async (_, tokenization, size) => {
    const line = (i: number): string =>
      `Line ${i}: what is prepared once need not be prepared again, said speaker ${i % 97}.\n`;
    let text = '';
    for (let i = 0; text.length < size; i++) text += line(i);
    fs.writeFileSync(path.join(folder, 'input.txt'), text);
    const outDir = path.join(folder, 'data');
    const [trainBin, valBin] = [path.join(outDir, 'train.bin'), path.join(outDir, 'val.bin')];
    const [texts, binaries]: [number[], number[]] = [[], []];
    // Other programs only ever make one round slower: the quickest of several counts, and the two take turns.
    const ratio = (): number => Math.min(...texts) / Math.min(...binaries);
    for (let round = 0; round < ROUNDS && !(round >= 2 && ratio() >= 8); round++) {
      texts.push(
        await timed(async () => {
          await prepareText({ dataPath: folder, tokenization, trainSplit: 0.9, outDir });
        }),
      );
      binaries.push(
        await timed(async () => {
          const data = await openBinaryData({ trainBin, valBin, tokenization: 'auto' });
          data.train.read(0, 65);
          data.close();
        }),
      );
    }
    expect(ratio()).toBeGreaterThanOrEqual(8);
  },
);
