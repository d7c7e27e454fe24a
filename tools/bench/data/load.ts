/** How much faster a dataset is opened than it is prepared. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBinaryData, prepareText } from '../../../main/storage/datasets/prepare-text.js';
import { bookOf, type Figure, median, ROUNDS, type Setting } from './setting.js';

export async function loading(setting: Setting): Promise<Figure[]> {
  const sizes = [
    ['a text of 1.1 MB', 1_115_394],
    ['a text of 10 MB', 10_000_000 * setting.size],
  ] as const;
  const outDir = join(setting.folder, 'data');
  const [trainBin, valBin] = [join(outDir, 'train.bin'), join(outDir, 'val.bin')];
  const figures: Figure[] = [];
  for (const [name, bytes] of sizes) {
    const dataPath = join(setting.folder, 'load.txt');
    writeFileSync(dataPath, bookOf(setting, bytes));
    const [texts, binaries]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      await prepareText({ dataPath, tokenization: 'char', trainSplit: 0.9, outDir });
      const prepared = performance.now();
      const data = await openBinaryData({ trainBin, valBin, tokenization: 'auto' });
      data.train.read(0, 65);
      data.close();
      texts.push(prepared - start);
      binaries.push(performance.now() - prepared);
    }
    const [text, binary] = [median(texts), median(binaries)];
    figures.push({
      name: `binary against text mode, ${name}`,
      measured: `${(text / binary).toFixed(1)} × (${text.toFixed(0)} ms and ${binary.toFixed(1)} ms)`,
      must: '8 ×',
      isMet: text / binary >= 8,
    });
  }
  return figures;
}
