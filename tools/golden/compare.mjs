// Compares two recordings: what differs, is missing, is new, or only lies elsewhere, and what of it is permitted.
import { describeDifference } from './describe-difference.mjs';

/** @typedef {Pick<import('./recording.mjs').Recording, 'artefacts' | 'texts'>} Compared */
/**
 * @typedef {object} PermittedChange
 * @property {string} path which artefacts, as a pattern
 * @property {string} [made] when, in UTC, as 2026-11-25T18:30: what is compared with a version of a later time has the change already;
 *   left out where it is another in every run
 * @property {string} reason
 */

/**
 * @typedef {object} Finding
 * @property {'differs' | 'moved' | 'missing' | 'new'} kind
 * @property {string} path
 * @property {string} [to] where a moved one lies now
 * @property {readonly string[]} details
 * @property {string | null} permitted the reason
 */

/** Of an artefact's path: moves are looked for within a run. */
const runOf = (/** @type {string} */ path) => path.split('/')[0];

/**
 * @param {Compared} before
 * @param {Compared} after
 * @param {readonly PermittedChange[]} changes
 * @returns {{ same: number, findings: readonly Finding[] }}
 */
export function compareRecordings(before, after, changes) {
  const reasonFor = createPermission(changes);
  /** @type {Finding[]} */
  const findings = [];
  const find = (/** @type {Omit<Finding, 'permitted'>} */ found) => {
    findings.push({ ...found, permitted: reasonFor(found.path) ?? (found.to ? reasonFor(found.to) : null) });
  };
  const added = new Set(Object.keys(after.artefacts).filter((path) => !(path in before.artefacts)));
  let same = 0;
  for (const [path, hash] of Object.entries(before.artefacts)) {
    const now = after.artefacts[path];
    if (now === hash) same += 1;
    else if (now !== undefined) {
      const details = describeDifference(before.texts[hash] ?? '', after.texts[now] ?? '');
      find({ kind: 'differs', path, details });
    } else {
      const to = [...added].find((other) => after.artefacts[other] === hash && runOf(other) === runOf(path));
      if (to === undefined) find({ kind: 'missing', path, details: [] });
      else {
        added.delete(to);
        find({ kind: 'moved', path, to, details: [] });
      }
    }
  }
  for (const path of added) find({ kind: 'new', path, details: [] });
  return { same, findings };
}

/**
 * Those that a version may not have yet: an older reason would hide a new difference.
 * @param {readonly PermittedChange[]} changes
 * @param {string | null} time of the version, as in `made`; null where it is not known
 */
export const madeSince = (changes, time) =>
  changes.filter(({ made }) => time === null || made === undefined || made >= time);

/**
 * @param {readonly PermittedChange[]} changes
 * @returns {(path: string) => string | null} the reason why a change there is permitted
 */
export function createPermission(changes) {
  const patterns = changes.map(({ path, reason }) => ({ pattern: globPattern(path), reason }));
  return (path) => patterns.find(({ pattern }) => pattern.test(path))?.reason ?? null;
}

/** `*` is anything within a name, `**` anything at all, `?` one character. @param {string} glob */
export function globPattern(glob) {
  const pieces = glob.split(/(\*\*\/|\*\*|\*|\?)/).map((piece) => {
    if (piece === '**/') return '(?:.*/)?';
    if (piece === '**') return '.*';
    if (piece === '*') return '[^/]*';
    if (piece === '?') return '[^/]';
    return piece.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${pieces.join('')}$`);
}

/**
 * The last line of a comparison.
 * @param {{ same: number, findings: readonly Finding[] }} comparison
 */
export function summaryLine({ same, findings }) {
  const count = (/** @type {readonly Finding['kind'][]} */ kinds) => {
    const found = findings.filter(({ kind }) => kinds.includes(kind));
    return { all: found.length, permitted: found.filter(({ permitted }) => permitted !== null).length };
  };
  const [differ, missing, added] = [count(['differs', 'moved']), count(['missing']), count(['new'])];
  const permitted = (/** @type {{ permitted: number }} */ { permitted }) =>
    permitted > 0 ? ` (${permitted} permitted)` : '';
  return (
    `${same} artefacts the same, ${differ.all} differ (${differ.permitted} permitted), ` +
    `${missing.all} missing${permitted(missing)}, ${added.all} new${permitted(added)}`
  );
}
