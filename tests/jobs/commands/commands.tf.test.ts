/** The single commands one after the other, as the specification's guide runs them: train, reward data, reward model, GRPO. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  grpoCommandShape,
  rewardDataCommandShape,
  rewardModelCommandShape,
  trainCommandShape,
} from '../../../shared/config/commands.js';
import { dataShape } from '../../../shared/config/data.js';
import { readingShape } from '../../../shared/config/generation.js';
import { resolveSettings } from '../../../shared/config/resolve.js';
import { datasetInfoJob } from '../../../main/jobs/commands/dataset-info.js';
import { modelFolder } from '../../../main/jobs/models.js';
import { perplexityJob } from '../../../main/jobs/commands/perplexity.js';
import { prepareRewardDataJob } from '../../../main/jobs/commands/prepare-reward-data.js';
import { sampleJob } from '../../../main/jobs/commands/sample.js';
import { trainGrpoJob } from '../../../main/jobs/commands/train-grpo.js';
import { trainRewardModelJob } from '../../../main/jobs/commands/train-reward-model.js';
import { trainJob } from '../../../main/jobs/commands/train.js';
import { writeText } from '../../cli/program.js';
import { temporaryFolder, testContext } from '../context.js';

const home = temporaryFolder();
const data_path = writeText(home);
const [base, rewardData, reward, improved] = ['base', 'reward_data', 'reward', 'improved'].map((name) =>
  join(home, name),
) as [string, string, string, string];

function settings<S extends z.ZodRawShape>(shape: S, given: object): z.infer<z.ZodObject<S>> {
  const resolved = resolveSettings(shape as unknown as Parameters<typeof resolveSettings>[0], { ...given });
  if (!resolved.ok) throw new Error(resolved.problems.map(({ message }) => message).join('; '));
  return z.object(shape).parse(resolved.value);
}

const small = { preset: 'none', n_layer: 1, n_head: 2, n_embd: 16, block_size: 8, batch_size: 4, tokenization: 'char' };
const writing = { ...settings(readingShape, {}), num_samples: 2, max_new_tokens: 12, seed: 42 };
const train = settings(trainCommandShape, { ...small, data_path, out_dir: base, max_iters: 20, eval_interval: 10 });
const prepare = settings(rewardDataCommandShape, {
  ...{ model_path: base, data_path, output_dir: rewardData, samples_per_chunk: 1 },
  ...{ reward_train_samples: 24, reward_val_samples: 16 },
});
const judge = settings(rewardModelCommandShape, {
  ...{ model_path: base, reward_data: rewardData, out_dir: reward, reward_max_iters: 10 },
});
const improve = settings(grpoCommandShape, {
  ...{ model_path: base, reward_model_path: reward, data_path, out_dir: improved },
  ...{ group_size: 2, prompts_per_step: 2, grpo_max_steps: 3, grpo_eval_prompts: 4 },
});
const numbers = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, expect.any(Number) as number]));

describe('the commands of the guide', () => {
  it('train a base model', async () => {
    const results = await trainJob(train, testContext().context);
    expect(results).toMatchObject(numbers('val_loss', 'perplexity', 'tokens_per_second'));
    expect(readdirSync(base).sort()).toEqual([
      'checkpoints',
      'circumstances.json',
      'data',
      'metrics.jsonl',
      'model',
      'run.json',
      'samples.jsonl',
    ]);
  });

  it('measure it and let it write, the same for the same seed', async () => {
    const trained = await trainJob(train, testContext().context);
    const measure = { ...settings(dataShape, { data_path }), model_path: base, split: 'val' as const };
    const measured = await perplexityJob(measure, testContext().context);
    expect(measured['loss']).toBeCloseTo(Number(trained['val_loss']), 6);
    expect(measured['perplexity']).toBeCloseTo(Math.exp(Number(measured['loss'])), 6);
    const write = { ...writing, model_path: base, prompt: 'the ' };
    const { samples } = await sampleJob(write, testContext().context);
    expect(samples).toHaveLength(2);
    expect((await sampleJob(write, testContext().context))['samples']).toEqual(samples);
    // More than there are means all of them, as in nanoGPT.
    expect((await sampleJob({ ...write, top_k: 9999 }, testContext().context))['samples']).toEqual(samples);
    const stopping = { ...testContext().context, stop: { requested: true } };
    await expect(sampleJob(write, stopping)).rejects.toMatchObject({ code: 'stopped' });
    await expect(perplexityJob(measure, stopping)).rejects.toMatchObject({ code: 'stopped' });
  });

  it('make reward data, whole or not at all', async () => {
    const stopped = testContext((event) => event.event === 'progress' && event.phase === 'reward_data');
    await expect(prepareRewardDataJob(prepare, stopped.context)).rejects.toMatchObject({ code: 'stopped' });
    expect(existsSync(rewardData)).toBe(false);
    const results = await prepareRewardDataJob(prepare, testContext().context);
    expect(results).toMatchObject({ train_samples: 24, val_samples: 16, block_size: 8 });
    expect(await prepareRewardDataJob(prepare, testContext().context)).toEqual(results);
    const other = { ...prepare, seed: prepare.seed + 1 };
    await expect(prepareRewardDataJob(other, testContext().context)).rejects.toMatchObject({ code: 'exists' });
    const { text } = await datasetInfoJob({ reward_data: rewardData }, testContext().context);
    expect(text).toContain('Samples: 24');
  });

  it('warn when the base model was trained on another split, and only then', async () => {
    const warned = async (train_split: number): Promise<boolean> => {
      const { context, events } = testContext();
      const output_dir = join(home, `split-${train_split}`);
      await prepareRewardDataJob({ ...prepare, train_split, output_dir, reward_train_samples: 2 }, context);
      return events.some((event) => event.event === 'notice' && event.code === 'other_text');
    };
    expect(await warned(train.train_split)).toBe(false);
    expect(await warned(0.8)).toBe(true);
  });

  it('train a reward model on it', async () => {
    const { context, events } = testContext();
    const results = await trainRewardModelJob(judge, context);
    expect(results).toMatchObject(numbers('val_mse', 'val_mae', 'r2', 'correlation'));
    expect(results['calibration']).toHaveLength(10);
    expect(events.some((event) => event.event === 'notice' && event.code.startsWith('reward_'))).toBe(true);
  });

  it('improve the model with it', async () => {
    const results = await trainGrpoJob(improve, testContext().context);
    expect(results).toMatchObject(
      numbers('reward_first', 'reward_last', 'kl', 'perplexity_before', 'perplexity_after'),
    );
    expect(modelFolder(improved, 'generator')).toBe(join(improved, 'model'));
  });

  it('train and use a critic: the base model’s command makes one', async () => {
    const critic = join(home, 'critic');
    await trainJob({ ...train, out_dir: critic, max_iters: 60, seed: 2 }, testContext().context);
    const seeing = { ...judge, reward_kind: 'critic', out_dir: join(home, 'seeing') } as const;
    const without = trainRewardModelJob(seeing, testContext().context);
    await expect(without).rejects.toMatchObject({ code: 'bad_input', field: 'critic_path' });
    const results = await trainRewardModelJob({ ...seeing, critic_path: critic }, testContext().context);
    expect(results).toMatchObject({ kind: 'critic', evidence_scale: expect.any(Number) as number });

    const shaped = { ...improve, reward_shape: 'token_log_ratio', out_dir: join(home, 'shaped') } as const;
    const blind = trainGrpoJob(shaped, testContext().context);
    await expect(blind).rejects.toMatchObject({ code: 'bad_input', field: 'reward_shape' });
    const improved = await trainGrpoJob({ ...shaped, reward_model_path: seeing.out_dir }, testContext().context);
    expect(improved).toMatchObject(numbers('reward_first', 'reward_last', 'kl'));
  });

  it('refuse what does not fit together', async () => {
    const context = () => testContext().context;
    const swapped = { ...improve, model_path: reward, reward_model_path: base, out_dir: join(home, 'no') };
    await expect(trainGrpoJob(swapped, context())).rejects.toThrow('is a reward model, not a base model');
    const bpe = { ...prepare, tokenization: 'bpe', output_dir: join(home, 'no') } as const;
    await expect(prepareRewardDataJob(bpe, context())).rejects.toMatchObject({ code: 'tokenization_mismatch' });
    const foreign = join(home, 'foreign.txt');
    writeFileSync(foreign, 'Ünknown letters. '.repeat(500));
    const elsewhere = { ...prepare, data_path: foreign, output_dir: join(home, 'no') };
    await expect(prepareRewardDataJob(elsewhere, context())).rejects.toMatchObject({ code: 'unknown_character' });
    expect(existsSync(join(home, 'no'))).toBe(false);
  });

  it('name a damaged model', async () => {
    const broken = join(home, 'broken');
    mkdirSync(broken);
    for (const name of readdirSync(join(base, 'model'))) {
      const bytes = readFileSync(join(base, 'model', name));
      writeFileSync(join(broken, name), name === 'weights.safetensors' ? bytes.subarray(0, -1) : bytes);
    }
    const write = { ...writing, model_path: broken };
    await expect(sampleJob(write, testContext().context)).rejects.toMatchObject({ code: 'file_damaged' });
  });

  it('refuse what can fit into no memory, and say which setting asks for it', async () => {
    const refused = (field: string) => ({ code: 'out_of_memory', field });
    const huge = { ...train, n_embd: 1024, n_layer: 48, block_size: 1024, batch_size: 65_536 };
    const training = trainJob({ ...huge, out_dir: join(home, 'huge') }, testContext().context);
    await expect(training).rejects.toMatchObject(refused('batch_size'));
    const many = { ...improve, prompts_per_step: 65_536, group_size: 4096, out_dir: join(home, 'many') };
    await expect(trainGrpoJob(many, testContext().context)).rejects.toMatchObject(refused('prompts_per_step'));
  });
});
