// The specification's commands as written there, with the checkpoints that they name: PyTorch's, of nanoGPT.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { initialWeights } from '../../main/engine/model/model.js';
import { exportJob } from '../../main/jobs/export/export.js';
import { saveModel } from '../../main/storage/projects/models.js';
import { prepareText } from '../../main/storage/datasets/prepare-text.js';
import { openRewardDataset } from '../../main/storage/datasets/reward-dataset-files.js';
import { readMeta } from '../../main/storage/datasets/tokenizer-files.js';
import { modelConfigSchema } from '../../shared/config/model.js';
import { testContext } from '../jobs/context.js';
import { foreignFile } from '../parity/foreign.js';
import { jsonLines, temporaryFolder, verisim, writeText } from './program.js';

const cwd = temporaryFolder();
const small = ['--device', 'cpu', '--threads', '1'];
const command = async (line: string, ...more: string[]) => {
  const outcome = await verisim([...line.split(/[\s\\]+/).filter(Boolean), ...more, '--json'], { cwd });
  expect(outcome.code, outcome.stderr).toBe(0);
  return jsonLines(outcome.stdout);
};

beforeAll(() => {
  for (const folder of ['checkpoints', 'data/shakespeare_char']) mkdirSync(join(cwd, folder), { recursive: true });
  copyFileSync(foreignFile('nanogpt.pt'), join(cwd, 'checkpoints/char_model.pt'));
  const meta = join(cwd, 'data/shakespeare_char/meta.pkl');
  copyFileSync(foreignFile('meta.pkl'), meta);
  const { characters } = readMeta(meta);
  const text = Array.from({ length: 1200 }, (_, i) => characters[(i * i + (i >> 2)) % characters.length]).join('');
  writeFileSync(join(cwd, 'data/shakespeare_char/input.txt'), text);
});

/** checkpoints/base_model.pt as PyTorch would have it, with GPT-2's tokens; a text, and its train.bin and val.bin. */
async function prepareBaseModel(): Promise<void> {
  const shape = { n_layer: 1, n_head: 1, n_embd: 4, block_size: 8, vocab_size: 50257, dropout: 0, bias: false };
  const config = modelConfigSchema.parse(shape);
  const tokenization = { method: 'bpe', vocab_size: config.vocab_size } as const;
  saveModel(join(cwd, 'base'), { weights: initialWeights(config, 1), config, tokenization, provenance: {} });
  await exportJob(
    { model_path: join(cwd, 'base'), format: 'nanogpt', out_dir: join(cwd, 'export') },
    testContext().context,
  );
  copyFileSync(join(cwd, 'export/ckpt.pt'), join(cwd, 'checkpoints/base_model.pt'));
  const folder = join(cwd, 'data/shakespeare');
  mkdirSync(folder, { recursive: true });
  const dataPath = writeText(folder, 300);
  await prepareText({ dataPath, outDir: folder, tokenization: 'bpe', trainSplit: 0.9 });
}

describe('base_model.pt, with GPT-2’s tokens', () => {
  beforeAll(prepareBaseModel);

  it.each([
    ['specification 3.2', '--data_path data/shakespeare/input.txt', 'data/reward_dataset'],
    [
      'binary mode',
      '--input_mode binary --train_bin data/shakespeare/train.bin --val_bin data/shakespeare/val.bin --output_dir data/reward_dataset_fast',
      'data/reward_dataset_fast',
    ],
  ])('makes reward data by the command of %s', async (_, flags, folder) => {
    const events = await command(
      `prepare_reward_data.py --model_path checkpoints/base_model.pt ${flags}`,
      '--samples_per_chunk',
      '1',
    );
    expect(events.at(-1)).toMatchObject({ event: 'done', block_size: 8 });
    const { tokenization } = openRewardDataset(join(cwd, folder), 'train');
    expect(tokenization).toMatchObject({ method: 'bpe', vocabSize: 50257 });
  });
});

describe('a checkpoint of nanoGPT', () => {
  it('makes reward data with character tokenization, as in specification 3.2', async () => {
    const events = await command(
      `prepare_reward_data \\
      --model_path checkpoints/char_model.pt \\
      --input_mode text \\
      --data_path data/shakespeare_char/input.txt \\
      --tokenization char \\
      --meta_path data/shakespeare_char/meta.pkl`,
      ...['--samples_per_chunk', '2', '--overwrite'],
    );
    expect(events.at(-1)).toMatchObject({ event: 'done', block_size: 8 });
    expect(readdirSync(join(cwd, 'data/reward_dataset'))).toContain('train_x.bin');
  });

  it('leaves as a Hugging Face folder, from which it writes', async () => {
    copyFileSync(join(cwd, 'data/shakespeare_char/meta.pkl'), join(cwd, 'checkpoints/meta.pkl'));
    const events = await command('export checkpoints/char_model.pt --out_dir hf');
    expect(events.at(-1)).toMatchObject({ event: 'done', format: 'huggingface', out_dir: 'hf' });
    const samples = await command('sample hf --num_samples 1 --max_new_tokens 5', '--prompt', 'é中', ...small);
    expect(samples.at(-1)).toMatchObject({ event: 'done', samples: [{ prompt: 'é中' }] });
    rmSync(join(cwd, 'checkpoints/meta.pkl'));
  });

  it('without its characters, says what is missing', async () => {
    const { code, stderr } = await verisim(['sample', 'checkpoints/char_model.pt'], { cwd });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/does not say what its tokens are[^]*meta\.pkl/);
  });
});

it('a model trained with another activation is used with a warning', async () => {
  const model = foreignFile('gpt2');
  const events = await command(`perplexity ${model} --data_path data/shakespeare_char`, ...small);
  const notice = events.find(({ event }) => event === 'notice');
  expect(notice).toMatchObject({ level: 'warning', code: 'foreign_model' });
  expect(events.at(-1)).toMatchObject({ event: 'done' });
});
