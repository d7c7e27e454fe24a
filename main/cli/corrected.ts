/** Values with their mistakes fixed, as far as every problem has a fix: what the terminal offers below the problems. Pure. */
import type { Problem } from '../../shared/config/checks.js';
import { applyFixes, isFixable } from '../../shared/config/fixes.js';
import type { Given } from './command.js';

/** One fix can bring the next problem to light; a chain of them is followed this far. */
const ROUNDS = 4;

/**
 * @param check what is wrong with some values
 * @returns the values with everything fixed; null where something has no fix
 */
export function correctValues(
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
