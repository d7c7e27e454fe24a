/**
 * Parses a command's flags by its schema: `--key value`, `--key=value`, dashes for underscores, booleans with or without a
 * value, `none` for unset. Pure; returns all problems at once. (commander stops at the first problem, takes the word
 * after a boolean flag as its value, and needs every spelling declared.)
 */
import { localized, type Message } from '../../shared/messages/message.js';
import { describeShape, type Field } from '../../shared/config/fields.js';
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
  readonly isNegated: boolean;
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

function flagsOf({ shape, aliases }: Command): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>();
  for (const field of describeShape({ ...shape, ...commonShape })) {
    flags.set(field.key, { field, isNegated: false });
    if (field.kind === 'boolean') flags.set(`no_${field.key}`, { field, isNegated: true });
  }
  for (const [alias, key] of Object.entries(aliases)) {
    const flag = flags.get(key);
    if (flag && !flags.has(alias)) flags.set(alias, flag);
  }
  return flags;
}

const canonical = (name: string) => name.replaceAll('-', '_');

/** Finds a setting by any spelling of its name, and lists the names of all. A removed one is null. */
export function settingNamed(spec: Command, name: string) {
  const key = canonical(name);
  const settings = new Map(
    [...flagsOf(spec)].filter(([, { field, isNegated }]) => !isNegated && !(field.key in commonShape)),
  );
  const field = settings.get(key)?.field ?? null;
  return {
    field,
    names: [...settings.keys()],
    removed: field === null && isRemovedSetting(key, spec.shape) ? key : null,
  };
}

/** Reads a value without a schema, for a setting that earlier versions had. */
function plainValue(text: string): unknown {
  const plain = text.trim().toLowerCase();
  if (plain === 'none' || plain === 'null') return null;
  if (plain === 'true' || plain === 'false') return plain === 'true';
  return plain !== '' && Number.isFinite(Number(plain)) ? Number(plain) : text;
}

const helpHint = ({ name }: Command, similar: string | null = null): Message =>
  localized('cli.help_lists_flags', { similar, program, command: name });

/** @param value given with the flag, for the suggested fix */
function unknownFlag(spec: Command, flags: ReadonlyMap<string, Flag>, written: string, value: string | undefined) {
  const name = canonical(written.slice(2));
  const similar = nearest(name, [...flags.keys()]);
  const message = localized('cli.unknown_flag', { written, name: spec.name });
  return error('bad_input', name, message, helpHint(spec, similar), fixOf(flags.get(similar ?? ''), value));
}

/** The flag that was probably meant, with the given value. */
function fixOf(flag: Flag | undefined, value: string | undefined): Fix | undefined {
  if (flag === undefined) return undefined;
  const { field, isNegated } = flag;
  if (field.kind === 'boolean') return { set: { [field.key]: !isNegated } };
  return value === undefined ? undefined : { set: { [field.key]: parseValue(field, value) as FixValue } };
}

function missingValue({ key, label, help }: Field, written: string): Problem {
  const hint = localized('cli.text', { label: localized(label), help: localized(help) });
  return error('bad_input', key, localized('cli.needs_value', { written }), hint);
}

export function parseArguments(spec: Command, argv: readonly string[]): Arguments {
  const flags = flagsOf(spec);
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  const positionals: string[] = [];

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
      const equals = argument.indexOf('=');
      const written = equals < 0 ? argument : argument.slice(0, equals);
      const inline = equals < 0 ? undefined : argument.slice(equals + 1);
      const next = argv[index + 1];
      const following = inline === undefined && next !== undefined && !next.startsWith('--') ? next : undefined;
      const value = inline ?? following;
      const { field, isNegated } = flags.get(canonical(written.slice(2))) ?? {};
      let isTaken = following !== undefined;
      if (field === undefined) {
        // A value of an unknown flag is no unexpected word: one problem for one mistake.
        const { removed } = settingNamed(spec, written.slice(2));
        if (removed === null) problems.push(unknownFlag(spec, flags, written, value));
        else values[removed] = value === undefined ? true : plainValue(value);
      } else if (isNegated) [values[field.key], isTaken] = [false, false];
      else if (field.kind === 'boolean' && inline === undefined) {
        // The next word is its value only if it reads as one: `--overwrite out` is a flag and a folder.
        const given = booleans.get(following?.toLowerCase() ?? '');
        values[field.key] = given ?? true;
        isTaken = given !== undefined;
      } else if (value !== undefined) set(field, value);
      else problems.push(missingValue(field, written));
      if (isTaken) index++;
    }
  }

  const key = spec.positional;
  const field = flags.get(key ?? '')?.field;
  for (const word of [...positionals, ...argv.slice(end + 1)]) {
    if (field?.kind === 'list') set(field, word);
    else if (key !== undefined && values[key] === undefined) values[key] = word;
    else {
      const hint = key === undefined ? localized('cli.only_flags', { program, command: spec.name }) : helpHint(spec);
      problems.push(error('bad_input', null, localized('cli.unexpected_word', { word: JSON.stringify(word) }), hint));
    }
  }
  const { json, help, config = null, ...own } = values;
  return { values: own, json: json === true, help: help === true, config: config as string | null, problems };
}
