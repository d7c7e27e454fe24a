// A checkpoint of nanoGPT goes the whole way through a cycle: reward data, reward model, GRPO.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { prepareRewardDataJob } from '../../../main/jobs/commands/prepare-reward-data.js';
import { trainGrpoJob } from '../../../main/jobs/commands/train-grpo.js';
import { trainRewardModelJob } from '../../../main/jobs/commands/train-reward-model.js';
import { loadModel } from '../../../main/storage/projects/models.js';
import { readMeta } from '../../../main/storage/datasets/tokenizer-files.js';
import { grpoCommandShape, rewardDataCommandShape, rewardModelCommandShape } from '../../../shared/config/commands.js';
import { foreignFile, tensorHashes } from '../../parity/foreign.js';
import { temporaryFolder, testContext } from '../context.js';

const settings = <S extends z.ZodRawShape>(shape: S, given: Readonly<Record<string, unknown>>) =>
  z.object(shape).parse({ device: 'cpu', threads: 1, ...given });

it('its characters need to be given only with the text, and are in the model that comes out', async () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  mkdirSync(at('text'));
  copyFileSync(foreignFile('nanogpt.pt'), at('base_model.pt'));
  copyFileSync(foreignFile('meta.pkl'), at('text/meta.pkl'));
  const { characters } = readMeta(at('text/meta.pkl'));
  const text = Array.from({ length: 400 }, (_, i) => characters[(i * i + (i >> 2)) % characters.length]).join('');
  writeFileSync(at('text/input.txt'), text);

  const { context } = testContext();
  const base = { model_path: at('base_model.pt'), data_path: at('text') };
  const rewardData = { samples_per_chunk: 1, output_dir: at('reward_data') };
  await prepareRewardDataJob(settings(rewardDataCommandShape, { ...base, ...rewardData }), context);
  const metadata = readFileSync(at('reward_data/train_metadata.txt'), 'utf8');
  expect(metadata).toContain(`meta_path: ${at('text/meta.pkl')}\n`);
  await trainRewardModelJob(
    settings(rewardModelCommandShape, {
      model_path: at('base_model.pt'),
      reward_data: at('reward_data'),
      reward_max_iters: 2,
      out_dir: at('reward_model'),
    }),
    context,
  );
  const grpo = { reward_model_path: at('reward_model'), out_dir: at('improved'), seed: 1 };
  const small = { grpo_max_steps: 1, group_size: 2, prompts_per_step: 1, grpo_eval_prompts: 2 };
  await trainGrpoJob(settings(grpoCommandShape, { ...base, ...grpo, ...small }), context);

  const improved = loadModel(at('improved/model'));
  expect(improved.tokenization).toEqual({ method: 'char', vocab_size: 11, chars: characters });
  expect(improved.config).toMatchObject({ n_layer: 2, block_size: 8, mode: 'generator' });
  expect(Object.keys(tensorHashes(improved.weights))).toHaveLength(28);
});
