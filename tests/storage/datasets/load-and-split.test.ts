// The specification's load_and_split_data: the splits and tokenizer that everything else uses.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBpeTokenizer } from '../../../main/engine/tokenizer/index.js';
import { loadAndSplitData } from '../../../main/storage/datasets/load-and-split.js';
import type { TokenIds } from '../../../main/engine/types.js';
import { prepareText } from '../../../main/storage/datasets/prepare-text.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
const text = 'One morning, when Gregor Samsa woke from troubled dreams, he found himself transformed. '.repeat(40);
beforeAll(() => {
  folder = temporaryFolder();
  for (const name of ['shakespeare', 'shakespeare_char']) {
    fs.mkdirSync(path.join(folder, name));
    fs.writeFileSync(path.join(folder, name, 'input.txt'), text);
  }
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('loadAndSplitData', () => {
  it('is called as in specification 4.1: a path and a share, and bpe by default', async () => {
    const { trainTokens, valTokens, tokenizer } = await loadAndSplitData(path.join(folder, 'shakespeare/input.txt'), {
      trainSplit: 0.9,
    });
    const bpe = await loadBpeTokenizer();
    const cut = Math.trunc(text.length * 0.9);
    expect(trainTokens).toEqual(bpe.encode(text.slice(0, cut)));
    expect(valTokens).toEqual(bpe.encode(text.slice(cut)));
    expect([tokenizer.method, tokenizer.vocabSize]).toEqual(['bpe', 50257]);
    expect(tokenizer.decode(trainTokens) + tokenizer.decode(valTokens)).toBe(text);
  });

  it('gives the very splits that a model is trained on, and leaves nothing behind', async () => {
    const dataPath = path.join(folder, 'shakespeare_char');
    const outDir = path.join(folder, 'prepared');
    await prepareText({ dataPath, tokenization: 'auto', trainSplit: 0.8, outDir });
    const before = fs.readdirSync(dataPath);
    const { trainTokens, valTokens, tokenizer } = await loadAndSplitData(dataPath, { trainSplit: 0.8 });
    const bytes = (tokens: TokenIds) => Buffer.from(tokens.buffer, tokens.byteOffset, tokens.byteLength);
    expect(bytes(trainTokens).equals(fs.readFileSync(path.join(outDir, 'train.bin')))).toBe(true);
    expect(bytes(valTokens).equals(fs.readFileSync(path.join(outDir, 'val.bin')))).toBe(true);
    expect(tokenizer.method).toBe('char');
    expect(fs.readdirSync(dataPath)).toEqual(before);
  });
});
