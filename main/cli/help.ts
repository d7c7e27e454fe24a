/** The help texts, made from the schemas: the list of commands, and one page per command. Pure text. */
import { acceptedValues, describeShape, typedValue, type Field } from '../../shared/config/fields.js';
import { program } from '../../shared/config/command-line.js';
import { presets } from '../../shared/config/presets.js';
import { presetValues } from '../../shared/config/resolve.js';
import { t } from './language.js';
import { type Command, commonShape } from './command.js';
import { commands } from './commands/index.js';
import { wrap } from './words.js';
import type { Style } from './style.js';

const WIDTH = 100;

export function generalHelp(version: string, style: Style): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const commandLines = commands.map(({ name, summary }) => `  ${style.accent(name.padEnd(width))}  ${summary}`);
  const presetLines = Object.entries(presets).map(
    ([name, { help }]) => `  ${style.accent(name.padEnd(width))}  ${t(help)}`,
  );
  return [
    t('help.lead', { name: style.bold('Verisim'), version }),
    '',
    t('help.usage', { command: `${program} ${t('help.command')}` }),
    '',
    style.bold(t('help.commands')),
    ...commandLines,
    '',
    style.bold(t('help.presets')),
    ...presetLines,
    '',
    t('help.more', { program }),
    '',
  ].join('\n');
}

export function commandHelp(spec: Command, style: Style): string {
  const { positional } = spec;
  const usage = `${program} ${spec.name}${positional === undefined ? '' : ` [${positional}]`}`;
  const groups = spec.groups.map(({ title, shape }) => ({ title, fields: describeShape(shape) }));
  const plain = groups.map(({ title, fields }) => ({ title, fields: fields.filter(({ advanced }) => !advanced) }));
  const advanced = groups.flatMap(({ fields }) => fields.filter((field) => field.advanced));
  const aliasOf = new Map<string, string[]>();
  for (const [alias, key] of Object.entries(spec.aliases)) aliasOf.set(key, [...(aliasOf.get(key) ?? []), alias]);

  const lines = [t('help.usage', { command: usage }), '', wrap(spec.about, WIDTH), ''];
  const section = (title: string, fields: readonly Field[]) => {
    if (fields.length === 0) return;
    lines.push(
      style.bold(title),
      ...fields.map((field) => flagHelp(field, presetDefault(spec, field), aliasOf.get(field.key) ?? [], style)),
      '',
    );
  };
  for (const { title, fields } of plain) section(title, fields);
  section(t('help.advanced'), advanced);
  section(t('help.output'), describeShape(commonShape));
  lines.push(style.bold(t('help.examples')), ...spec.examples.map((example) => `  ${program} ${example}`), '');
  return lines.join('\n');
}

/** "default 4 with preset tiny, else 12": the default that counts comes first. */
function presetDefault(spec: Command, field: Field): string | null {
  const { shape } = spec;
  const preset: unknown = shape['preset']?.safeParse(undefined).data;
  const value = presetValues(shape, preset)[field.key];
  if (value === undefined || value === field.default) return null;
  return t('help.preset_default', {
    value: typedValue(value),
    preset: typedValue(preset),
    otherwise: typedValue(field.default),
  });
}

/** "default 12; a whole number from 1 to 256". */
export function defaultAndRange(field: Field, ownDefault: string | null = null): string {
  if (ownDefault !== null) return `${ownDefault}; ${t(acceptedValues(field))}`;
  const initial = field.required
    ? t('help.required')
    : field.default === undefined
      ? t('help.no_default')
      : t('help.default', { value: typedValue(field.default) });
  return `${initial}; ${t(acceptedValues(field))}`;
}

function flagHelp(field: Field, ownDefault: string | null, aliases: readonly string[], style: Style): string {
  const also =
    aliases.length === 0 ? '' : ` (${t('help.aliases', { flags: aliases.map((alias) => `--${alias}`).join(', ') })})`;
  const head = `  ${style.accent(`--${field.key}`)}${also}  ${style.dim(defaultAndRange(field, ownDefault))}`;
  return `${head}\n${wrap(t(field.help), WIDTH, '      ')}`;
}
