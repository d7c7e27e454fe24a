/** Writes JSON whose bytes depend on the value alone: sorted keys, shortest numbers, nothing changed in silence. */
import type { Json } from '../engine/types.js';

/** @param indent spaces per level; 0 for one line. @throws Error for values that JSON cannot hold */
export function stableJson(value: Json, indent = 0): string {
  return write(value, indent, indent === 0 ? '' : '\n');
}

function write(value: Json, indent: number, newline: string): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`JSON cannot hold ${value}`);
    return Object.is(value, -0) ? '-0' : JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new Error(`JSON cannot hold ${typeof value}`);
  const inner = newline === '' ? '' : newline + ' '.repeat(indent);
  const isList = Array.isArray(value);
  const colon = newline === '' ? ':' : ': ';
  const parts = isList
    ? value.map((item: Json) => write(item, indent, inner))
    : Object.entries(value as { readonly [key: string]: Json })
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => `${JSON.stringify(key)}${colon}${write(item, indent, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  return parts.length === 0 ? `${open}${close}` : `${open}${inner}${parts.join(`,${inner}`)}${newline}${close}`;
}

/** Converts a value to JSON: drops undefined, and NaN becomes null. */
export const plainJson = <T extends object>(value: T): T extends readonly unknown[] ? Json[] : Record<string, Json> =>
  JSON.parse(JSON.stringify(value)) as ReturnType<typeof plainJson<T>>;
