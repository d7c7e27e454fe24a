/**
 * `--config FILE`: settings from a JSON file, `{"data_path": "book.txt", "n_layer": 4}`, with the names that flags have.
 * They are checked as flags are; a flag that is given as well wins. (nanoGPT's configuration files are Python, which
 * would have to be run.)
 */
import { localized } from '../../shared/messages/message.js';
import { error, type Problem } from '../../shared/config/checks.js';
import { UserError } from '../../shared/errors.js';
import { duplicateKey } from '../formats/bounded-json.js';
import { readSmall } from '../storage/disk/file-bytes.js';
import type { Command } from './command.js';
import { flagNamed, removedFlag } from './arguments.js';
import { program } from '../../shared/config/command-line.js';
import { nearest } from '../../shared/base/nearest.js';

/** More than all settings there are, written out many times over. */
const MAX_BYTES = 1 << 20;

interface ConfigFile {
  /** What it sets, by key, not checked against the ranges yet; null when it cannot be read. */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly problems: readonly Problem[];
}

export function readConfigFile(path: string, spec: Command): ConfigFile {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readSmall(path, MAX_BYTES));
  } catch (cause) {
    return { values: null, problems: [unreadable(path, cause)] };
  }
  return parseConfig(text, path, spec);
}

function unreadable(path: string, cause: unknown): Problem {
  if (cause instanceof UserError && cause.code === 'file_not_found') {
    const hint = 'Check the path; it is a JSON file of settings, such as {"n_layer": 4}.';
    return error('file_not_found', 'config', localized('cli.config_file_found', { path }), hint);
  }
  if (cause instanceof UserError) return error(cause.code, 'config', cause.message, cause.hint);
  return error('text_encoding', 'config', localized('cli.valid_utf_8', { path }), localized('cli.save_utf_8'));
}

/** Pure. @param path named in messages */
export function parseConfig(text: string, path: string, spec: Command): ConfigFile {
  const refuse = (message: string, hint: string): ConfigFile => ({
    values: null,
    problems: [error('bad_input', 'config', message, hint)],
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    const isPython = path.endsWith('.py');
    const hint = isPython
      ? 'A Python file is not run here: write its settings as JSON, "n_layer = 4" as {"n_layer": 4}.'
      : 'Write it as JSON, with names in double quotes and no comma after the last: {"n_layer": 4, "bias": false}.';
    return refuse(`${path} is not JSON: ${(cause as Error).message}`, hint);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return refuse(`${path} must hold one JSON object`, 'Write settings and their values: {"n_layer": 4}.');
  }
  const twice = duplicateKey(text);
  if (twice !== null) return refuse(`${path} sets ${twice} twice`, 'Keep the one that is meant.');

  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(parsed)) {
    const removed = removedFlag(spec, name);
    if (removed !== null) {
      values[removed] = value;
      continue;
    }
    const { flag, names } = flagNamed(spec, name);
    if (flag === null || flag.negated || flag.isCommon) {
      const similar = nearest(name, names);
      const meant = similar === null ? '' : `Did you mean ${similar}? `;
      const hint = `${meant}${program} ${spec.name} --help lists every setting.`;
      problems.push(error('bad_input', 'config', localized('cli.sets_does', { path, name, name2: spec.name }), hint));
      continue;
    }
    const { key, nullable, default: initial } = flag.field;
    const isList = flag.field.kind === 'list' && Array.isArray(value);
    if (typeof value === 'object' && value !== null && !isList) {
      const hint = 'Write a number, a text in quotes, true, false or null.';
      problems.push(error('bad_input', key, localized('cli.must_single_value', { key, path }), hint));
    } else if (key in values) {
      const hint = 'Two spellings of one setting; keep the one that is meant.';
      problems.push(error('bad_input', key, localized('cli.sets_twice', { path, key }), hint));
    } else if (value !== null || nullable || initial !== undefined) values[key] = value; // null leaves out what has no default
  }
  return { values, problems };
}
