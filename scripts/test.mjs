// `npm test`: sets everything up, then runs every check, all of them even when one fails: those that take one core beside
// each other, the tests last. Ends with one line, `N passed, N failed`: each vitest test counts, and each of the other
// checks counts as one. Arguments go to vitest.
import './setup/check-node.mjs';

const { spawn, spawnSync } = await import('node:child_process');
const { availableParallelism } = await import('node:os');
const { mkdirSync, rmSync } = await import('node:fs');
const { join } = await import('node:path');
const { countOne, countTests } = await import('./setup/count.mjs');
const { orExplain, root, setUp } = await import('./setup/index.mjs');
const { readJson } = await import('../main/installation/locations.mjs');
const { createReport } = await import('./setup/report.mjs');

/** @typedef {import('./setup/count.mjs').Count} Count */

/**
 * @param {string} script run by this Node; its output is shown
 * @param {readonly string[]} args
 * @returns {number} exit code
 */
function runScript(script, args) {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit' });
  return status ?? 1;
}

/**
 * @param {string} name of the file for its results
 * @param {readonly string[]} args
 * @returns {Count}
 */
function runVitest(name, args) {
  const results = join(root, `tests/artifacts/${name}.json`);
  mkdirSync(join(root, 'tests/artifacts'), { recursive: true });
  rmSync(results, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const code = runScript('node_modules/vitest/vitest.mjs', ['run', ...reporters, ...args]);
  return countTests(readJson(results), code);
}

/** The compiler in Go, three times as fast; ESLint and vue-tsc read the types through the one in JavaScript. */
const compiler = 'node_modules/typescript-7/bin/tsc';
/** Node's programs, with their arguments; each takes one core. */
const checks = [
  { name: 'Lint (eslint)', script: 'node_modules/eslint/bin/eslint.js', args: ['.'] },
  { name: 'Types (tsc)', script: compiler, args: ['--noEmit'] },
  { name: 'Format (prettier)', script: 'node_modules/prettier/bin/prettier.cjs', args: ['--check', '.'] },
  {
    name: 'Types of the window (vue-tsc)',
    script: 'node_modules/vue-tsc/bin/vue-tsc.js',
    args: ['--noEmit', '-p', 'renderer'],
  },
  {
    name: 'Types of what runs in pages (tsc)',
    script: compiler,
    args: ['--noEmit', '-p', 'tests/e2e'],
  },
  { name: 'Build (esbuild, electron-vite)', script: 'scripts/setup.mjs', args: ['--only', 'build,window'] },
];

/**
 * @param {string} script run by this Node
 * @param {readonly string[]} args
 * @returns {Promise<{ code: number, said: string }>} what it wrote, whole: several run beside each other
 */
function runQuietly(script, args) {
  return new Promise((resolve) => {
    // Room for what is young: of what these take, a tenth was V8 looking through it again and again.
    const child = spawn(process.execPath, ['--max-semi-space-size=64', join(root, script), ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    /** @type {string[]} */
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => said.push(text));
    child.on('close', (code) => resolve({ code: code ?? 1, said: said.join('') }));
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
/** @type {(name: string, count: Count, started: number) => void} */
const tell = (name, { passed, failed }, started) => {
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) failures.push(name);
  const verdict = failed > 0 ? 'FAILED' : 'ok';
  report.say(`== ${name}: ${verdict}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
};

const waiting = [...checks];
const work = async () => {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const started = performance.now();
    const { code, said } = await runQuietly(check.script, check.args);
    report.say(`\n== ${check.name}\n${said.trimEnd()}`);
    tell(check.name, countOne(code), started);
  }
};
await Promise.all(Array.from({ length: Math.min(availableParallelism(), checks.length) }, work));

report.say('\n== Tests (vitest)');
const started = performance.now();
tell('Tests (vitest)', runVitest('vitest', process.argv.slice(2)), started);
if (failures.length > 0) report.say(`\nFailed: ${failures.join(', ')}`);
report.say(`\n${String(total.passed)} passed, ${String(total.failed)} failed`);
process.exit(total.failed > 0 ? 1 : 0);
