/** Formats the help from the schemas: the list of commands, and one page per command. Pure text. */
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
  const line = (name: string, text: string) => `  ${style.accent(name.padEnd(width))}  ${text}`;
  return [
    t('help.lead', { name: style.bold('Verisim'), version }),
    '',
    t('help.usage', { command: `${program} ${t('help.command')}` }),
    '',
    style.bold(t('help.commands')),
    ...commands.map(({ name }) => line(name, t(`commandSummary.${name}`))),
    '',
    style.bold(t('help.presets')),
    ...Object.entries(presets).map(([name, { help }]) => line(name, t(help))),
    '',
    t('help.more', { program }),
    '',
  ].join('\n');
}

export function commandHelp(spec: Command, style: Style): string {
  const { name, positional, examples, aliases } = spec;
  const groups = spec.groups.map(({ name, shape }) => ({ title: t(`group.${name}`), fields: describeShape(shape) }));
  const flag = (field: Field) => {
    const names = Object.keys(aliases).filter((alias) => aliases[alias] === field.key);
    const flags = names.map((alias) => `--${alias}`).join(', ');
    const also = flags === '' ? '' : ` (${t('help.aliases', { flags })})`;
    const range = `${presetDefault(spec, field) ?? defaultOf(field)}; ${t(acceptedValues(field))}`;
    return `  ${style.accent(`--${field.key}`)}${also}  ${style.dim(range)}\n${wrap(t(field.help), WIDTH, '      ')}`;
  };
  const section = (title: string, fields: readonly Field[]) =>
    fields.length === 0 ? [] : [style.bold(title), ...fields.map(flag), ''];
  return [
    t('help.usage', { command: `${program} ${name}${positional === undefined ? '' : ` [${positional}]`}` }),
    '',
    wrap(t(`commandAbout.${name}`), WIDTH),
    '',
    ...groups.flatMap(({ title, fields }) =>
      section(
        title,
        fields.filter(({ advanced }) => !advanced),
      ),
    ),
    ...section(
      t('help.advanced'),
      groups.flatMap(({ fields }) => fields.filter(({ advanced }) => advanced)),
    ),
    ...section(t('help.output'), describeShape(commonShape)),
    style.bold(t('help.examples')),
    ...examples.map((example) => `  ${program} ${example}`),
    '',
  ].join('\n');
}

/** "default 4 with preset tiny, else 12", if the default preset changes the default. */
function presetDefault({ shape }: Command, field: Field): string | null {
  const preset: unknown = shape['preset']?.safeParse(undefined).data;
  const value = presetValues(shape, preset)[field.key];
  if (value === undefined || value === field.default) return null;
  const [own, otherwise] = [typedValue(value), typedValue(field.default)];
  return t('help.preset_default', { value: own, preset: typedValue(preset), otherwise });
}

export function defaultOf(field: Field): string {
  if (field.required) return t('help.required');
  return field.default === undefined ? t('help.no_default') : t('help.default', { value: typedValue(field.default) });
}
