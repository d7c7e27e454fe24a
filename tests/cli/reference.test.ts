/** What every command declares, its help, and docs/configuration.md, which is generated from the schemas. */
import { describe, expect, it } from 'vitest';
import { commonShape, type Command } from '../../main/cli/command.js';
import { commandNamed, commands } from '../../main/cli/commands/index.js';
import { commandHelp, defaultOf, generalHelp } from '../../main/cli/help.js';
import { t } from '../../main/cli/language.js';
import { createStyle } from '../../main/cli/style.js';
import * as shapes from '../../shared/config/commands.js';
import { acceptedValues, describeShape, typedValue, type Field } from '../../shared/config/fields.js';
import { presets } from '../../shared/config/presets.js';

const plain = createStyle(false);
const shapeOf = (name: string) => commandNamed(name)?.shape ?? {};
const helpOf = (name: string) => commandHelp(commandNamed(name) as Command, plain);

describe.each(commands)('$name', (spec) => {
  it('explains every parameter, and every alias leads to one', () => {
    const keys = spec.groups.flatMap((group) => Object.keys(group.shape));
    expect(new Set(keys).size, 'a key is in one group only').toBe(keys.length);
    for (const field of describeShape(spec.shape)) {
      expect(t(field.label)).not.toBe('');
      expect(t(field.help)).toMatch(/[.]$/);
      expect(field.key).toMatch(/^[a-z][a-z0-9_]*$/);
    }
    for (const [alias, key] of Object.entries(spec.aliases)) {
      expect(Object.keys(spec.shape)).toContain(key);
      expect(Object.keys({ ...spec.shape, ...commonShape })).not.toContain(alias);
    }
    if (spec.positional !== undefined) expect(Object.keys(spec.shape)).toContain(spec.positional);
  });

  it('--help shows every parameter of its schema, and nothing else', () => {
    const shown = [...commandHelp(spec, plain).matchAll(/^ {2}--(\w+)/gm)].map((match) => match[1]);
    expect(shown.sort()).toEqual([...Object.keys(spec.shape), ...Object.keys(commonShape)].sort());
    expect(generalHelp('1.2.3', plain)).toContain(`  ${spec.name} `);
  });
});

// A job parses its whole shape: a parameter outside of all groups could never be given.
it.each([
  ['new', shapes.projectCommandShape] as const,
  ['cycle', shapes.cycleCommandShape] as const,
  ['preview', shapes.previewCommandShape] as const,
  ['train', shapes.trainCommandShape] as const,
  ['train_grpo', shapes.grpoCommandShape] as const,
  ['prepare_reward_data', shapes.rewardDataCommandShape] as const,
  ['train_reward_model', shapes.rewardModelCommandShape] as const,
])('%s takes every parameter of its job', (name, shape) => {
  expect(Object.keys(shapeOf(name)).sort()).toEqual(Object.keys(shape).sort());
});

it('has the flags of the documented prepare_reward_data.py with their defaults', () => {
  const fields = describeShape(shapeOf('prepare_reward_data'));
  expect(Object.fromEntries(fields.map((field) => [field.key, field.default]))).toMatchObject({
    ...{ model_path: undefined, input_mode: 'text', data_path: undefined, train_bin: undefined, val_bin: undefined },
    ...{ tokenization: 'auto', meta_path: undefined, output_dir: 'data/reward_dataset', train_split: 0.9 },
    ...{ samples_per_chunk: 10, temperature: 1, top_k: null, device: 'auto', seed: 42 },
  });
});

it('help shows default, range and help of a parameter, and advanced ones under their own heading', () => {
  const text = helpOf('train_grpo');
  expect(text).toContain('--group_size  default 8; a whole number from 2 to 4096\n      Completions written');
  expect(text.indexOf('--num_iterations')).toBeGreaterThan(text.indexOf('\nAdvanced\n'));
  expect(text.indexOf('--beta ')).toBeLessThan(text.indexOf('\nAdvanced\n'));
  expect(helpOf('train')).toContain('--n_layer  default 4 with preset tiny, else 12;');
});

/** Lists every parameter of every group once, with the commands that take it. */
function configurationReference(): string {
  const groups = new Map<string, { readonly fields: readonly Field[]; readonly commands: Set<string> }>();
  for (const { name, groups: ofCommand } of commands) {
    for (const { name: group, shape } of ofCommand) {
      const title = t(`group.${group}`);
      const isOwn = ['Run', 'Sample', 'Measure', 'Dataset', 'Preview', 'Project'].includes(title);
      const heading = isOwn ? `The command ${name}` : title;
      const entry = groups.get(heading) ?? { fields: [], commands: new Set() };
      const fields = new Map([...entry.fields, ...describeShape(shape)].map((field) => [field.key, field]));
      groups.set(heading, { fields: [...fields.values()], commands: entry.commands.add(name) });
    }
  }
  const sections = [...groups].flatMap(([heading, { fields, commands }]) => [
    `## ${heading}\n`,
    ...(heading.startsWith('The command')
      ? []
      : [`Taken by ${[...commands].map((name) => `\`${name}\``).join(', ')}.\n`]),
    '| Setting | Default; accepted | What it does |',
    '| --- | --- | --- |',
    ...fields.map(
      (field) =>
        `| \`${field.key}\`${field.advanced ? ' (advanced)' : ''} | ${defaultOf(field)}; ${t(acceptedValues(field))} | ${t(field.help)} |`,
    ),
    '',
  ]);
  const presetKeys = [...new Set(Object.values(presets).flatMap(({ values }) => Object.keys(values)))];
  const presetRows = presetKeys.map((key) => {
    const cells = Object.values(presets).map(({ values }: { readonly values: Readonly<Record<string, unknown>> }) =>
      values[key] === undefined ? '' : typedValue(values[key]),
    );
    return `| \`${key}\` | ${cells.join(' | ')} |`;
  });
  return [
    '# Configuration',
    '',
    'Every setting, from the schemas in `shared/config`. A key is also its flag: `n_layer` is `--n_layer` (or `--n-layer`).',
    'Flags win over the preset, the preset wins over these defaults. `none` means unset. `--config FILE` takes them from a',
    'JSON file, `{"n_layer": 4, "bias": false}`; it is checked as flags are, and flags win over it. This page is generated',
    'by `npx vitest run tests/cli/reference.test.ts -u`, and a test fails when it drifts.',
    '',
    ...sections,
    '## Presets',
    '',
    ...Object.entries(presets).map(([name, { help }]) => `- \`${name}\`: ${t(help)}`),
    '',
    `| Setting | ${Object.keys(presets).join(' | ')} |`,
    `| --- |${' --- |'.repeat(Object.keys(presets).length)}`,
    ...presetRows,
    '',
  ].join('\n');
}

it('docs/configuration.md matches the schemas (vitest -u writes it)', async () => {
  await expect(configurationReference()).toMatchFileSnapshot('../../docs/configuration.md');
});
