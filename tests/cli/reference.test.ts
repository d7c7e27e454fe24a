import { describe, expect, it } from 'vitest';
import { commandHelp, defaultAndRange, generalHelp } from '../../main/cli/help.js';
import { createStyle } from '../../main/cli/style.js';
import { commonShape } from '../../main/cli/command.js';
import { commandNames } from '../../main/cli/commands/index.js';
import * as commands from '../../shared/config/commands.js';
import { commandOf } from './commands.js';
import { configurationReference } from './configuration-reference.js';
import { describeShape } from '../../shared/config/fields.js';

const plain = createStyle(false);

describe('help and reference', () => {
  it.each(commandNames)('%s --help shows every parameter of its schema, and nothing else', (name) => {
    const spec = commandOf(name);
    const text = commandHelp(spec, plain);
    const shown = [...text.matchAll(/^ {2}--(\w+)/gm)].map((match) => match[1]);
    const declared = describeShape(spec.shape).map(({ key }) => key);
    expect(shown.sort()).toEqual([...declared, ...Object.keys(commonShape)].sort());
  });

  // A job parses its whole shape: what no group shows could never be given.
  it.each([
    ['new', commands.projectCommandShape] as const,
    ['cycle', commands.cycleCommandShape] as const,
    ['preview', commands.previewCommandShape] as const,
    ['train', commands.trainCommandShape] as const,
    ['train_grpo', commands.grpoCommandShape] as const,
    ['prepare_reward_data', commands.rewardDataCommandShape] as const,
    ['train_reward_model', commands.rewardModelCommandShape] as const,
  ])('%s takes every parameter of its job', (name, shape) => {
    expect(Object.keys(commandOf(name).shape).sort()).toEqual(Object.keys(shape).sort());
  });

  it('shows default, range and help of a parameter, and puts advanced ones under their own heading', () => {
    const text = commandHelp(commandOf('train_grpo'), plain);
    const field = describeShape(commandOf('train_grpo').shape).find(({ key }) => key === 'group_size');
    expect(field && defaultAndRange(field)).toBe('default 8; a whole number from 2 to 4096');
    expect(text).toContain('--group_size  default 8; a whole number from 2 to 4096\n      Completions written');
    expect(text.indexOf('--num_iterations')).toBeGreaterThan(text.indexOf('\nAdvanced\n'));
    expect(text.indexOf('--beta ')).toBeLessThan(text.indexOf('\nAdvanced\n'));
  });

  it('states the default that counts when a preset is the default', () => {
    expect(commandHelp(commandOf('train'), plain)).toContain('--n_layer  default 4 with preset tiny, else 12;');
  });

  it('lists every command', () => {
    const text = generalHelp('1.2.3', plain);
    for (const name of commandNames) expect(text).toContain(`  ${name} `);
  });

  it('docs/configuration.md is what the schemas say (vitest -u writes it)', async () => {
    await expect(configurationReference()).toMatchFileSnapshot('../../docs/configuration.md');
  });
});
