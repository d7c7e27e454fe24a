// `npm test`: sets everything up, then runs every check, from the quickest, all of them even when one fails. Ends with one
// line, `N passed, N failed`: each vitest test counts, and each of the other checks counts as one. Arguments go to vitest.
import './setup/check-node.mjs';

const { spawnSync } = await import('node:child_process');
const { mkdirSync, rmSync } = await import('node:fs');
const { join } = await import('node:path');
const { orExplain, root, setUp } = await import('./setup/index.mjs');
const { readJson } = await import('./setup/locations.mjs');
const { createReport } = await import('./setup/report.mjs');

/** @typedef {{ passed: number, failed: number }} Count */

/**
 * @param {string} script a package's program, run by this Node
 * @param {readonly string[]} args
 * @returns {number} exit code
 */
function runTool(script, args) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  return status ?? 1;
}

/** @param {number} code @returns {Count} */
const asOne = (code) => (code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });

/** @returns {Count} */
function runVitest() {
  const results = join(root, 'tests/artifacts/vitest.json');
  mkdirSync(join(root, 'tests/artifacts'), { recursive: true });
  rmSync(results, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const code = runTool('vitest/vitest.mjs', ['run', ...reporters, ...process.argv.slice(2)]);
  const json = readJson(results) ?? {};
  const files = /** @type {{ status: string, assertionResults: unknown[] }[]} */ (json['testResults'] ?? []);
  const passed = Number(json['numPassedTests'] ?? 0);
  // A file that could not be loaded has no tests; it fails as one.
  const broken = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  const failed = Number(json['numFailedTests'] ?? 0) + broken;
  // Errors outside any test, or a run that ended early.
  return { passed, failed: failed === 0 && code !== 0 ? 1 : failed };
}

/** @type {readonly { name: string, run: () => Count }[]} */
const checks = [
  { name: 'Format (prettier)', run: () => asOne(runTool('prettier/bin/prettier.cjs', ['--check', '.'])) },
  { name: 'Lint (eslint)', run: () => asOne(runTool('eslint/bin/eslint.js', ['.'])) },
  { name: 'Types (tsc)', run: () => asOne(runTool('typescript/bin/tsc', ['--noEmit'])) },
  { name: 'Tests (vitest)', run: runVitest },
];

const report = createReport(process.stdout);
report.say('== Set-up');
await orExplain(report, () => setUp(report, { strict: true, required: true }));
const total = { passed: 0, failed: 0 };
const failures = [];
let ranTests = 0;
for (const { name, run } of checks) {
  report.say(`\n== ${name}`);
  const started = performance.now();
  const { passed, failed } = run();
  total.passed += passed;
  total.failed += failed;
  if (run === runVitest) ranTests = passed + failed;
  if (failed > 0) failures.push(name);
  const verdict = failed > 0 ? 'FAILED' : 'ok';
  report.say(`== ${name}: ${verdict}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
if (failures.length > 0) report.say(`\nFailed: ${failures.join(', ')}`);
if (ranTests === 0) report.say('\nNo test ran.');
report.say(`\n${String(total.passed)} passed, ${String(total.failed)} failed`);
process.exit(total.failed > 0 || ranTests === 0 ? 1 : 0);
