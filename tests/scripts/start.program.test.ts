/** A start that finds everything in place is quick and quiet, and `npm test` counts everything that went wrong. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { countOne, countTests } from '../../scripts/setup/count.mjs';
import { packagesReady } from '../../scripts/setup/packages.mjs';
import { checkout, quickest, runScript } from './helpers.js';

beforeAll(async () => {
  // Never let a test reinstall the packages under the other tests.
  expect(packagesReady(checkout), 'run `npm run setup` first').toBe(true);
  const { code, stdout } = await runScript(['scripts/setup.mjs']);
  expect(code, stdout).toBe(0);
});

test('a second start takes under two seconds, most of which is not used', async () => {
  const { code, stdout, seconds } = await quickest(2, () => runScript(['scripts/setup.mjs']));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Set up \((\d+\.\d) s\)\. Next: npm start\n$/);
  expect(seconds).toBeLessThan(2);
});

test('the launcher adds nothing to the output, passes arguments on and hands back the exit code', async () => {
  const help = await runScript(['scripts/verisim.mjs', '--help']);
  expect(help.code).toBe(0);
  expect(help.stderr).toBe('');
  expect(help.stdout).toContain('verisim');
  const wrong = await runScript(['scripts/verisim.mjs', 'no-such-command']);
  expect(wrong.code).toBe(2);
  expect(wrong.stdout).toBe('');
});

test('an unknown step is bad input', async () => {
  const { code, stderr } = await runScript(['scripts/setup.mjs', '--only', 'everything']);
  expect(code).toBe(2);
  expect(stderr).toContain('packages, tensorflow, sample, build');
});

test('the packages run no code when they are installed and come from whichever registry is configured', () => {
  const lock = readFileSync(join(checkout, 'package-lock.json'), 'utf8');
  expect(readFileSync(join(checkout, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  expect(lock).not.toMatch(/"resolved"/);
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    // A second version of a package has a name of its own here.
    expect(version, name).toMatch(/^(npm:[a-z-]+@)?\d+\.\d+\.\d+$/);
  }
});

test('what tfjs-node’s own installer needs is not in the tree', () => {
  const { packages } = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { name?: string; dev?: boolean }>;
  };
  const shipped = Object.entries(packages).filter(([, entry]) => !entry.dev && entry.name !== 'empty-npm-package');
  const names = shipped.map(([path]) => path.replace(/^.*node_modules\//, ''));
  for (const name of ['tar', 'adm-zip', 'rimraf', 'https-proxy-agent', '@mapbox/node-pre-gyp', 'form-data']) {
    expect(names).not.toContain(name);
  }
});

test('the count leaves nothing out', () => {
  const file = (status: string, tests: number) => ({ status, assertionResults: Array.from({ length: tests }) });
  const results = { numPassedTests: 7, numFailedTests: 0, testResults: [file('passed', 7)] };
  expect(countTests(results, 0)).toEqual({ passed: 7, failed: 0 });
  expect(countTests({ ...results, numFailedTests: 2 }, 1)).toEqual({ passed: 7, failed: 2 });
  const broken = { ...results, testResults: [file('passed', 7), file('failed', 0), file('failed', 0)] };
  expect(countTests(broken, 1), 'files that could not be loaded').toEqual({ passed: 7, failed: 2 });
  expect(countTests(results, 1), 'an error outside any test').toEqual({ passed: 7, failed: 1 });
  expect(countTests({ numPassedTests: 0, numFailedTests: 0, testResults: [] }, 0), 'no tests').toEqual({
    passed: 0,
    failed: 1,
  });
  expect(countTests(null, 137), 'no report').toEqual({ passed: 0, failed: 1 });
  expect(countOne(0)).toEqual({ passed: 1, failed: 0 });
  expect(countOne(2)).toEqual({ passed: 0, failed: 1 });
});
