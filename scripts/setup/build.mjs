// Bundles the TypeScript sources for Node, when they changed. The check reads only names, sizes and times of the files;
// esbuild is loaded when there is something to do.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { hasSize, readJson } from '../../main/installation/locations.mjs';
import { bundledPackages } from './bundled-packages.mjs';
import { buildFileReader, FILE_READER } from './file-reader.mjs';
import { SetupProblem } from './report.mjs';
import { requireTensorflow } from './require-tensorflow.mjs';
import { sourceKey } from './source-key.mjs';

/** @typedef {import('./report.mjs').Report} Report */

/** The programs: name in dist/ to source file. */
const programs = { cli: 'main/cli/index.ts', trainer: 'main/trainer.ts' };

/** Folders whose files go into a bundle. */
const sourceFolders = ['main', 'shared', 'scripts/setup', 'resources/locales'];

/** @param {string} root the checkout */
const currentKey = (root) => sourceKey(root, sourceFolders, programs);

/** @param {string} root */
const stampFile = (root) => join(root, 'dist', 'build.json');

/**
 * @param {string} root the checkout
 * @param {string} name
 */
export const programFile = (root, name) => join(root, 'dist', `${name}.js`);

/** @param {string} root the checkout */
function buildReady(root) {
  const stamp = readJson(stampFile(root));
  if (stamp?.['key'] !== currentKey(root)) return false;
  const sizes = /** @type {Record<string, unknown>} */ (stamp['sizes']);
  return Object.entries(sizes).every(([name, size]) => hasSize(join(root, 'dist', name), size));
}

/**
 * A program that runs now may still load a part of the build before: parts go when they are a week old.
 * @param {string} folder
 * @param {ReadonlySet<string>} current
 */
function removeOldParts(folder, current) {
  const week = 7 * 24 * 60 * 60 * 1000;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!current.has(name) && Date.now() - statSync(path).mtimeMs > week) rmSync(path, { force: true });
  }
}

/**
 * @param {string} root the checkout
 * @param {Report} report
 * @throws {SetupProblem}
 */
export async function ensureBuild(root, report) {
  if (buildReady(root)) return;
  const key = currentKey(root); // before building: what is saved meanwhile is built next time
  const dist = join(root, 'dist');
  const fresh = join(dist, `.building-${String(process.pid)}`);
  const { build } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: programs,
      outdir: dist,
      write: false, // written below, each file whole or not at all
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      alias: bundledPackages,
      plugins: [requireTensorflow(root)],
      // What a command loads with `import()` stays unloaded by the others: TensorFlow, above all.
      splitting: true,
      chunkNames: 'parts/[name]-[hash]',
      sourcemap: true,
      logLevel: 'silent',
    });
    const parts = join(dist, 'parts');
    mkdirSync(parts, { recursive: true });
    mkdirSync(fresh, { recursive: true });
    /** @type {Record<string, number>} */
    const sizes = {};
    // Parts first, so that a program is never there before what it imports; maps before what they map.
    const depth = (/** @type {string} */ path) => path.split(sep).length;
    outputFiles.sort((a, b) => depth(b.path) - depth(a.path) || b.path.length - a.path.length);
    for (const { path, contents } of outputFiles) {
      const whole = join(fresh, basename(path));
      writeFileSync(whole, contents);
      renameSync(whole, path);
      if (path.endsWith('.js')) sizes[relative(dist, path)] = contents.length;
    }
    sizes[FILE_READER] = await buildFileReader(root, join(dist, FILE_READER));
    removeOldParts(parts, new Set(outputFiles.map(({ path }) => basename(path))));
    writeFileSync(join(fresh, 'stamp'), JSON.stringify({ key, sizes }));
    renameSync(join(fresh, 'stamp'), stampFile(root));
  } catch (error) {
    const message = /** @type {Error} */ (error).message;
    report.say(message);
    throw new SetupProblem('The program could not be bundled (see above)', 'npm run typecheck shows what is wrong');
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
