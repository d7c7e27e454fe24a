/**
 * What fixes a problem without a person having to think: a change of settings that a button applies and the command
 * line prints. Only changes that are surely meant are offered.
 */
import type { Problem } from './checks.js';

export type FixValue = string | number | boolean | null;

/** The same in the window and in the terminal: keys are settings, and flags. */
export interface Fix {
  readonly set?: Readonly<Record<string, FixValue>>;
  /** Settings to leave out. */
  readonly unset?: readonly string[];
}

/** The given settings with the fixes of all problems; the first fix of a setting counts. */
export function applyFixes(
  given: Readonly<Record<string, unknown>>,
  problems: readonly Problem[],
): Record<string, unknown> {
  const decided = new Set<string>();
  const fixed = { ...given };
  for (const { fix } of problems) {
    const keys = [...Object.keys(fix?.set ?? {}), ...(fix?.unset ?? [])];
    // Two fixes that disagree are not mixed.
    if (keys.some((key) => decided.has(key))) continue;
    for (const key of keys) decided.add(key);
    Object.assign(fixed, fix?.set);
    for (const key of fix?.unset ?? []) Reflect.deleteProperty(fixed, key);
  }
  return fixed;
}

/** Whether fixes are there for everything that keeps the command from running. */
export const isFixable = (problems: readonly Problem[]): boolean =>
  problems.some(({ severity }) => severity === 'error') &&
  problems.every(({ severity, fix }) => severity === 'warning' || fix !== undefined);
