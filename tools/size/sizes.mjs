// Sizes of the parts that tools/lint/budgets.mjs names, of the working tree or of a revision.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { budgets } from '../lint/budgets.mjs';

/** @typedef {Readonly<Record<string, number>>} Sizes by the name of the budget */

const MAX_OUTPUT = 2 ** 29;

/** Counts as `wc` does: line breaks, or words between white space. */
function count(/** @type {string} */ text, /** @type {'words' | undefined} */ unit) {
  if (unit === 'words') return text.split(/\s+/).filter(Boolean).length;
  return text.split('\n').length - 1;
}

/**
 * @param {readonly string[]} files
 * @param {(file: string) => string} read
 * @returns {Sizes}
 */
function sizesOf(files, read) {
  return Object.fromEntries(
    budgets.map(({ name, files: pattern, except, unit }) => {
      const own = files.filter((file) => pattern.test(file) && !except?.test(file));
      return [name, own.reduce((sum, file) => sum + count(read(file), unit), 0)];
    }),
  );
}

const git = (/** @type {string} */ root, /** @type {readonly string[]} */ args) =>
  execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
const listed = (/** @type {string} */ output) => output.split('\0').filter(Boolean);

/** Sizes of the working tree: files that git tracks or would add. */
export function sizesNow(/** @type {string} */ root) {
  const files = listed(git(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']));
  return sizesOf(
    [...new Set(files)].filter((file) => existsSync(join(root, file))),
    (file) => readFileSync(join(root, file), 'utf8'),
  );
}

/** Sizes of a revision. */
export function sizesAt(/** @type {string} */ root, /** @type {string} */ revision) {
  const files = listed(git(root, ['ls-tree', '-r', '-z', '--name-only', `${revision}^{commit}`]));
  return sizesOf(files, readerAt(root, revision, files));
}

/** Reads all files of a revision that a budget counts, in one process. */
function readerAt(/** @type {string} */ root, /** @type {string} */ revision, /** @type {readonly string[]} */ files) {
  const wanted = files.filter((file) => budgets.some(({ files: pattern }) => pattern.test(file)));
  const output = execFileSync('git', ['cat-file', '--batch'], {
    ...{ cwd: root, maxBuffer: MAX_OUTPUT },
    input: wanted.map((file) => `${revision}:${file}\n`).join(''),
  });
  /** @type {Map<string, string>} */
  const texts = new Map();
  let at = 0;
  for (const file of wanted) {
    const end = output.indexOf(10, at);
    const size = Number(output.toString('utf8', at, end).split(' ')[2]);
    texts.set(file, output.toString('utf8', end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
  return (/** @type {string} */ file) => texts.get(file) ?? '';
}
