// Says in a few lines how two versions of an artefact differ: by keys where they are JSON, else by lines.
import { isJson, jsonRows } from './normalise.mjs';

/** How many differences of one artefact are told. */
const TOLD = 5;
const WIDTH = 160;

/**
 * @param {string} before
 * @param {string} after
 * @returns {readonly string[]}
 */
export function describeDifference(before, after) {
  if (before === after) return ['the same size, other bytes'];
  const found = differingValues(before, after) ?? differingLines(before, after);
  const rest = found.length - TOLD;
  return [...found.slice(0, TOLD), ...(rest > 0 ? [`and ${rest} more`] : [])];
}

/** On one line. @param {unknown} value */
const shown = (value) => {
  const whole = value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
  const text = whole.replaceAll('\n', '⏎');
  return text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text;
};

/** Null when they are not both JSON, or have the same values in another form. */
function differingValues(/** @type {string} */ before, /** @type {string} */ after) {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  if (old === null || now === null) return null;
  const keys = new Set([...old.keys(), ...now.keys()]);
  const differing = [...keys].filter((key) => old.get(key) !== now.get(key));
  if (differing.length === 0) return null;
  return differing.map((key) => `${key}: ${shown(parsed(old.get(key)))} → ${shown(parsed(now.get(key)))}`);
}

const parsed = (/** @type {string | undefined} */ value) =>
  value === undefined ? undefined : /** @type {unknown} */ (JSON.parse(value));

/**
 * Every value that is no object or list, as JSON, by the keys that lead to it.
 * @param {string} text
 * @returns {Map<string, string> | null}
 */
function valuesOf(text) {
  /** @type {Map<string, string>} */
  const values = new Map();
  const add = (/** @type {string} */ path, /** @type {unknown} */ value) => {
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (entries.length === 0) values.set(path, JSON.stringify(value));
    for (const [key, inside] of entries) add(path === '' ? key : `${path}.${key}`, inside);
  };
  if (isJson(text)) {
    add('', JSON.parse(text));
    return values;
  }
  const rows = jsonRows(text);
  if (rows === null) return null;
  rows.forEach(({ row }, index) => add(`row ${index + 1}`, row));
  return values;
}

/** A plain comparison line by line, past what is the same at the beginning and the end. */
function differingLines(/** @type {string} */ before, /** @type {string} */ after) {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let from = 0;
  while (from < old.length && from < now.length && old[from] === now[from]) from += 1;
  let same = 0;
  while (same < Math.min(old.length, now.length) - from && old.at(-1 - same) === now.at(-1 - same)) same += 1;
  const [removed, added] = [old.slice(from, old.length - same), now.slice(from, now.length - same)];
  const found = [];
  for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
    if (removed[index] === added[index]) continue;
    found.push(`line ${from + index + 1}: ${shown(removed[index])} → ${shown(added[index])}`);
  }
  return found;
}
