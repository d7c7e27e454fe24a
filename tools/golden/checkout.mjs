// Checkouts of the repository: building one's command line, and making one of another version for a while.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout that this tool belongs to. */
export const ownCheckout = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** What the person can fix: told without a stack. */
export class GoldenProblem extends Error {}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string, signal?: AbortSignal }} options
 * @returns {Promise<string>} its standard output
 * @throws {GoldenProblem} with the end of what it printed
 */
function call(program, args, { cwd, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) });
    let stdout = '';
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      stdout += text;
      printed += text;
    });
    child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => (printed += text));
    child.on('error', (error) => {
      if (child.pid === undefined) reject(error); // else it is ended, which "close" tells
    });
    child.on('close', (code) => {
      if (code === 0) return resolve(stdout);
      const end = printed.trimEnd().split('\n').slice(-15).join('\n');
      reject(new GoldenProblem(`${program} ${args.join(' ')} failed in ${cwd}:\n${end}`));
    });
  });
}

/**
 * Builds the command line, where a source is newer.
 * @param {string} repo
 * @param {AbortSignal} signal
 */
export async function build(repo, signal) {
  if (!existsSync(join(repo, 'scripts/setup.mjs'))) throw new GoldenProblem(`${repo} is no checkout of Verisim.`);
  const steps = existsSync(join(repo, 'node_modules')) ? 'build' : 'packages,build';
  await call(process.execPath, ['scripts/setup.mjs', '--only', steps], { cwd: repo, signal });
  if (!existsSync(join(repo, 'dist/cli.js'))) throw new GoldenProblem(`${repo} has no dist/cli.js after its build.`);
}

/**
 * What numbers depend on, and which version this is.
 * @typedef {{ cpu: string, node: string, tensorflow: string, commit: string }} Facts
 */

/**
 * @param {string} repo a checkout that is built
 * @param {AbortSignal} signal
 * @returns {Promise<Facts>}
 */
export async function readFacts(repo, signal) {
  const doctor = await call(process.execPath, ['dist/cli.js', 'doctor', '--json', '--device', 'cpu'], {
    cwd: repo,
    signal,
  });
  const { tensorflow } = /** @type {{ tensorflow?: string | null }} */ (
    JSON.parse(doctor.trimEnd().split('\n').at(-1) ?? '{}')
  );
  const commit = (await call('git', ['rev-parse', 'HEAD'], { cwd: repo, signal })).trim();
  const changed = (await call('git', ['status', '--porcelain'], { cwd: repo, signal })).trim() !== '';
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    node: process.versions.node,
    tensorflow: tensorflow ?? 'none',
    commit: changed ? `${commit} and changes` : commit,
  };
}

/**
 * When a version was committed, in UTC to the minute; null where it is not in this repository.
 * @param {string} repo
 * @param {string} commit `and changes`, if there were any
 * @returns {Promise<string | null>}
 */
export async function commitTime(repo, commit) {
  const [hash = ''] = commit.split(' ');
  try {
    const seconds = await call('git', ['show', '-s', '--format=%ct', '--end-of-options', hash], { cwd: repo });
    return new Date(1000 * Number(seconds)).toISOString().slice(0, 16);
  } catch {
    return null;
  }
}

/**
 * Makes a checkout of another version, built, for as long as `work` takes.
 * @template T
 * @param {string} repo
 * @param {string} revision
 * @param {{ say: (line: string) => void, signal: AbortSignal }} options
 * @param {(checkout: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withCheckout(repo, revision, { say, signal }, work) {
  const commit = (
    await call('git', ['rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`], { cwd: repo })
  ).trim();
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'verisim-golden-version-'));
  const checkout = join(folder, 'checkout');
  say(`Making a checkout of ${revision} (${commit.slice(0, 12)})`);
  try {
    await call('git', ['worktree', 'add', '--detach', checkout, commit], { cwd: repo, signal });
    linkPackages(repo, checkout, say);
    await build(checkout, signal);
    return await work(checkout);
  } finally {
    // Not with the signal: it must happen after Ctrl-C, too.
    rmSync(join(checkout, 'node_modules'), { recursive: true, force: true });
    await call('git', ['worktree', 'remove', '--force', checkout], { cwd: repo }).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
    await call('git', ['worktree', 'prune'], { cwd: repo }).catch(() => undefined);
  }
}

/** The same packages need not be installed again; others are installed by `build`. */
function linkPackages(
  /** @type {string} */ repo,
  /** @type {string} */ checkout,
  /** @type {(l: string) => void} */ say,
) {
  const lock = (/** @type {string} */ root) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  const installed = join(repo, 'node_modules');
  if (existsSync(installed) && lock(repo) === lock(checkout)) {
    symlinkSync(realpathSync(installed), join(checkout, 'node_modules'), 'junction');
  } else say('Its packages are others: installing them');
}
