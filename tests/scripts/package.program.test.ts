/** What the packages rely on: icons, file type, scripts of deb and rpm, and workflows that run the scripts that everybody runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stageLlama, stageModules } from '../../scripts/package/stage.mjs';
import { fileEndings } from '../../shared/config/file-kinds.js';
import { checkout, runScript, temporaryFolder } from './helpers.js';

const read = (name: string) => readFileSync(join(checkout, name), 'utf8');
const settings = read('electron-builder.yml');

test('every icon has the size in its name', () => {
  for (const size of [16, 24, 32, 48, 64, 128, 256, 512, 1024])
    expect(readFileSync(join(checkout, `resources/icons/${String(size)}.png`)).readUInt32BE(16)).toBe(size);
});

test('the file type is that of exported projects', () => {
  const ending = fileEndings.archive[0];
  expect(read('resources/linux/mime.xml')).toContain(`<glob pattern="*.${ending}"`);
  expect(settings).toContain('mimeType: application/x-verisim-project');
});

test('the script after removal does nothing in an upgrade', () => {
  const script = join(checkout, 'resources/linux/after-remove.sh');
  for (const argument of ['upgrade', '1'])
    expect(execFileSync('sh', [script, argument], { encoding: 'utf8' })).toBe('');
  for (const name of ['after-install', 'after-remove'])
    execFileSync('sh', ['-n', join(checkout, `resources/linux/${name}.sh`)]);
});

test('everything that the window is built of is packaged', () => {
  const packed = [...(/^files:\n((?: {2}.*\n)+)/m.exec(settings)?.[1] ?? '').matchAll(/^ {2}- ([\w.]+)$/gm)];
  const names = packed.map(([, name]) => name ?? '');
  expect(names).toEqual(expect.arrayContaining(['main', 'preload', 'renderer', 'resources', 'package.json']));
  // electron-builder leaves out of the app what it also copies next to it under the same name.
  const copied = [...settings.matchAll(/^ {4}to: (.+)$/gm)].map(([, name]) => name ?? '');
  expect(copied).toContain('NOTICE');
  expect(copied.filter((name) => names.includes(name))).toEqual([]);
});

test('the app is packaged with its fuses, and looks for updates nowhere', () => {
  for (const fuse of ['enableEmbeddedAsarIntegrityValidation: true', 'onlyLoadAppFromAsar: true', 'runAsNode: false'])
    expect(settings).toContain(`  ${fuse}\n`);
  expect(settings).toMatch(/^publish: null$/m);
});

test('a staged module finds what it requires without the checkout', async () => {
  const folder = join(temporaryFolder(), 'main');
  mkdirSync(folder);
  const { files, bytes } = await stageModules(checkout, join(folder, 'node_modules'));
  expect(files).toBeGreaterThan(50);
  expect(bytes).toBeLessThan(20e6);
  expect(existsSync(join(folder, 'node_modules/vue'))).toBe(false);
  writeFileSync(join(folder, 'index.cjs'), `console.log(typeof require('@tensorflow/tfjs').tensor)`);
  expect(await runScript([join(folder, 'index.cjs')])).toMatchObject({ code: 0, stdout: 'function\n' });
});

test('llama.cpp is staged outside of the archive, and loads without the checkout', async () => {
  expect(settings).toContain('  - from: dist/staged/runtime\n    to: runtime\n');
  const folder = temporaryFolder();
  stageLlama(checkout, folder);
  const script = `const llama = require('./llama.cpp/llama-addon.node'); llama.setLoggerLogLevel(2); llama.loadBackends(__dirname + '/llama.cpp');
    llama.init().then(() => console.log(typeof llama.AddonModel));`;
  writeFileSync(join(folder, 'load.cjs'), script);
  expect(await runScript([join(folder, 'load.cjs')])).toMatchObject({ code: 0, stdout: 'function\n' });
});

test('an unknown package is refused in one line', async () => {
  const { code, stdout } = await runScript(['scripts/package.mjs', 'snap']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Set-up failed. There is no package "snap". To fix it: npm run package -- /);
});

test('the workflows run scripts that exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
  for (const name of ['ci', 'release']) {
    const steps = [...read(`.github/workflows/${name}.yml`).matchAll(/npm (?:run )?(?:--silent )?(?!ci\b)([a-z:]+)/g)];
    const names = steps.map(([, step]) => step ?? '').filter((step) => step !== 'packages');
    expect(names.length).toBeGreaterThan(0);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  }
});
