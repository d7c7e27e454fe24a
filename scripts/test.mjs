// `npm test` sets everything up, then runs every check even when one fails: the tests, and concurrently, on the rest of
// the processor, the others one after the other. Ends with one line, `N passed, N failed`: each vitest test counts, and
// each of the other checks counts as one. Arguments go to vitest.
import './setup/check-node.mjs';

const { spawn } = await import('node:child_process');
const { constants, setPriority } = await import('node:os');
const { mkdirSync, rmSync } = await import('node:fs');
const { join } = await import('node:path');
const { countOne, countTests } = await import('./setup/count.mjs');
const { orExplain, root, setUp } = await import('./setup/index.mjs');
const { readJson } = await import('../main/installation/locations.mjs');
const { createReport } = await import('./setup/report.mjs');

/** @typedef {import('./setup/count.mjs').Count} Count */

/**
 * Vitest; what it writes is shown.
 * @param {readonly string[]} args
 * @returns {Promise<Count>}
 */
async function runTests(args) {
  const results = join(root, 'tests/artifacts/vitest.json');
  mkdirSync(join(root, 'tests/artifacts'), { recursive: true });
  rmSync(results, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...args], { cwd: root, stdio: 'inherit' });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return countTests(readJson(results), code ?? 1);
}

/**
 * The compiler in Go, three times as fast; ESLint and vue-tsc read types through the one in JavaScript. It uses a
 * single thread, as its checkers would each examine the same types: half of the processor time, which the concurrent
 * tests need.
 */
const compiler = 'node_modules/typescript-7/bin/tsc';
const alone = ['--noEmit', '--singleThreaded'];
/** @typedef {{ name: string, script: string, args: readonly string[] }} Check one of Node's programs, with its arguments */

/** What the tests run. @type {Check} */
const build = { name: 'Build (esbuild, electron-vite)', script: 'scripts/setup.mjs', args: ['--only', 'build,window'] };
/** The longest first; each takes one core. @type {Check[]} */
const checks = [
  { name: 'Lint (eslint)', script: 'node_modules/eslint/bin/eslint.js', args: ['.'] },
  {
    name: 'Types of the window (vue-tsc)',
    script: 'node_modules/vue-tsc/bin/vue-tsc.js',
    args: ['--noEmit', '-p', 'renderer'],
  },
  { name: 'Types (tsc)', script: compiler, args: alone },
  {
    name: 'Types of what runs in pages (tsc)',
    script: compiler,
    args: [...alone, '-p', 'tests/e2e'],
  },
  { name: 'Format (oxfmt)', script: 'node_modules/oxfmt/bin/oxfmt', args: ['--check'] },
];

/**
 * @param {Check} check
 * @param {number} priority
 * @returns {Promise<{ code: number, output: string }>} its output as a whole, as others write meanwhile
 */
function runQuietly({ script, args }, priority) {
  return new Promise((resolve) => {
    // Room for what is young: of what these take, a tenth was V8 looking through it again and again.
    const child = spawn(process.execPath, ['--max-semi-space-size=64', join(root, script), ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined && priority !== constants.priority.PRIORITY_NORMAL) setPriority(child.pid, priority);
    /** @type {string[]} */
    const output = [];
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => output.push(text));
    child.on('close', (code) => resolve({ code: code ?? 1, output: output.join('') }));
  });
}

const report = createReport(process.stdout);
report.say('== Set-up');
await orExplain(report, () =>
  // The build is a check of its own, so that the others still speak when it fails.
  setUp(report, {
    strict: true,
    required: true,
    only: ['packages', 'tensorflow', 'sample', 'model', 'electron', 'system'],
  }),
);
const total = { passed: 0, failed: 0 };
/** @type {string[]} */
const failures = [];
/** @type {(name: string, count: Count, seconds: number) => void} */
const reportCounts = (name, { passed, failed }, seconds) => {
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) failures.push(name);
  const verdict = failed > 0 ? 'FAILED' : 'ok';
  report.say(`== ${name}: ${verdict}, ${seconds.toFixed(1)} s`);
};

/** @type {(check: Check, priority: number) => Promise<() => void>} a function that prints its result, called when nothing else prints */
const run = async (check, priority) => {
  const started = performance.now();
  const { code, output } = await runQuietly(check, priority);
  const seconds = (performance.now() - started) / 1000;
  return () => {
    report.say(`\n== ${check.name}\n${output.trimEnd()}`);
    reportCounts(check.name, countOne(code), seconds);
  };
};
const { PRIORITY_LOW, PRIORITY_NORMAL } = constants.priority;
/** Windows, trainers and timers are waited for: a quarter of the processor, and more than these take, would lie idle. */
const runOtherChecks = async () => {
  const done = [];
  for (const check of checks) done.push(await run(check, PRIORITY_LOW));
  return done;
};
const otherChecks = runOtherChecks();
(await run(build, PRIORITY_NORMAL))();

report.say('\n== Tests (vitest)');
const started = performance.now();
reportCounts('Tests (vitest)', await runTests(process.argv.slice(2)), (performance.now() - started) / 1000);
for (const say of await otherChecks) say();
if (failures.length > 0) report.say(`\nFailed: ${failures.join(', ')}`);
report.say(`\n${String(total.passed)} passed, ${String(total.failed)} failed`);
process.exit(total.failed > 0 ? 1 : 0);
