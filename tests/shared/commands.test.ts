import { describe, expect, it } from 'vitest';
import { modelProblems } from '../../shared/config/checks.js';
import { projectCommandShape } from '../../shared/config/commands.js';
import { acceptedValues, describeField } from '../../shared/config/fields.js';
import { projectConfigSchema, projectShape } from '../../shared/config/index.js';
import { presetNames, presets } from '../../shared/config/presets.js';
import { resolveSettings } from '../../shared/config/resolve.js';
import { plainEnglish } from '../../shared/messages/surfaces.js';

describe('a project', () => {
  it('can set everything in a project', () => {
    const settable = Object.keys(projectCommandShape);
    const missing = Object.keys(projectShape).filter((key) => !settable.includes(key));
    expect(missing.sort()).toEqual([]);
  });
});

describe('presets', () => {
  it.each([...presetNames, 'none'])('%s is a possible configuration', (preset) => {
    const resolved = resolveSettings(projectCommandShape, { project: 'p', preset });
    if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
    const { project: _project, preset: _preset, ...config } = resolved.value;
    expect(projectConfigSchema.safeParse(config).success).toBe(true);
    expect(modelProblems({ n_embd: Number(config['n_embd']), n_head: Number(config['n_head']) })).toEqual([]);
  });

  it('wins over defaults and loses against what is given', () => {
    const resolved = resolveSettings(projectCommandShape, { project: 'p', preset: 'nano', n_embd: 96 });
    expect(resolved).toMatchObject({
      ok: true,
      value: { n_embd: 96, n_layer: presets.nano.values.n_layer, n_head: 2 },
    });
    expect(resolveSettings(projectCommandShape, { project: 'p' })).toMatchObject({ value: { n_layer: 4 } });
    const seeds = resolveSettings(projectCommandShape, { project: 'p', preset: 'tiny', reward_kind: 'head' });
    expect(seeds).toMatchObject({ value: { reward_kind: 'head', reward_shape: 'fraction', ptx_coef: 0, beta: 0.04 } });
    const critic = resolveSettings(projectCommandShape, { project: 'p', preset: 'tiny' });
    expect(critic).toMatchObject({ value: { reward_kind: 'critic', reward_shape: 'token_log_ratio' } });
    expect(resolveSettings(projectCommandShape, { project: 'p', preset: 'none' })).toMatchObject({
      value: { n_layer: 12 },
    });
  });

  it('takes the rates of the older architecture where that is asked for', () => {
    const older = resolveSettings(projectCommandShape, { project: 'p', preset: 'tiny', architecture: 'gpt2' });
    const { learning_rate, min_lr } = presets.classic.values;
    expect(older).toMatchObject({ value: { learning_rate, min_lr, lr_schedule: 'cosine', architecture: 'gpt2' } });
    const newer = resolveSettings(projectCommandShape, { project: 'p', preset: 'tiny' });
    expect(newer).toMatchObject({ value: { learning_rate: 3e-3, min_lr: 0, lr_schedule: 'linear' } });
  });
});

describe('fields', () => {
  const words = (key: keyof typeof projectShape) => plainEnglish(acceptedValues(describeField(key, projectShape[key])));

  it('says in words what is accepted', () => {
    expect(words('n_layer')).toBe('a whole number from 1 to 256');
    expect(words('temperature')).toBe('a number above 0, at most 100');
    expect(words('top_k')).toBe('a whole number of at least 1, or none');
    expect(words('input_mode')).toBe('text or binary');
    expect(words('loss_type')).toBe('grpo, dapo or dr_grpo');
    expect(words('min_lr')).toBe('a number of at least 0');
    expect(words('tensorboard')).toBe('true or false');
    expect(words('data_path')).toBe('a path');
  });
});
