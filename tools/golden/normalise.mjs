// What may differ between two runs of the same version, and what it is replaced with before anything is compared. Every
// rule stands here and nowhere else. All that no rule names is compared byte for byte.
import { createHash } from 'node:crypto';
import { replaceValues } from './json-values.mjs';

/**
 * @typedef {object} Surroundings where the runs took place
 * @property {string} work the folder of all runs
 * @property {string} repo the checkout that ran
 */

/**
 * JSON values by the keys that lead to them ("*" is any one key); a value that is null stays null unless it `comesAndGoes`.
 * @type {readonly { keys: string, put: string, why: string, comesAndGoes?: boolean }[]}
 */
export const jsonRules = [
  { keys: 'tokens_per_second', put: '<speed>', why: 'a speed' },
  { keys: 'mfu', put: '<speed>', why: 'the share of the machine’s speed that is used' },
  { keys: 'rate', put: '<speed>', why: 'the speed of a progress event', comesAndGoes: true },
  { keys: 'seconds_left', put: '<duration>', why: 'an estimate from that speed', comesAndGoes: true },
  { keys: 'project_seconds_left', put: '<duration>', why: 'an estimate from that speed', comesAndGoes: true },
  { keys: 'seconds.*', put: '<duration>', why: 'what a preview estimates from a measured speed' },
  { keys: 'seconds_computed', put: '<duration>', why: 'what was computed between two rows of the metrics' },
  { keys: 'seconds_generate', put: '<duration>', why: 'what a GRPO step took to write' },
  { keys: 'seconds_score', put: '<duration>', why: 'what a GRPO step took to judge' },
  { keys: 'seconds_update', put: '<duration>', why: 'what a GRPO step took to learn' },
  { keys: 'verisim', put: '<version>', why: 'the version of the program, in circumstances.json' },
  { keys: 'verisim_version', put: '<version>', why: 'the version of the program, in project.json' },
  { keys: 'pid', put: '<pid>', why: 'a process id' },
  { keys: 'host', put: '<host>', why: 'the name of the machine' },
];

/**
 * Rows of JSON Lines, the printed events of --json above all, that are there or not depending on the clock.
 * @type {readonly { is: (row: Record<string, unknown>) => boolean, why: string }[]}
 */
export const droppedRows = [
  {
    is: (row) => row['event'] === 'progress' && row['done'] !== row['total'],
    why: 'progress is told five times a second; only the last of a phase is always told',
  },
  { is: (row) => row['event'] === 'compiling', why: 'told when compiling took long the last time' },
  { is: (row) => row['event'] === 'checkpoint', why: 'saved as often as 3 % of the time allows' },
];

const phases = 'Preparing text|Base training|Judge|Critic|Reward data|Reward model|GRPO|Evaluation';

/**
 * Lines of plain text that are there or not depending on the clock. They may follow a question, on its line.
 * @type {readonly { pattern: RegExp, why: string }[]}
 */
export const droppedLines = [
  { pattern: new RegExp(`(${phases}): +\\d+ ?%, .*\\n`, 'g'), why: 'progress, every five seconds' },
  { pattern: / {2}Preparing: compiling the model .*\n/g, why: 'told when compiling took long the last time' },
];

/**
 * Pieces of any text, in JSON too. Their replacements hold no quotation mark, so that JSON stays JSON.
 * @type {readonly { pattern: RegExp, put: string, why: string }[]}
 */
export const textRules = [
  { pattern: /\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g, put: '<time>', why: 'a time of day' },
  {
    pattern: /\b\d+ bytes, \d{13}\b/g,
    put: '<bytes>, <time>',
    why: 'the stamp of a file that a command read, in run.json: its size, which a speed in it changes, and its time',
  },
  { pattern: /\b([Vv]erisim) \d+\.\d+\.\d+[-+.\w]*/g, put: '$1 <version>', why: 'the version of the program' },
  {
    pattern: /\b(step \d+, )\d+:\d\d(?=: )/g,
    put: '$1<duration>',
    why: 'how long it had trained when it wrote a sample',
  },
  {
    pattern: /(?<="key": ?")[\da-f]{64}(?=")/g,
    put: '<key>',
    why: 'the key of a blind rating, drawn anew for each project',
  },
  { pattern: /[\d,.]+ tokens a second/g, put: '<speed> tokens a second', why: 'a speed' },
  { pattern: /^(Time, about +).*$/gm, put: '$1<durations>', why: 'what a preview estimates from a measured speed' },
];

/**
 * Names of files.
 * @type {readonly { pattern: RegExp, put: string, why: string }[]}
 */
export const pathRules = [
  {
    pattern: /events\.out\.tfevents\.\d+\..+\.\d+\.(\d+)$/,
    put: 'events.out.tfevents.<time>.<host>.<pid>.$1',
    why: 'TensorBoard’s files are named after time, machine and process',
  },
];

/** @param {string} path */
export const normalisePath = (path) => pathRules.reduce((name, { pattern, put }) => name.replace(pattern, put), path);

/** Whether a rule's keys are the last of the path. */
const leadsTo = (/** @type {string} */ keys, /** @type {readonly string[]} */ path) => {
  const wanted = keys.split('.');
  const last = path.slice(-wanted.length);
  return last.length === wanted.length && wanted.every((key, index) => key === '*' || key === last[index]);
};

/**
 * What a rule for JSON makes of a value; undefined when none applies. Also for tags of event files.
 * @param {readonly string[]} path
 * @param {unknown} value
 */
export function ruledValue(path, value) {
  const rule = jsonRules.find(({ keys }) => leadsTo(keys, path));
  if (!rule || typeof value === 'object' || typeof value === 'boolean') {
    return rule?.comesAndGoes && value === null ? rule.put : undefined;
  }
  return rule.put;
}

/**
 * @param {string} text
 * @param {Surroundings} where
 */
function replacePieces(text, { work, repo }) {
  const placed = text.replaceAll(work, '<work>').replaceAll(repo, '<repo>');
  return textRules.reduce((before, { pattern, put }) => before.replace(pattern, put), placed);
}

/** @param {string} line */
function parsedRow(line) {
  try {
    const row = /** @type {unknown} */ (JSON.parse(line));
    return typeof row === 'object' && row !== null ? /** @type {Record<string, unknown>} */ (row) : null;
  } catch {
    return null;
  }
}

/**
 * The rows of JSON Lines, a line break after each; null when it is something else.
 * @param {string} text
 */
export function jsonRows(text) {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length === 0) return null;
  const rows = lines.map((line) => ({ line, row: parsedRow(line) }));
  return rows.every(({ row }) => row !== null) ? rows : null;
}

/** @param {string} text */
export function isJson(text) {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/**
 * @param {string} text of a file, or what a command printed
 * @param {Surroundings} where
 */
export function normaliseText(text, where) {
  if (isJson(text)) return replacePieces(replaceValues(text, ruledValue), where);
  const rows = jsonRows(text);
  if (rows) {
    const kept = rows.filter(({ row }) => row !== null && !droppedRows.some(({ is }) => is(row)));
    return kept.map(({ line }) => `${replacePieces(replaceValues(line, ruledValue), where)}\n`).join('');
  }
  return replacePieces(
    droppedLines.reduce((before, { pattern }) => before.replace(pattern, ''), text),
    where,
  );
}

/**
 * A manifest notes size and SHA-256 of other files. Where such a file is normalised, so is what the manifest notes of
 * it, if that was right; if it was wrong, it stays and shows as a difference.
 * @param {string} text of the manifest, normalised already
 * @param {(name: string) => { raw: Uint8Array, normalised: Uint8Array } | null} fileOf the file of that name
 */
export function normaliseManifest(text, fileOf) {
  return replaceValues(text, (path, value) => {
    const [top, name = '', key] = path;
    if (top !== 'files' || path.length !== 3 || (key !== 'bytes' && key !== 'sha256')) return undefined;
    const file = fileOf(name);
    if (file === null) return undefined;
    const { raw, normalised } = file;
    if (key === 'bytes') return value === raw.length ? normalised.length : undefined;
    return value === sha256(raw) ? sha256(normalised) : undefined;
  });
}

/** @param {Uint8Array | string} bytes */
export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
