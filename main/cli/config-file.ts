/**
 * Reads `--config FILE`: settings from a JSON file, `{"data_path": "book.txt", "n_layer": 4}`, with the names of the flags.
 * They are checked as flags are, and a flag wins over them. (nanoGPT's configuration files are Python, which would have to run.)
 */
import { localized, type Message } from '../../shared/messages/message.js';
import { error, type Problem } from '../../shared/config/checks.js';
import { UserError } from '../../shared/errors.js';
import { duplicateKey } from '../formats/bounded-json.js';
import { readSmall } from '../storage/disk/file-bytes.js';
import type { Command } from './command.js';
import { settingNamed } from './arguments.js';
import { program } from '../../shared/config/command-line.js';
import { nearest } from '../../shared/base/nearest.js';

/** More than all settings, written out many times over. */
const MAX_BYTES = 1 << 20;

interface ConfigFile {
  /** Values by key, not yet checked against their ranges; null if the file cannot be read. */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly problems: readonly Problem[];
}

export function readConfigFile(path: string, spec: Command): ConfigFile {
  try {
    return parseConfig(new TextDecoder('utf-8', { fatal: true }).decode(readSmall(path, MAX_BYTES)), path, spec);
  } catch (cause) {
    if (!(cause instanceof UserError))
      return refused(localized('cli.valid_utf_8', { path }), localized('cli.save_utf_8'), 'text_encoding');
    const { code, message, hint } = cause.toFault();
    return code === 'file_not_found'
      ? refused(localized('cli.config_file_found', { path }), localized('configFile.check_path'), code)
      : { values: null, problems: [error(code, 'config', message, hint)] };
  }
}

const refused = (message: Message, hint: Message, code: Problem['code'] = 'bad_input'): ConfigFile => ({
  values: null,
  problems: [error(code, 'config', message, hint)],
});

/** Pure. @param path named in messages */
export function parseConfig(text: string, path: string, spec: Command): ConfigFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    const hint = localized(path.endsWith('.py') ? 'configFile.not_python' : 'configFile.write_json');
    return refused(localized('configFile.not_json', { path, reason: (cause as Error).message }), hint);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return refused(localized('configFile.not_object', { path }), localized('configFile.write_settings'));
  const duplicate = duplicateKey(text);
  if (duplicate !== null)
    return refused(localized('cli.sets_twice', { path, key: duplicate }), localized('configFile.keep_one'));

  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(parsed)) {
    const { field, names, removed } = settingNamed(spec, name);
    const key = field?.key ?? removed;
    if (key === null) {
      const help = { similar: nearest(name, names), program, command: spec.name };
      const message = localized('cli.sets_does', { path, name, name2: spec.name });
      problems.push(error('bad_input', 'config', message, localized('configFile.help_lists_settings', help)));
    } else if (key in values) {
      const message = localized('cli.sets_twice', { path, key });
      problems.push(error('bad_input', key, message, localized('configFile.two_spellings')));
    } else if (value !== null || field?.nullable || field?.default !== undefined) values[key] = value; // null leaves out a setting without a default
  }
  return { values, problems };
}
