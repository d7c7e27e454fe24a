/**
 * Parses a command's flags by its schema: `--key value`, `--key=value`, dashes for underscores, booleans with or without a
 * value, `none` for unset. Pure; all problems are returned at once. (commander stops at the first problem, takes the word
 * after a boolean flag as its value, and needs every spelling declared.)
 */
import { localized, type Message } from '../../shared/messages/message.js';
import { describeShape, type Field, type Shape } from '../../shared/config/fields.js';
import { error, type Problem } from '../../shared/config/checks.js';
import type { Fix, FixValue } from '../../shared/config/fixes.js';
import { program } from '../../shared/config/command-line.js';
import { isRemovedSetting } from '../../shared/config/removed-settings.js';
import { nearest } from '../../shared/base/nearest.js';
import { type Command, commonShape } from './command.js';

interface Arguments {
  /** The given values by key, not yet checked against their ranges. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  readonly help: boolean;
  /** A file with more settings, or null. */
  readonly config: string | null;
  readonly problems: readonly Problem[];
}

interface Flag {
  readonly field: Field;
  /** `--no-bias` names the field bias and means false. */
  readonly negated: boolean;
  /** Whether every command has it. */
  readonly isCommon: boolean;
}

const booleans = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, false] as const),
]);

/** Converts a word to its field's type; if it does not fit it stays text, for the schema to refuse. */
function parseValue({ kind, nullable, options }: Field, text: string): unknown {
  const word = text.trim().toLowerCase();
  if (nullable && (word === 'none' || word === 'null')) return null;
  if (kind === 'whole' || kind === 'real')
    return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/.test(word) ? Number(word) : text;
  if (kind === 'boolean') return booleans.get(word) ?? text;
  if (kind === 'choice') return options.includes(word) ? word : text;
  return kind === 'list' ? [text] : text;
}

function flagsOf(shape: Shape, aliases: Readonly<Record<string, string>>): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>();
  for (const field of describeShape({ ...shape, ...commonShape })) {
    const isCommon = field.key in commonShape;
    flags.set(field.key, { field, negated: false, isCommon });
    if (field.kind === 'boolean') flags.set(`no_${field.key}`, { field, negated: true, isCommon });
  }
  for (const [alias, key] of Object.entries(aliases)) {
    const flag = flags.get(key);
    if (flag && !flags.has(alias)) flags.set(alias, flag);
  }
  return flags;
}

const canonical = (name: string) => name.replaceAll('-', '_');

/** Finds a setting by any spelling of its name, and lists all names. */
export function flagNamed({ shape, aliases }: Command, name: string) {
  const flags = flagsOf(shape, aliases);
  const names = [...flags].flatMap(([key, { negated, isCommon }]) => (negated || isCommon ? [] : [key]));
  return { flag: flags.get(canonical(name)) ?? null, names };
}

/** The key of a setting that earlier versions had, and null for any other name. */
export function removedFlag(spec: Command, name: string): string | null {
  const key = canonical(name);
  return isRemovedSetting(key, spec.shape) && flagNamed(spec, name).flag === null ? key : null;
}

/** A value as it was written, without a schema to read it by. */
const plainValue = (text: string): unknown => {
  const plain = text.trim().toLowerCase();
  if (plain === 'none' || plain === 'null') return null;
  if (plain === 'true' || plain === 'false') return plain === 'true';
  return plain !== '' && Number.isFinite(Number(plain)) ? Number(plain) : text;
};

const helpHint = ({ name }: Command, similar: string | null = null): Message =>
  localized('cli.help_lists_flags', { similar, program, command: name });

/** @param value what was given with it, for the suggested fix */
function unknownFlag(spec: Command, flags: ReadonlyMap<string, Flag>, written: string, value: string | undefined) {
  const name = canonical(written.slice(2));
  const similar = nearest(name, [...flags.keys()]);
  const message = localized('cli.unknown_flag', { written, name: spec.name });
  const fix = similar === null ? undefined : fixOf(flags.get(similar), value);
  return error('bad_input', name, message, helpHint(spec, similar), fix);
}

function missingValue({ key, label, help }: Field, written: string): Problem {
  const hint = localized('cli.text', { label: localized(label), help: localized(help) });
  return error('bad_input', key, localized('cli.needs_value', { written }), hint);
}

export function parseArguments(spec: Command, argv: readonly string[]): Arguments {
  const flags = flagsOf(spec.shape, spec.aliases);
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  const positionals: string[] = [];
  /** Words after a boolean flag, which may be meant for it. */
  const afterBoolean = new Map<string, string>();

  /** Lists collect their words; of other settings the last counts. */
  const set = (field: Field, text: string) => {
    const before = values[field.key];
    values[field.key] =
      field.kind === 'list' && Array.isArray(before)
        ? [...(before as readonly unknown[]), text]
        : parseValue(field, text);
  };
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  for (let index = 0; index < end; index++) {
    const argument = argv[index] ?? '';
    if (argument === '-h') values['help'] = true;
    else if (!argument.startsWith('--')) positionals.push(argument);
    else {
      const [written = '', inline] = split(argument);
      const name = canonical(written.slice(2));
      const next = argv[index + 1];
      const following = inline === undefined && next !== undefined && !next.startsWith('--') ? next : undefined;
      const value = inline ?? following;
      const { field, negated } = flags.get(name) ?? {};
      if (field === undefined) {
        // A value of an unknown flag is no unexpected word: one problem for one mistake.
        const removed = removedFlag(spec, name);
        if (removed === null) problems.push(unknownFlag(spec, flags, written, value));
        else values[removed] = value === undefined ? true : plainValue(value);
        if (following !== undefined) index++;
      } else if (negated) values[field.key] = false;
      else if (field.kind === 'boolean' && inline === undefined) {
        // The next word is its value only if it reads as one: `--overwrite out` is a flag and a folder.
        const given = booleans.get(following?.toLowerCase() ?? '');
        values[field.key] = given ?? true;
        if (given !== undefined) index++;
        else if (following !== undefined) afterBoolean.set(following, field.key);
      } else if (value !== undefined) {
        set(field, value);
        if (following !== undefined) index++;
      } else problems.push(missingValue(field, written));
    }
  }

  const key = spec.positional;
  const field = flags.get(key ?? '')?.field;
  for (const word of [...positionals, ...argv.slice(end + 1)]) {
    const other = afterBoolean.get(word);
    if (field?.kind === 'list') set(field, word);
    else if (key !== undefined && values[key] === undefined) values[key] = word;
    else if (other !== undefined) values[other] = word; // for the schema to refuse, by the flag's name
    else {
      const hint = key === undefined ? localized('cli.only_flags', { program, command: spec.name }) : helpHint(spec);
      problems.push(error('bad_input', null, localized('cli.unexpected_word', { word: JSON.stringify(word) }), hint));
    }
  }
  const { json, help, config = null, ...own } = values;
  return { values: own, json: json === true, help: help === true, config: config as string | null, problems };
}

/** Splits `--key=value`; without `=` the value is undefined. */
function split(argument: string): readonly [name: string, value?: string] {
  const equals = argument.indexOf('=');
  return equals < 0 ? [argument] : [argument.slice(0, equals), argument.slice(equals + 1)];
}

/** The flag that was probably meant, with the given value. */
function fixOf(flag: Flag | undefined, value: string | undefined): Fix | undefined {
  if (flag === undefined) return undefined;
  const { field, negated } = flag;
  if (field.kind === 'boolean') return { set: { [field.key]: !negated } };
  return value === undefined ? undefined : { set: { [field.key]: parseValue(field, value) as FixValue } };
}
