/** A command with its mistakes mended, as it would be typed: printed below the problems when all of them can be. Pure. */
import type { Problem } from '../../shared/config/checks.js';
import type { CommandSpec } from '../../shared/config/commands.js';
import { typedValue } from '../../shared/config/fields.js';
import { applyFixes, isFixable } from '../../shared/config/fixes.js';
import type { Given } from './command.js';
import { program } from './help.js';

/** One fix can bring the next problem to light; a chain of them is followed this far. */
const ROUNDS = 4;

/**
 * @param check what is wrong with some values
 * @returns the values with everything mended; null where something has no fix
 */
export function corrected(
  values: Given,
  problems: readonly Problem[],
  check: (values: Given) => readonly Problem[],
): Given | null {
  let [fixed, found] = [values, problems];
  for (let round = 0; round < ROUNDS && isFixable(found); round++) {
    fixed = applyFixes(
      fixed,
      found.filter(({ severity }) => severity === 'error'),
    );
    found = check(fixed);
    if (found.every(({ severity }) => severity === 'warning')) return fixed;
  }
  return null;
}

export function commandLine(spec: CommandSpec, values: Given): string {
  const flags = Object.entries(values).map(([key, value]) => {
    if (value === true) return `--${key}`;
    const text = quoted(typedValue(value));
    return text.startsWith('--') ? `--${key}=${text}` : `--${key} ${text}`;
  });
  return [program, spec.name, ...flags].join(' ');
}

/** As a shell takes it for one word. */
const quoted = (text: string): string => (/^[\w./:,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
