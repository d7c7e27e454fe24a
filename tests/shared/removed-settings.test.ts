/** Settings of earlier versions: what is ignored, what is replaced, and what is worth a notice. */
import { describe, expect, it } from 'vitest';
import { presets } from '../../shared/config/presets.js';
import { projectConfigSchema, projectShape } from '../../shared/config/index.js';
import { clusterShape } from '../../shared/config/cluster.js';
import { readingShape } from '../../shared/config/generation.js';
import { ignoredNotice, presentSettings } from '../../shared/config/removed-settings.js';

const present = (given: Readonly<Record<string, unknown>>) => presentSettings(given, projectConfigSchema.shape);

describe('settings of earlier versions', () => {
  it('are ignored, and named if they changed anything', () => {
    expect(present({ optimizer: 'muon', muon_learning_rate: 0.05, n_layer: 2 })).toEqual({
      values: { n_layer: 2 },
      ignored: ['optimizer muon', 'muon_learning_rate 0.05'],
    });
    expect(present({ optimizer: 'adamw', eval_block_size: 512, lr_constant: 0, beta1: 0.9 }).ignored).toEqual([]);
    expect(present({ reward_patience: 7 }).ignored).toEqual(['reward_patience 7']);
  });

  it('have removed values replaced', () => {
    expect(present({ reward_kind: 'token', reward_shape: 'log_ratio' })).toEqual({
      values: { reward_kind: 'head', reward_shape: 'fraction' },
      ignored: ['reward_kind token → head', 'reward_shape log_ratio → fraction'],
    });
    expect(present({ reward_kind: 'hybrid' }).values).toEqual({ reward_kind: 'critic' });
  });

  it('stay what they are if this version knows them, or never did', () => {
    const given = { vocab_size: 65, bias: false, mode: 'generator', unknown: 1 };
    expect(present(given)).toEqual({ values: given, ignored: [] });
  });

  it('give one notice', () => {
    expect(ignoredNotice([], 'project.json')).toBeNull();
    expect(ignoredNotice(['optimizer muon'], 'project.json')).toMatchObject({
      code: 'settings_ignored',
      message: { code: 'config.settings_ignored', params: { source: 'project.json', settings: 'optimizer muon' } },
    });
  });
});

describe('settings of this version', () => {
  const all = { ...projectShape, ...clusterShape, ...readingShape };

  it('are at most 80', () => expect(Object.keys(all).length).toBeLessThanOrEqual(80));

  it('stand in a preset unless a task of a user needs them', () => {
    const inPresets = new Set(Object.values(presets).flatMap(({ values }) => Object.keys(values)));
    const advanced = Object.entries(all).filter(([, schema]) => schema.meta()?.['advanced'] === true);
    expect(advanced.map(([key]) => key).filter((key) => !inPresets.has(key) && !Object.hasOwn(tasks, key))).toEqual([]);
  });
});

/** Why an advanced setting that is in no preset exists. */
const tasks = {
  text_field: 'a .jsonl or .parquet file whose text is in another field',
  tokenizer_path: 'prepared tokens of a pretrained tokenizer',
  vocab: 'a text that needs more or fewer pieces',
  reward_head_hidden_dim: 'specification',
  min_delta: 'specification',
  log_interval: 'short runs, of which every step is of interest',
  top_k: 'specification',
  num_iterations: 'a preset with a critic from a model',
  ptx_targets: 'a preset with a critic from a model',
  grpo_eval_prompts: 'a preset with a critic from a model',
  grpo_warmup_steps: 'a preset with a critic from a model',
  kl_target: 'to hold the distance from the start instead of its coefficient',
  tensorboard: 'to watch a run in TensorBoard',
  threads: 'to leave a part of the processor free',
  precision: 'to compare bfloat16 with 32 bits',
  cluster: 'several machines',
  rank: 'several machines',
  cluster_network: 'machines on a private network',
} as const;
