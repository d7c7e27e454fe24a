/** A missing part gives one line with the command that fixes it, and the start continues; in CI it fails. The real scripts run. */
import { createServer } from 'node:http';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verbatim } from '../../shared/messages/message.js';
import { findProgram } from '../../scripts/setup/run.mjs';
import { checkout, pathWith, quickest, runScript, temporaryFolder } from './helpers.js';

const setUpTensorflow = ['scripts/setup.mjs', '--only', 'tensorflow'];

/** The result of `findTensorflow` in a process with this environment. */
async function located(environment: Record<string, string | undefined>): Promise<unknown> {
  const program = `import { findTensorflow } from ${JSON.stringify(join(checkout, 'main/installation/locations.mjs'))};
    process.stdout.write(JSON.stringify(findTensorflow()));`;
  return JSON.parse((await runScript(['--input-type=module', '-e', program], environment)).stdout);
}

test('no compiler: one line, the start goes on, and the program can repeat the line', async () => {
  const environment = { PATH: pathWith(['python3']), XDG_CACHE_HOME: temporaryFolder(), CXX: undefined };
  const { code, stdout } = await runScript(setUpTensorflow, environment);
  expect(code).toBe(0);
  const [line, end] = stdout.trimEnd().split('\n');
  expect(line).toMatch(/^No C\+\+ compiler was found .*To fix it: (sudo )?apt-get install -y g\+\+$/);
  expect(end).toMatch(/^Set up, without TensorFlow/);
  expect(await located(environment)).toEqual({ bindingPath: null, notice: verbatim(line ?? '') });
});

test.each([
  ['EACCES', /^Set-up failed\. This user may not write \/x\/window\.lock\. To fix it: run npm run setup once as/],
  ['EROFS', /^Set-up failed\. The disk is read-only, for \/x\/window\.lock\. To fix it/],
  ['ENOSPC', /^Set-up failed\. The disk is full, for \/x\/window\.lock\. To fix it: free/],
  ['EUNKNOWN', /^$/],
])('what a disk refuses with %s is one line, and anything else a bug', async (refusal, line) => {
  const program = `import { orExplain } from ${JSON.stringify(join(checkout, 'scripts/setup/index.mjs'))};
    const refused = () => Promise.reject(Object.assign(new Error('x'), { code: '${refusal}', path: '/x/window.lock' }));
    await orExplain({ say: console.log }, refused);`;
  const { code, stdout, stderr } = await runScript(['--input-type=module', '-e', program]);
  expect(code).toBe(1);
  expect(stdout).toMatch(line);
  expect(stderr.includes('orExplain')).toBe(refusal === 'EUNKNOWN');
});

test.each(['sample', 'model'])('a cache on a disk that is away, for %s: the line names the cache', async (step) => {
  const cache = join(temporaryFolder(), 'link');
  symlinkSync('/nowhere/at/all', cache);
  const { code, stdout } = await runScript(['scripts/setup.mjs', '--only', step], { XDG_CACHE_HOME: cache });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^The cache folder cannot be used \(ENOENT.*To fix it: set XDG_CACHE_HOME to a folder of yours$/m,
  );
  expect(stdout).not.toContain('must work');
});

test('no compiler in CI: the same line is a failure', async () => {
  const environment = { PATH: pathWith(['python3']), XDG_CACHE_HOME: temporaryFolder(), CXX: undefined, CI: 'true' };
  const { code, stdout } = await runScript(setUpTensorflow, environment);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Set-up failed. No C\+\+ compiler was found .*apt-get install -y g\+\+\n$/);
});

test('a compiler named by CXX that is not there', async () => {
  const environment = { XDG_CACHE_HOME: temporaryFolder(), CXX: 'no-such-compiler' };
  const { code, stdout } = await runScript(setUpTensorflow, environment);
  expect(code).toBe(0);
  expect(stdout).toMatch(/no-such-compiler.*To fix it: unset CXX/);
});

test('no Python', async () => {
  const environment = { PATH: pathWith(['g++']), XDG_CACHE_HOME: temporaryFolder(), CXX: undefined };
  const { code, stdout } = await runScript(setUpTensorflow, environment);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Python 3 was not found.*apt-get install -y python3 python3-pip\n/);
});

test('Python without pip', async () => {
  const path = pathWith(['g++']);
  // -S: without site-packages, where pip lives.
  const real = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
  writeFileSync(join(path, 'python3'), `#!/bin/sh\nexec ${real} -S "$@"\n`);
  chmodSync(join(path, 'python3'), 0o755);
  const environment = { PATH: path, XDG_CACHE_HOME: temporaryFolder(), CXX: undefined };
  const { code, stdout } = await runScript(setUpTensorflow, environment);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Python has no pip.*apt-get install -y python3-pip\n/);
});

test('a registry that refuses: the cause is named, and the next start does not wait for it again', async () => {
  const environment = {
    XDG_CACHE_HOME: temporaryFolder(),
    PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
    PIP_FIND_LINKS: temporaryFolder(),
    PIP_RETRIES: '0',
    CXX: undefined,
  };
  const { code, stdout } = await runScript(setUpTensorflow, environment);
  expect(code).toBe(0);
  expect(stdout).toMatch(/TensorFlow [\d.]+ could not be downloaded \(.+\).*To fix it: python3 -m pip download/);
  const start = `import { createReport } from ${JSON.stringify(join(checkout, 'scripts/setup/report.mjs'))};
    import { setUp } from ${JSON.stringify(join(checkout, 'scripts/setup/index.mjs'))};
    await setUp(createReport(process.stdout), { only: ['tensorflow'] });`;
  const next = await quickest(2, () => runScript(['--input-type=module', '-e', start], environment));
  expect(next).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(next.seconds).toBeLessThan(2);
});

test('a registry that serves another wheel: refused by its hash, nothing of it is kept', async () => {
  const folder = temporaryFolder();
  const name = 'tensorflow_cpu-2.21.0-cp311-cp311-manylinux_2_27_x86_64.whl';
  const wheel = join(folder, name);
  const program = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    info = "tensorflow_cpu-2.21.0.dist-info/"
    archive.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: tensorflow-cpu\\nVersion: 2.21.0\\n")
    archive.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: false\\nTag: cp311-cp311-manylinux_2_27_x86_64\\n")
    archive.writestr(info + "RECORD", "")
`;
  execFileSync(findProgram(['python3']) ?? 'python3', ['-c', program, wheel]);
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.whl')) response.end(readFileSync(wheel));
    else response.setHeader('content-type', 'text/html').end(`<a href="/files/${name}">${name}</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const environment = {
    XDG_CACHE_HOME: folder,
    PIP_INDEX_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`,
    PIP_FIND_LINKS: temporaryFolder(),
    PIP_RETRIES: '0',
    CXX: undefined,
  };
  const { code, stdout } = await runScript(setUpTensorflow, environment);
  expect(code).toBe(0);
  expect(stdout).toMatch(/SHA-256 [0-9a-f]{64} ≠ 2b847d21.*To fix it: npm run setup/);
  const cache = join(folder, 'verisim');
  const left = readdirSync(cache, { recursive: true }).map(String);
  expect(left.filter((file) => /whl|part|tensorflow-2|lock/.test(file))).toEqual([]);
});

test('a cache folder that cannot be made', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { code, stdout } = await runScript(setUpTensorflow, { XDG_CACHE_HOME: file, CXX: undefined });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^The cache folder cannot be used .*To fix it: .*XDG_CACHE_HOME/m);
});

test('an npm without network: the line names the command that must work', async () => {
  const npm = findProgram(['npm']) ?? 'npm';
  const environment = {
    XDG_CACHE_HOME: temporaryFolder(),
    PATH: `${dirname(npm)}:${process.env['PATH'] ?? ''}`,
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_cache: temporaryFolder(),
    npm_config_fetch_retries: '0',
  };
  const { code, stdout } = await runScript(['scripts/setup.mjs', '--only', 'sample'], environment);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^The sample text could not be fetched \(.+\).*To fix it: npm pack @stdlib/m);
  expect(readdirSync(join(environment.XDG_CACHE_HOME, 'verisim'))).toEqual(['sample']);
});

test('TensorFlow switched off, or in a folder that the user chose', async () => {
  const cache = temporaryFolder();
  expect(await located({ VERISIM_TENSORFLOW: 'none' })).toMatchObject({ bindingPath: null });
  expect(await located({ VERISIM_TENSORFLOW: cache })).toMatchObject({
    bindingPath: null,
    notice: { code: 'tensorflow.wrongFolder' },
  });
  mkdirSync(join(cache, 'lib/napi-v8'), { recursive: true });
  const bindingPath = join(cache, 'lib/napi-v8/tfjs_binding.node');
  writeFileSync(bindingPath, '');
  expect(await located({ VERISIM_TENSORFLOW: cache })).toEqual({ bindingPath });

  const off = await runScript(setUpTensorflow, { VERISIM_TENSORFLOW: 'none', XDG_CACHE_HOME: cache, CI: 'true' });
  expect(off.code).toBe(0); // chosen, not silent
  expect(existsSync(join(cache, 'verisim'))).toBe(false);
});
