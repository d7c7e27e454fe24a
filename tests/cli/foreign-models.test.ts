// The seeds' commands as written there, with the checkpoints that they name: PyTorch's, of nanoGPT.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readMeta } from '../../main/storage/tokenizer-files.js';
import { foreignFile } from '../parity/foreign.js';
import { build, jsonLines, temporaryFolder, verisim } from './program.js';

const cwd = temporaryFolder();
const small = ['--device', 'cpu', '--threads', '1'];
const command = async (line: string, ...more: string[]) => {
  const outcome = await verisim([...line.split(/[\s\\]+/).filter(Boolean), ...more, '--json'], { cwd });
  expect(outcome.code, outcome.stderr).toBe(0);
  return jsonLines(outcome.stdout);
};

beforeAll(() => {
  build();
  for (const folder of ['checkpoints', 'data/shakespeare_char']) mkdirSync(join(cwd, folder), { recursive: true });
  copyFileSync(foreignFile('nanogpt.pt'), join(cwd, 'checkpoints/char_model.pt'));
  const meta = join(cwd, 'data/shakespeare_char/meta.pkl');
  copyFileSync(foreignFile('meta.pkl'), meta);
  const { characters } = readMeta(meta);
  const text = Array.from({ length: 1200 }, (_, i) => characters[(i * i + (i >> 2)) % characters.length]).join('');
  writeFileSync(join(cwd, 'data/shakespeare_char/input.txt'), text);
});

describe('a checkpoint of nanoGPT', () => {
  it('makes reward data with character tokenization, as in seed 000, part 3.1.3', async () => {
    const events = await command(
      `prepare_reward_data \\
      --model_path checkpoints/char_model.pt \\
      --input_mode text \\
      --data_path data/shakespeare_char/input.txt \\
      --tokenization char \\
      --meta_path data/shakespeare_char/meta.pkl`,
      '--samples_per_chunk',
      '2',
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
    expect(stderr).toMatch(/does not say which characters[^]*meta\.pkl/);
  });
});

it('a model trained with another activation is used with a warning', async () => {
  const model = foreignFile('gpt2');
  const events = await command(`perplexity ${model} --data_path data/shakespeare_char`, ...small);
  const notice = events.find(({ event }) => event === 'notice');
  expect(notice).toMatchObject({ level: 'warning', code: 'foreign_model' });
  expect(events.at(-1)).toMatchObject({ event: 'done' });
});
