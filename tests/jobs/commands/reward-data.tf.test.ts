/** prepare_reward_data from a model and a text to a dataset: what it says, keeps and goes on with. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createCharTokenizer } from '../../../main/engine/tokenizer/index.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { prepareRewardDataJob } from '../../../main/jobs/commands/prepare-reward-data.js';
import { hashWeights } from '../../../main/jobs/run/reward-data-settings.js';
import { parseRewardMetadata } from '../../../main/formats/reward-dataset.js';
import { saveModel } from '../../../main/storage/projects/models.js';
import { rewardDataCommandShape } from '../../../shared/config/commands.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Message } from '../../../shared/messages/message.js';
import type { JobEvent } from '../../../shared/phases/events.js';
import { verisim, writeText } from '../../cli/program.js';
import { inEnglish } from '../../support/messages.js';
import { temporaryFolder, testContext } from '../context.js';

const home = temporaryFolder();
const text = writeText(home, 9000);
const chars = [...new Set(readFileSync(text, 'utf8'))].sort();
const model: GPTConfig = {
  ...{ block_size: 16, vocab_size: chars.length, n_layer: 1, n_head: 1, n_embd: 16, dropout: 0, bias: true },
  ...{ mode: 'generator', reward_head_hidden_dim: 8 },
};
const modelPath = join(home, 'model');
const weights = initialWeights(model, 3);
const tokenization = { method: 'char' as const, vocab_size: chars.length, chars };
const characters = readFileSync(text, 'utf8').length;

const settings = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  z.object(rewardDataCommandShape).parse({
    ...{ model_path: modelPath, data_path: text, output_dir: join(home, name), samples_per_chunk: 1, threads: 1 },
    ...{ reward_train_samples: 640, ...more },
  });
const bytesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]));
const notices = (events: readonly JobEvent[]) =>
  events.flatMap((event) =>
    event.event === 'notice' && event.code === 'reward_data' ? inEnglish(event.message as Message).split('\n') : [],
  );

beforeAll(() => {
  saveModel(modelPath, { weights, config: model, tokenization, provenance: {} });
});

describe('prepare_reward_data', () => {
  it('prints the specification’s lines in order, and the figures', async () => {
    const { context, events } = testContext();
    const results = await prepareRewardDataJob(settings('whole'), context);
    const val = Math.floor((characters - Math.trunc(characters * 0.9)) / 16);
    expect(results).toMatchObject({ train_samples: 640, val_samples: val, skipped_samples: 0, block_size: 16 });
    const dir = join(home, 'whole');
    const grouped = (value: number) => value.toLocaleString('en-US');
    expect(notices(events)).toEqual([
      'Configuration validation passed',
      'Using device: cpu',
      `Loading base model from ${modelPath}`,
      'Loaded model with 0.00M parameters',
      'Data loaded successfully:',
      '  Tokenization: char',
      `  Vocab size: ${chars.length}`,
      `  Train tokens: ${grouped(Math.trunc(characters * 0.9))}`,
      `  Val tokens: ${grouped(characters - Math.trunc(characters * 0.9))}`,
      'Generating reward dataset with block_size=16',
      'Tokenization method: char',
      `Vocab size: ${chars.length}`,
      'Samples per chunk: 1',
      'Temperature: 1.0',
      '=== Generating Training Samples ===',
      'Created 640 reward model samples',
      '=== Generating Validation Samples ===',
      `Created ${val} reward model samples`,
      `=== Saving to ${dir} ===`,
      'Saved train data:',
      `  X: ${dir}/train_x.bin (640, 16)`,
      `  Y: ${dir}/train_y.bin (640, 2)`,
      'Saved val data:',
      `  X: ${dir}/val_x.bin (${val}, 16)`,
      `  Y: ${dir}/val_y.bin (${val}, 2)`,
      '=== Dataset Creation Complete ===',
      'Training samples: 640',
      `Validation samples: ${val}`,
      'Block size: 16',
      `Output directory: ${dir}`,
      `Tokenization: char (vocab_size=${chars.length})`,
    ]);
    const progress = events.filter((event) => event.event === 'progress' && event.phase === 'reward_data');
    expect(progress.at(-1)).toMatchObject({ done: 640 + val, total: 640 + val, unit: 'samples' });
  });

  it('keeps with the dataset which model, text, seed and settings it was made with', () => {
    const file = join(home, 'whole', 'val_metadata.txt');
    const { provenance } = parseRewardMetadata(readFileSync(file, 'utf8'), file);
    expect(provenance).toEqual({
      ...{ base_model_sha256: hashWeights(weights), text_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown },
      ...{ seed: '42', samples_per_chunk: '1', reward_train_samples: '640', reward_val_samples: 'None' },
      ...{ temperature: '1', top_k: 'None', train_split: '0.9', skipped_samples: '0' },
      created_by: expect.stringMatching(/^verisim \d+\.\d+\.\d+$/) as unknown,
    });
  });

  it('run again keeps what is finished; with other settings it is an error', async () => {
    const before = bytesIn(join(home, 'whole'));
    const { context, events } = testContext();
    const results = await prepareRewardDataJob(settings('whole'), context);
    expect(results).toMatchObject({ train_samples: 640, skipped_samples: 0, output_dir: join(home, 'whole') });
    expect(events).toContainEqual(expect.objectContaining({ event: 'notice', code: 'finished_already' }));
    expect(bytesIn(join(home, 'whole'))).toEqual(before);
    const other = prepareRewardDataJob(settings('whole', { seed: 7 }), context);
    await expect(other).rejects.toMatchObject({ code: 'exists', message: /There is a reward dataset already/ });
    // One whose files are not whole is not finished.
    cpSync(join(home, 'whole'), join(home, 'cut'), { recursive: true });
    truncateSync(join(home, 'cut', 'val_y.bin'), 8);
    await expect(prepareRewardDataJob(settings('cut'), context)).rejects.toMatchObject({ code: 'exists' });
  });

  it('stopped at any time, goes on to the same bytes', async () => {
    for (const at of [300, 660]) {
      const name = `stopped-${at}`;
      const { context } = testContext(
        (event) => event.event === 'progress' && event.phase === 'reward_data' && event.done >= at,
      );
      // Progress is reported once a while: with this clock, at every batch.
      let clock = 0;
      const now = () => (clock += 1000);
      await expect(prepareRewardDataJob(settings(name), { ...context, now })).rejects.toMatchObject({
        code: 'stopped',
      });
      expect(existsSync(join(home, name))).toBe(false);
      const again = testContext();
      await prepareRewardDataJob(settings(name), again.context);
      expect(notices(again.events).some((line) => /^Resuming after \d+ samples/.test(line))).toBe(true);
      expect(bytesIn(join(home, name))).toEqual(bytesIn(join(home, 'whole')));
    }
  });

  it('draws natural beginnings from each split’s own text only', () => {
    const tokenizer = createCharTokenizer(chars);
    const all = readFileSync(text, 'utf8');
    const cut = Math.trunc(all.length * 0.9);
    for (const [split, part] of [
      ['train', all.slice(0, cut)],
      ['val', all.slice(cut)],
    ] as const) {
      const x = new Uint16Array(new Uint8Array(readFileSync(join(home, 'whole', `${split}_x.bin`))).buffer);
      const y = new Float32Array(new Uint8Array(readFileSync(join(home, 'whole', `${split}_y.bin`))).buffer);
      for (let row = 0; row < y.length / 2; row++) {
        const natural = Math.round((y[2 * row] ?? 0) * 16);
        const beginning = tokenizer.decode(x.subarray(row * 16, row * 16 + natural));
        expect(part.includes(beginning), `${split} sample ${row}`).toBe(true);
      }
    }
  });

  it('killed in the middle, goes on to the same bytes', async () => {
    const flags = ['--reward_train_samples', '640', '--samples_per_chunk', '1', '--threads', '1', '--device', 'cpu'];
    const command = (name: string) => [
      ...['prepare_reward_data', '--model_path', modelPath, '--data_path', text, ...flags, '--json'],
      ...['--output_dir', join(home, name)],
    ];
    const progress = join(home, 'killed.partial', 'progress.json');
    const killed = await verisim(command('killed'), {
      onOutput: (_, child) => void (existsSync(progress) && child.kill('SIGKILL')),
    });
    expect(killed.code).toBe(null);
    expect(existsSync(join(home, 'killed'))).toBe(false);
    const { code, stdout } = await verisim(command('killed'));
    expect(code).toBe(0);
    expect(stdout).toMatch(/Resuming after (256|512|640) samples/);
    expect((await verisim(command('by-itself'))).code).toBe(0);
    expect(bytesIn(join(home, 'killed'))).toEqual(bytesIn(join(home, 'by-itself')));
    expect(existsSync(join(home, 'killed.partial'))).toBe(false);
    rmSync(join(home, 'by-itself'), { recursive: true });
  });
});
