// `npm run golden`: shows that a change of the sources changes no byte of what the program writes. It runs the plan with
// the built command lines of two versions, one after the other, and compares everything that they write and print.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, commitTime, GoldenProblem, ownCheckout, readFacts, withCheckout } from './checkout.mjs';
import { compareRecordings, madeSince, summaryLine } from './compare.mjs';
import { perform } from './perform.mjs';
import { plan } from './plan.mjs';
import { createRecording, readRecording, toolHash, writeRecording } from './recording.mjs';

/** @typedef {import('./compare.mjs').Finding} Finding */
/** @typedef {import('./recording.mjs').Recording} Recording */

const usage = `npm run golden -- record FILE [--repo DIR]     runs everything and keeps what came of it
npm run golden -- compare FILE [--repo DIR]    runs the same and compares; exit code 1 when something differs
npm run golden -- against REV [--repo DIR]     both in one: records with a checkout of REV, compares with this one

--repo DIR    the checkout that is run; left out, this one. What is run and compared is always this one's.
--only NAMES  some runs: ${plan.map(({ name }) => name).join(', ')}
--keep        leaves the folders of the runs

Numbers differ between machines: a FILE serves on the machine that made it.
`;

const allRuns = plan.map(({ name }) => name);
const say = (/** @type {string} */ line) => console.log(line);
const interrupted = new AbortController();
for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(name, () => interrupted.abort());
const { signal } = interrupted;

try {
  process.exitCode = await main();
} catch (error) {
  if (signal.aborted) process.exitCode = 130;
  else if (error instanceof GoldenProblem) {
    console.error(error.message);
    process.exitCode = 2;
  } else throw error;
}

/** @returns {Promise<number>} the exit code */
async function main() {
  const { command, target, options, only } = readArguments();
  if (command === 'help') {
    say(usage);
    return 0;
  }
  if (command === 'record') {
    const recording = await record(options.repo, only ?? allRuns, options.keep);
    writeRecording(target, recording);
    say(`${Object.keys(recording.artefacts).length} artefacts recorded in ${target}`);
    return recording.failed.length > 0 ? 1 : 0;
  }
  if (command === 'compare') {
    const before = readRecording(target);
    const missing = (only ?? []).find((name) => !before.runs.includes(name));
    if (missing !== undefined) throw new GoldenProblem(`${target} was recorded without the run ${missing}.`);
    if (before.tool !== toolHash) {
      say('! The recording was made by another version of this tool: differences may be the tool’s own.');
    }
    const runs = only ?? before.runs;
    return report(before, await record(options.repo, runs, options.keep), runs, await timeOf(before));
  }
  const runs = only ?? allRuns;
  const before = await withCheckout(options.repo, target, { say, signal }, (checkout) =>
    record(checkout, runs, options.keep),
  );
  return report(before, await record(options.repo, runs, options.keep), runs, await timeOf(before));
}

function readArguments() {
  const { values, positionals } = parseUsual();
  const [command = '', target = '', ...rest] = positionals;
  const options = { repo: resolve(values.repo ?? ownCheckout), keep: values.keep ?? false };
  if (values.help || command === '') return { command: 'help', target, options, only: null };
  if (!['record', 'compare', 'against'].includes(command) || target === '' || rest.length > 0) {
    throw new GoldenProblem(usage);
  }
  const only = values.only?.split(',') ?? null;
  const unknown = only?.find((name) => !allRuns.includes(name));
  if (unknown !== undefined) {
    throw new GoldenProblem(`There is no run "${unknown}"; the runs are ${allRuns.join(', ')}.`);
  }
  return { command, target, options, only };
}

function parseUsual() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        repo: { type: 'string' },
        only: { type: 'string' },
        keep: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new GoldenProblem(`${/** @type {Error} */ (error).message}\n\n${usage}`);
  }
}

/**
 * @param {string} repo
 * @param {readonly string[]} names of runs
 * @param {boolean} keep
 * @returns {Promise<Recording>}
 */
async function record(repo, names, keep) {
  await build(repo, signal);
  const facts = await readFacts(repo, signal);
  say(`Running ${repo} (${facts.commit})`);
  if (facts.tensorflow === 'none')
    say('! Without TensorFlow, in plain JavaScript, this takes very long: npm run setup');
  const began = performance.now();
  const runs = plan.filter(({ name }) => names.includes(name));
  const done = await perform(runs, { repo, keep, say, signal });
  say(`  ${((performance.now() - began) / 1000).toFixed(0)} s in all`);
  return createRecording(facts, names, done);
}

/**
 * @param {Recording} before
 * @param {Recording} after
 * @param {readonly string[]} runs that are compared
 * @param {string | null} time of the version that was recorded before
 * @returns {number} the exit code
 */
function report(before, after, runs, time) {
  for (const fact of /** @type {const} */ (['cpu', 'node', 'tensorflow'])) {
    const [old, now] = [before.facts[fact], after.facts[fact]];
    if (old !== now) say(`! ${fact} was ${old}, is ${now} now: numbers may differ by that alone.`);
  }
  const chosen = (/** @type {Recording} */ { artefacts, texts }) => ({
    texts,
    artefacts: Object.fromEntries(
      Object.entries(artefacts).filter(([path]) => runs.includes(path.split('/')[0] ?? '')),
    ),
  });
  const changes = /** @type {import('./compare.mjs').PermittedChange[]} */ (
    JSON.parse(readFileSync(new URL('changes.json', import.meta.url), 'utf8'))
  );
  const since = madeSince(changes, time);
  const comparison = compareRecordings(chosen(before), chosen(after), since);
  const open = comparison.findings.filter(({ permitted }) => permitted === null);
  open.forEach(tell);
  const permitted = comparison.findings.filter((finding) => finding.permitted !== null);
  if (permitted.length > 0) say('\nPermitted:');
  for (const reason of new Set(permitted.map((finding) => finding.permitted))) {
    say(`- ${reason ?? ''}`);
    permitted.filter((finding) => finding.permitted === reason).forEach(tell);
  }
  say(summaryLine(comparison));
  return open.length > 0 ? 1 : 0;
}

/** @param {Recording} recording */
function timeOf({ facts }) {
  return commitTime(ownCheckout, facts.commit);
}

/** @param {Finding} finding */
function tell({ kind, path, to, details }) {
  say(`${kind}: ${path}${to === undefined ? '' : ` → ${to}`}`);
  for (const line of details) say(`    ${line}`);
}
