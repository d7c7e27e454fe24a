// Performs the plan with one checkout's command line, and collects what comes of it.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect } from './collect.mjs';
import { goldenFile } from './text.mjs';

/** @typedef {import('./plan.mjs').Run} Run */
/** @typedef {import('./plan.mjs').Step} Step */
/** @typedef {import('./collect.mjs').Artefacts} Artefacts */

/**
 * @typedef {object} Performance
 * @property {Artefacts} artefacts
 * @property {readonly string[]} failed steps that ended with another exit code than the plan's, in words
 */

/** A step takes at most a minute, and several on a machine that is busy otherwise: what takes longer hangs. */
const STEP_MILLISECONDS = 1_800_000;

/**
 * @param {readonly Run[]} runs
 * @param {object} options
 * @param {string} options.repo a checkout that is built
 * @param {boolean} options.keep leaves the folder of the runs
 * @param {(line: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<Performance>}
 */
export async function perform(runs, { repo, keep, say, signal }) {
  // Its name has the same length each time: texts that are wrapped and headers that are padded have it in them.
  const work = mkdtempSync(join(realpathSync(tmpdir()), 'verisim-golden-'));
  /** @type {string[]} */
  const failed = [];
  try {
    for (const run of runs) {
      const began = performance.now();
      const folder = join(work, run.name);
      prepare(folder, run);
      for (const step of run.steps) {
        const code = await take(step, { folder, repo, signal });
        signal.throwIfAborted();
        if (code === (step.code ?? 0)) continue;
        failed.push(`${run.name}/${step.name}: exit code ${code} instead of ${step.code ?? 0}`);
        say(`! ${failed.at(-1) ?? ''} (verisim ${step.args.join(' ')})`);
      }
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      say(`  ${run.name}: ${run.steps.length} commands, ${seconds} s`);
    }
    return { artefacts: collect(work, { work, repo }), failed };
  } finally {
    if (keep) say(`  The folders of the runs: ${work}`);
    else rmSync(work, { recursive: true, force: true });
  }
}

/**
 * `files` is where commands run; the others lie beside it, so that they are not taken for what a command made.
 * @param {string} folder
 * @param {Run} run
 */
function prepare(folder, run) {
  for (const inside of ['files', 'printed', 'tmp', 'trash']) mkdirSync(join(folder, inside), { recursive: true });
  for (const name of run.inputs ?? ['input.txt']) writeFileSync(join(folder, 'files', name), goldenFile(name));
}

/**
 * @param {Step} step
 * @param {{ folder: string, repo: string, signal: AbortSignal }} where
 * @returns {Promise<number>} its exit code; -1 when it was ended
 */
function take(step, { folder, repo, signal }) {
  const { VERISIM_HOME: _home, FORCE_COLOR: _colour, ...environment } = process.env;
  const child = spawn(process.execPath, [join(repo, 'dist/cli.js'), ...step.args], {
    cwd: join(folder, 'files'),
    env: {
      ...environment,
      NO_COLOR: '1',
      TZ: 'UTC',
      TMPDIR: join(folder, 'tmp'), // what is left there is seen
      XDG_DATA_HOME: join(folder, 'trash'), // and so is what `rm` moves away
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: STEP_MILLISECONDS,
    killSignal: 'SIGKILL',
    signal,
  });
  child.stdin.on('error', () => undefined); // it need not read what is typed
  child.stdin.end(step.input ?? '');
  const printed = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].setEncoding('utf8').on('data', (/** @type {string} */ text) => (printed[name] += text));
  }
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      if (child.pid === undefined) reject(error); // else it is ended, which "close" tells
    });
    child.on('close', (status) => {
      const code = status ?? -1;
      const file = join(folder, 'printed', step.name);
      writeFileSync(`${file}.code`, `${code}\n`);
      writeFileSync(`${file}.stdout`, printed.stdout);
      writeFileSync(`${file}.stderr`, printed.stderr);
      resolve(code);
    });
  });
}
