/**
 * Reads a command's flags into values, from its schema: `--key value`, `--key=value`, dashes for underscores, booleans
 * with or without a value, `none` for unset. Pure: what is wrong comes back as problems, all at once.
 */
import { describeShape, type Field, type Shape } from '../../shared/config/fields.js';
import { error, type Problem } from '../../shared/config/checks.js';
import type { Fix, FixValue } from '../../shared/config/fixes.js';
import { program } from '../../shared/config/command-line.js';
import { nearest } from '../../shared/nearest.js';
import { type Command, commonShape } from './command.js';

interface Arguments {
  /** What was given, by key; not checked against the ranges yet. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly json: boolean;
  readonly help: boolean;
  /** A file with more settings, or null. */
  readonly config: string | null;
  readonly problems: readonly Problem[];
}

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
};

/** A written value as the type its field has; what does not fit is left as text, for the schema to refuse. */
function readValue(field: Field, text: string): unknown {
  const plain = text.trim().toLowerCase();
  if (field.nullable && (plain === 'none' || plain === 'null')) return null;
  switch (field.kind) {
    case 'whole':
    case 'real':
      return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/.test(plain) ? Number(plain) : text;
    case 'boolean':
      return truths[plain] ?? text;
    case 'choice':
      return field.options.includes(plain) ? plain : text;
    case 'text':
      return text;
    case 'list':
      return [text];
  }
}

/** Of a list every word counts; of all else the last. */
const together = (field: Field, before: unknown, text: string): unknown =>
  field.kind === 'list' && Array.isArray(before) ? [...(before as readonly unknown[]), text] : readValue(field, text);

/** The flag that was probably meant, with the value that was given. */
function fixOf({ field, negated }: Flag, value: string | undefined): Fix | undefined {
  if (field.kind === 'boolean') return { set: { [field.key]: !negated } };
  const read = value === undefined ? undefined : readValue(field, value);
  return read === undefined ? undefined : { set: { [field.key]: read as FixValue } };
}

interface Flag {
  readonly field: Field;
  /** `--no-bias` names the field bias and means false. */
  readonly negated: boolean;
  /** One of those that every command takes. */
  readonly isCommon: boolean;
}

const canonical = (name: string) => name.replaceAll('-', '_');

function flagsOf(shape: Shape, aliases: Readonly<Record<string, string>>): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>();
  const fields = describeShape({ ...shape, ...commonShape });
  for (const field of fields) {
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

/** What a name, in any of its spellings, means for a command, and the names there are. */
export function flagNamed(
  spec: Command,
  name: string,
): { readonly flag: Flag | null; readonly names: readonly string[] } {
  const flags = flagsOf(spec.shape, spec.aliases);
  const names = [...flags].flatMap(([key, { negated, isCommon }]) => (negated || isCommon ? [] : [key]));
  return { flag: flags.get(canonical(name)) ?? null, names };
}

export function parseArguments(spec: Command, argv: readonly string[]): Arguments {
  const flags = flagsOf(spec.shape, spec.aliases);
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  const positionals: string[] = [];
  /** The word after a flag that takes true or false, in case that it is meant for it. */
  const afterSwitch = new Map<string, Field>();
  const helpHint = `${program} ${spec.name} --help lists every flag.`;

  let onlyPositionals = false;
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    if (onlyPositionals) positionals.push(argument);
    else if (argument === '--') onlyPositionals = true;
    else if (argument === '-h') values['help'] = true;
    else if (!argument.startsWith('--')) positionals.push(argument);
    else {
      const equals = argument.indexOf('=');
      const written = equals < 0 ? argument : argument.slice(0, equals);
      const name = canonical(written.slice(2));
      const flag = flags.get(name);
      const next = argv[index + 1];
      const separate = equals < 0 && next !== undefined && !next.startsWith('--');
      if (!flag) {
        // Its value, if it has one, is not a stray word: one problem for one mistake.
        if (separate) index++;
        const similar = nearest(name, [...flags.keys()]);
        const suggestion = similar === null ? helpHint : `Did you mean --${similar}? ${helpHint}`;
        const meant = similar === null ? undefined : flags.get(similar);
        const value = equals >= 0 ? argument.slice(equals + 1) : separate ? next : undefined;
        const fix = meant && fixOf(meant, value);
        problems.push(error('bad_input', name, `Unknown flag ${written} for ${spec.name}`, suggestion, fix));
        continue;
      }
      const { field, negated } = flag;
      if (equals >= 0 && !negated) values[field.key] = together(field, values[field.key], argument.slice(equals + 1));
      else if (negated) values[field.key] = false;
      else if (field.kind === 'boolean') {
        // The word after it is its value only when it reads as one: `--overwrite out` is a flag and a folder.
        const given = separate ? truths[next.toLowerCase()] : undefined;
        values[field.key] = given ?? true;
        if (given !== undefined) index++;
        else if (separate) afterSwitch.set(next, field);
      } else if (separate) {
        values[field.key] = together(field, values[field.key], next);
        index++;
      } else problems.push(error('bad_input', field.key, `${written} needs a value`, `${field.label}: ${field.help}`));
    }
  }

  for (const positional of positionals) {
    const key = spec.positional;
    const meant = afterSwitch.get(positional);
    const field = flags.get(key ?? '')?.field;
    if (field?.kind === 'list') values[field.key] = together(field, values[field.key], positional);
    else if (key !== undefined && values[key] === undefined) values[key] = positional;
    else if (meant !== undefined) values[meant.key] = positional; // for the schema to refuse, by the flag's name
    else {
      const hint = key === undefined ? `${spec.name} takes only flags. ${helpHint}` : helpHint;
      problems.push(error('bad_input', null, `Unexpected word ${JSON.stringify(positional)}`, hint));
    }
  }
  const { json, help, config, ...own } = values;
  return {
    values: own,
    json: json === true,
    help: help === true,
    config: typeof config === 'string' ? config : null,
    problems,
  };
}
