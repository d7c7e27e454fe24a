// What every command declares: parameters that explain themselves, aliases that lead somewhere, the specification's flags.
import { describe, expect, it } from 'vitest';
import { commonShape } from '../../main/cli/command.js';
import { commandNames } from '../../main/cli/commands/index.js';
import { localized } from '../../shared/messages/message.js';
import { typed } from '../../shared/sentence.js';
import { describeShape } from '../../shared/config/fields.js';
import { commandOf } from './commands.js';

describe('commands', () => {
  it.each(commandNames)('%s: every parameter explains itself and every alias leads somewhere', (name) => {
    const spec = commandOf(name);
    const { shape } = spec;
    const keys = spec.groups.flatMap((group) => Object.keys(group.shape));
    expect(new Set(keys).size, 'a key stands in one group only').toBe(keys.length);
    for (const field of describeShape(shape)) {
      expect(typed(localized(field.label))).not.toBe('');
      expect(typed(localized(field.help))).toMatch(/[.]$/);
      expect(field.key).toMatch(/^[a-z][a-z0-9_]*$/);
    }
    for (const [alias, key] of Object.entries(spec.aliases)) {
      expect(Object.keys(shape)).toContain(key);
      expect(Object.keys({ ...shape, ...commonShape })).not.toContain(alias);
    }
    if (spec.positional !== undefined) expect(Object.keys(shape)).toContain(spec.positional);
  });

  it('has the flags of the documented prepare_reward_data.py with their defaults', () => {
    const shape = commandOf('prepare_reward_data').shape;
    const defaults = Object.fromEntries(describeShape(shape).map((field) => [field.key, field.default]));
    expect(defaults).toMatchObject({
      model_path: undefined,
      input_mode: 'text',
      data_path: undefined,
      train_bin: undefined,
      val_bin: undefined,
      tokenization: 'auto',
      meta_path: undefined,
      output_dir: 'data/reward_dataset',
      train_split: 0.9,
      samples_per_chunk: 10,
      temperature: 1,
      top_k: null,
      device: 'auto',
      seed: 42,
    });
  });
});
