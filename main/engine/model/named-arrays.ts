/** Named arrays that share one file: each set under a prefix of its own. */
import type { NamedArrays } from '../types.js';

export const withPrefix = <T>(arrays: Readonly<Record<string, T>>, prefix: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(arrays).map(([name, array]) => [prefix + name, array]));

/** The arrays under `prefix`, without it; undefined when there are none. */
export function selectPrefix(arrays: NamedArrays, prefix: string): NamedArrays | undefined {
  const chosen = Object.entries(arrays).filter(([name]) => name.startsWith(prefix));
  if (chosen.length === 0) return undefined;
  return Object.fromEntries(chosen.map(([name, array]) => [name.slice(prefix.length), array]));
}
