// Export by the job that the command line runs: the bytes that transformers and PyTorch were shown to compute with.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportJob } from '../../main/jobs/export.js';
import { sampleJob } from '../../main/jobs/sample.js';
import { readMetaPickle } from '../../main/engine/meta-pickle.js';
import { initialWeights } from '../../main/engine/model.js';
import { readTorchCheckpoint } from '../../main/engine/torch-checkpoint.js';
import { openFile } from '../../main/storage/file-bytes.js';
import { saveModel } from '../../main/storage/models.js';
import { foreignFile, readForeign, tensorHashes } from '../parity/foreign.js';
import { faultOfAsync } from '../storage/fault-of.js';
import { tinyModel } from '../support/engine.js';
import { temporaryFolder, testContext } from './context.js';

/** What tests/parity/check_export.py noted when it had compared logits. */
const verified = JSON.parse(readForeign('exported.json').toString('utf8')) as {
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
};
const { context } = testContext();

describe('an exported model', () => {
  it.each(Object.entries(verified.files))(
    '%s: is byte for byte what other programs were tried with',
    async (name, files) => {
      const [model = '', format = ''] = name.split(' ');
      const out_dir = join(temporaryFolder(), 'export');
      const chosen = format === 'nanogpt' ? format : 'huggingface';
      await exportJob({ model_path: foreignFile(model), format: chosen, out_dir }, context);
      const hashes = Object.keys(files).map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(out_dir, file)))
          .digest('hex'),
      ]);
      expect(Object.fromEntries(hashes)).toEqual(files);
    },
  );

  it('of Verisim’s own comes back as it was, with its characters and how far its training was', async () => {
    const folder = temporaryFolder();
    const weights = initialWeights(tinyModel, 5);
    const chars = [...'\n abcdé😀'];
    const provenance = { iterations: 40, val_loss: 1.5 };
    const tokenization = { method: 'char', vocab_size: chars.length, chars } as const;
    saveModel(join(folder, 'm'), { weights, config: tinyModel, tokenization, provenance });
    for (const format of ['nanogpt', 'huggingface'] as const) {
      const out_dir = join(folder, format);
      const result = await exportJob({ model_path: join(folder, 'm'), format, out_dir }, context);
      expect(readdirSync(out_dir)).toEqual(expect.arrayContaining([...(result['files'] as string[]), 'meta.pkl']));
      expect(readMetaPickle(readFileSync(join(out_dir, 'meta.pkl')))).toEqual(chars);
      // It can be used from there as any model: with the same seed it writes the same.
      const prompt = { prompt: 'ab', num_samples: 2, max_new_tokens: 8, temperature: 1, top_k: null, seed: 1 };
      const settings = { ...prompt, generation_batch_size: 4, device: 'cpu', threads: 1 } as never;
      const [ours, theirs] = await Promise.all(
        [join(folder, 'm'), out_dir].map((model_path) =>
          sampleJob({ ...(settings as object), model_path } as never, context),
        ),
      );
      expect(theirs?.['samples']).toEqual(ours?.['samples']);
    }
    const file = openFile(join(folder, 'nanogpt', 'ckpt.pt'));
    const back = readTorchCheckpoint(file, 'ckpt.pt');
    file.close();
    expect(tensorHashes(back.weights)).toEqual(tensorHashes(weights));
    expect(back.training).toEqual({ iter_num: 40, best_val_loss: 1.5, dataset: 'verisim' });
  });

  it('replaces its own earlier export, and nothing else', async () => {
    const out_dir = join(temporaryFolder(), 'export');
    const again = () => exportJob({ model_path: foreignFile('half.pt'), format: 'nanogpt', out_dir }, context);
    await again();
    await again();
    writeFileSync(join(out_dir, 'mine.txt'), 'do not lose');
    const fault = await faultOfAsync(again());
    expect(fault).toMatchObject({ code: 'exists', message: expect.stringContaining('mine.txt') as unknown });
  });

  it('of a reward model is nanoGPT’s only', async () => {
    const out_dir = join(temporaryFolder(), 'export');
    const fault = await faultOfAsync(
      exportJob({ model_path: foreignFile('reward.pt'), format: 'huggingface', out_dir }, context),
    );
    expect(fault).toMatchObject({ code: 'checkpoint', field: 'model_path' });
  });
});
