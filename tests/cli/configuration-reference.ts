/** docs/configuration.md, made from the commands' schemas: reference.test.ts writes it, and fails when it drifts. */
import { describeShape, typedValue, type Field } from '../../shared/config/fields.js';
import { presets } from '../../shared/config/presets.js';
import { localized } from '../../shared/messages/message.js';
import { typed } from '../../shared/sentence.js';
import type { Command } from '../../main/cli/command.js';
import { commands } from '../../main/cli/commands/index.js';
import { defaultAndRange } from '../../main/cli/help.js';

/** docs/configuration.md: every parameter of every group once, and which commands take it. */
export function configurationReference(): string {
  const groups = new Map<string, { readonly fields: readonly Field[]; readonly commands: Set<string> }>();
  const titleOf = (spec: Command, title: string) =>
    ['Run', 'Sample', 'Measure', 'Dataset', 'Preview', 'Project'].includes(title) ? `The command ${spec.name}` : title;
  for (const spec of commands) {
    for (const { title, shape } of spec.groups) {
      const heading = titleOf(spec, title);
      const entry = groups.get(heading) ?? { fields: describeShape(shape), commands: new Set() };
      const fields = [...entry.fields, ...describeShape(shape)].filter(
        (field, place, all) => all.findIndex(({ key }) => key === field.key) === place,
      );
      groups.set(heading, { fields, commands: entry.commands.add(spec.name) });
    }
  }
  const sections = [...groups].map(([heading, { fields, commands }]) => {
    const rows = fields.map(
      (field) =>
        `| \`${field.key}\`${field.advanced ? ' (advanced)' : ''} | ${defaultAndRange(field)} | ${typed(localized(field.help))} |`,
    );
    const taken = [...commands].map((name) => `\`${name}\``).join(', ');
    return [
      `## ${heading}`,
      '',
      ...(heading.startsWith('The command') ? [] : [`Taken by ${taken}.`, '']),
      '| Setting | Default; accepted | What it does |',
      '| --- | --- | --- |',
      ...rows,
      '',
    ].join('\n');
  });
  const presetKeys = [...new Set(Object.values(presets).flatMap(({ values }) => Object.keys(values)))];
  const presetRows = presetKeys.map((key) => {
    const cells = Object.values(presets).map(({ values }) => {
      const value = (values as Readonly<Record<string, unknown>>)[key];
      return value === undefined ? '' : typedValue(value);
    });
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
    ...Object.entries(presets).map(([name, { help }]) => `- \`${name}\`: ${typed(localized(help))}`),
    '',
    `| Setting | ${Object.keys(presets).join(' | ')} |`,
    `| --- |${' --- |'.repeat(Object.keys(presets).length)}`,
    ...presetRows,
    '',
  ].join('\n');
}
