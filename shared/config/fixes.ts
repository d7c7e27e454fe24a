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

/** The fixes of all problems: two that disagree are not mixed, the first one of a setting counts. */
export function fixesOf(problems: readonly Problem[]): readonly Fix[] {
  const decided = new Set<string>();
  return problems.flatMap(({ fix }) => {
    const keys = [...Object.keys(fix?.set ?? {}), ...(fix?.unset ?? [])];
    if (!fix || keys.some((key) => decided.has(key))) return [];
    for (const key of keys) decided.add(key);
    return [fix];
  });
}

/** The given settings with the fixes of all problems. */
export function applyFixes(
  given: Readonly<Record<string, unknown>>,
  problems: readonly Problem[],
): Record<string, unknown> {
  const fixed = { ...given };
  for (const { set, unset = [] } of fixesOf(problems)) {
    Object.assign(fixed, set);
    for (const key of unset) Reflect.deleteProperty(fixed, key);
  }
  return fixed;
}

/** Whether fixes are there for everything that keeps the command from running. */
export const isFixable = (problems: readonly Problem[]): boolean =>
  problems.some(({ severity }) => severity === 'error') &&
  problems.every(({ severity, fix }) => severity === 'warning' || fix !== undefined);
