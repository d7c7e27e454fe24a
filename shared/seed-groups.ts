/**
 * Runs that differ by nothing but their seed, which are one experiment made several times, and what a figure of theirs
 * comes to: what the page's comparison groups by.
 */
import type { Interval } from './report.js';
import { differencesBetween, type Circumstances } from './run-report.js';
import { studentT975 } from './student-t.js';

/**
 * Groups of two runs and more, in the order of their first ones. Runs with the same seed too are the same run over
 * again, which says nothing about seeds: of them the first is taken.
 */
export function groupsOverSeeds<R extends { readonly circumstances: Circumstances }>(
  runs: readonly R[],
): readonly (readonly R[])[] {
  const groups: R[][] = [];
  for (const run of runs) {
    const group = groups.find(([first]) => first !== undefined && differOnlyBySeed(first, run));
    if (group === undefined) groups.push([run]);
    else if (group.every((one) => seedOf(one) !== seedOf(run))) group.push(run);
  }
  return groups.filter(({ length }) => length > 1);
}

const seedOf = ({ circumstances }: { readonly circumstances: Circumstances }) => circumstances.settings['seed'];
const differOnlyBySeed = (...runs: readonly { readonly circumstances: Circumstances }[]) =>
  differencesBetween(runs.map(({ circumstances }) => circumstances)).every(
    ({ kind, key }) => kind === 'setting' && key === 'seed',
  );

interface OverSeeds {
  readonly mean: number;
  /** Of the mean, 95 % by Student's t; null below two values. */
  readonly interval: Interval | null;
  readonly n: number;
}

/** What is not known is left out, and not counted. Null where nothing is known. */
export function overSeeds(figures: readonly (number | null)[]): OverSeeds | null {
  const values = figures.filter((value) => value !== null && Number.isFinite(value)) as number[];
  const n = values.length;
  if (n === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n === 1) return { mean, interval: null, n };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const reach = studentT975(n - 1) * Math.sqrt(variance / n);
  return { mean, interval: { low: mean - reach, high: mean + reach }, n };
}
