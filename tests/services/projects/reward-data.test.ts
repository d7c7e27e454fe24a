// Passages of the reward data in words, for the window.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { rewardExamples } from '../../../main/services/projects/reward-data.js';
import { prepareText } from '../../../main/storage/datasets/prepare-text.js';
import { createRewardDatasetWriter } from '../../../main/storage/datasets/reward-dataset-writer.js';
import { projectPaths } from '../../../main/storage/projects/project-paths.js';

const folder = mkdtempSync(join(tmpdir(), 'verisim-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each(['char', 'learned', 'bpe'] as const)('are written out, however the text was cut: %s', async (tokenization) => {
  const project = join(folder, tokenization);
  const paths = projectPaths(project);
  const text = 'The whale swam on, and the boat went after it. '.repeat(40);
  mkdirSync(project);
  writeFileSync(join(project, 'book.txt'), text);
  const { tokenizer, method } = await prepareText({
    ...{ dataPath: join(project, 'book.txt'), trainSplit: 0.9, outDir: paths.data },
    ...{ tokenization, vocab: 280 },
  });
  const blockSize = 8;
  const passage = tokenizer.encode(text).slice(0, blockSize);
  const writer = createRewardDatasetWriter(paths.cycle(1).rewardData, {
    ...{ blockSize, settings: {} },
    tokenization: { method, vocabSize: tokenizer.vocabSize },
  });
  for (const split of ['train', 'val'] as const) writer.append(split, passage, Float32Array.of(0.5, 0.5));
  writer.finish();
  const { rows } = await rewardExamples(project, 1, 'first', { offset: 0, count: 5 });
  expect(rows).toMatchObject([{ truth: 0.5, natural: tokenizer.decode(passage.subarray(0, 4)) }]);
  expect(text).toContain(`${rows[0]?.natural ?? ''}${rows[0]?.generated ?? ''}`);
});
