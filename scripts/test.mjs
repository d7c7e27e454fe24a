// `npm test`: sets everything up, then runs every check, from the quickest, all of them even when one fails. Ends with one
// line, `N passed, N failed`: each vitest test counts, and each of the other checks counts as one. Arguments go to vitest.
import './setup/check-node.mjs';

const { spawnSync } = await import('node:child_process');
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

/** @type {{ name: string, run: () => Count }[]} */
const checks = [
  {
    name: 'Format (prettier)',
    run: () => countOne(runScript('node_modules/prettier/bin/prettier.cjs', ['--check', '.'])),
  },
  { name: 'Lint (eslint)', run: () => countOne(runScript('node_modules/eslint/bin/eslint.js', ['.'])) },
  { name: 'Types (tsc)', run: () => countOne(runScript('node_modules/typescript/bin/tsc', ['--noEmit'])) },
  {
    name: 'Types of what runs in pages (tsc)',
    run: () => countOne(runScript('node_modules/typescript/bin/tsc', ['--noEmit', '-p', 'tests/e2e'])),
  },
  {
    name: 'Types of the window (vue-tsc)',
    run: () => countOne(runScript('node_modules/vue-tsc/bin/vue-tsc.js', ['--noEmit', '-p', 'renderer'])),
  },
  {
    name: 'Build (esbuild, electron-vite)',
    run: () => countOne(runScript('scripts/setup.mjs', ['--only', 'build,window'])),
  },
];

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
const chosen = process.argv.slice(2);
checks.push({ name: 'Tests (vitest)', run: () => runVitest('vitest', chosen) });
const total = { passed: 0, failed: 0 };
const failures = [];
for (const { name, run } of checks) {
  report.say(`\n== ${name}`);
  const started = performance.now();
  const { passed, failed } = run();
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) failures.push(name);
  const verdict = failed > 0 ? 'FAILED' : 'ok';
  report.say(`== ${name}: ${verdict}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
if (failures.length > 0) report.say(`\nFailed: ${failures.join(', ')}`);
report.say(`\n${String(total.passed)} passed, ${String(total.failed)} failed`);
process.exit(total.failed > 0 ? 1 : 0);
