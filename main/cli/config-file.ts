/**
 * `--config FILE`: settings from a JSON file, `{"data_path": "book.txt", "n_layer": 4}`, with the names that flags have.
 * They are checked as flags are; a flag that is given as well wins. (nanoGPT's configuration files are Python, which
 * would have to be run.)
 */
import { localized, type Message } from '../../shared/messages/message.js';
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
    return error(
      'file_not_found',
      'config',
      localized('cli.config_file_found', { path }),
      localized('configFile.check_path'),
    );
  }
  if (cause instanceof UserError) return error(cause.code, 'config', cause.message, cause.hint);
  return error('text_encoding', 'config', localized('cli.valid_utf_8', { path }), localized('cli.save_utf_8'));
}

/** Pure. @param path named in messages */
export function parseConfig(text: string, path: string, spec: Command): ConfigFile {
  const refuse = (message: Message, hint: Message): ConfigFile => ({
    values: null,
    problems: [error('bad_input', 'config', message, hint)],
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    const isPython = path.endsWith('.py');
    const hint = isPython ? localized('configFile.not_python') : localized('configFile.write_json');
    return refuse(localized('configFile.not_json', { path, reason: (cause as Error).message }), hint);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return refuse(localized('configFile.not_object', { path }), localized('configFile.write_settings'));
  }
  const twice = duplicateKey(text);
  if (twice !== null)
    return refuse(localized('cli.sets_twice', { path, key: twice }), localized('configFile.keep_one'));

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
      const hint = localized('configFile.help_lists_settings', { similar, program, command: spec.name });
      problems.push(error('bad_input', 'config', localized('cli.sets_does', { path, name, name2: spec.name }), hint));
      continue;
    }
    const { key, nullable, default: initial } = flag.field;
    const isList = flag.field.kind === 'list' && Array.isArray(value);
    if (typeof value === 'object' && value !== null && !isList) {
      const hint = localized('configFile.write_value');
      problems.push(error('bad_input', key, localized('cli.must_single_value', { key, path }), hint));
    } else if (key in values) {
      const hint = localized('configFile.two_spellings');
      problems.push(error('bad_input', key, localized('cli.sets_twice', { path, key }), hint));
    } else if (value !== null || nullable || initial !== undefined) values[key] = value; // null leaves out what has no default
  }
  return { values, problems };
}
