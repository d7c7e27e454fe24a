// A recording: what the plan came to with one checkout, as a JSON file.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { GoldenProblem } from './checkout.mjs';
import { sha256 } from './normalise.mjs';

/** @typedef {import('./checkout.mjs').Facts} Facts */
/** @typedef {import('./collect.mjs').Artefacts} Artefacts */

/**
 * @typedef {object} Recording
 * @property {1} format
 * @property {string} tool SHA-256 of this tool, whose plan and rules decide what is compared
 * @property {Facts} facts
 * @property {readonly string[]} runs
 * @property {readonly string[]} failed see Performance
 * @property {Readonly<Record<string, string>>} artefacts path to SHA-256
 * @property {Readonly<Record<string, string>>} texts SHA-256 to what differences are told with
 */

/** Read at once, since its files may be edited while it runs. */
export const toolHash = readToolHash();

function readToolHash() {
  const folder = new URL('.', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  return sha256(
    files
      .sort()
      .map((name) => sha256(readFileSync(new URL(name, folder))))
      .join(),
  );
}

/**
 * @param {Facts} facts
 * @param {readonly string[]} runs
 * @param {{ artefacts: Artefacts, failed: readonly string[] }} performance
 * @returns {Recording}
 */
export function createRecording(facts, runs, { artefacts, failed }) {
  const all = [...artefacts];
  return {
    format: 1,
    tool: toolHash,
    facts,
    runs,
    failed,
    artefacts: Object.fromEntries(all.map(([path, { hash }]) => [path, hash])),
    texts: Object.fromEntries(all.map(([, { hash, text }]) => [hash, text])),
  };
}

/** @param {string} file @param {Recording} recording */
export function writeRecording(file, recording) {
  writeFileSync(file, `${JSON.stringify(recording, null, 1)}\n`);
}

/** @param {string} file @returns {Recording} */
export function readRecording(file) {
  let recording;
  try {
    recording = /** @type {Recording} */ (JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new GoldenProblem(`${file} cannot be read: ${/** @type {Error} */ (error).message}`);
  }
  if (recording.format !== 1) throw new GoldenProblem(`${file} is no recording of this tool.`);
  return recording;
}
