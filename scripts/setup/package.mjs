// What a packaged app brings along besides its own build: the files of packages that the trainer loads as they are, and
// TensorFlow with the sample text and its base model, so that whoever installs it needs no compiler, no Python and no network.
import { build } from 'esbuild';
import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  bindingFile,
  bindingStamp,
  cacheFolder,
  findTensorflow,
  largeBlocksFile,
  sampleModelFolder,
  sampleModelPath,
  sampleTextPath,
  tensorflowFolder,
} from '../../main/installation/locations.mjs';

/** What main/engine loads at run time: tfjs and tfjs-node must be the one copy each that the other sees, so neither is bundled. */
const node = '@tensorflow/tfjs-node-gpu';
const loaded = ['@tensorflow/tfjs', `${node}/dist/nodejs_kernel_backend`, `${node}/dist/register_all_kernels`];

/**
 * Copies the files of packages that are loaded, and no others: esbuild follows them as Node would.
 * @param {string} root the checkout
 * @param {string} target becomes a `node_modules`
 * @returns {Promise<{ files: number, bytes: number }>}
 */
export async function stageModules(root, target) {
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: loaded.map((name) => `require('${name}');`).join('\n'), resolveDir: root },
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'none',
    logLevel: 'error',
    platform: 'node',
    format: 'cjs',
    mainFields: ['main'],
  });
  const modules = join(root, 'node_modules');
  const inputs = Object.entries(metafile.inputs).filter(([name]) => name.includes('node_modules/'));
  const files = new Set(inputs.map(([name]) => name.slice(name.indexOf('node_modules/') + 'node_modules/'.length)));
  for (const file of [...files]) {
    // With each file its package's description, by which Node finds it.
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      if (existsSync(join(modules, folder, 'package.json'))) files.add(join(folder, 'package.json'));
    }
  }
  for (const file of files) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    copyFileSync(join(modules, file), join(target, file));
  }
  return { files: files.size, bytes: inputs.reduce((sum, [, { bytes }]) => sum + bytes, 0) };
}

/**
 * Makes a folder of the cache folder's shape (locations.mjs: `VERISIM_BUNDLED`) with what a first run needs.
 * @param {string} target
 */
export function stageRuntime(target) {
  const from = cacheFolder();
  const tensorflow = tensorflowFolder();
  const parts = [sampleTextPath()];
  if (existsSync(sampleModelPath())) parts.push(sampleModelPath(), join(sampleModelFolder(), 'LICENSE'));
  // Only where there is one for this system; elsewhere the app says so and computes without.
  if (findTensorflow().bindingPath !== null) {
    const libraries = ['libtensorflow_cc.so.2', 'libtensorflow_framework.so.2'].map((name) => join('deps/lib', name));
    const notices = ['LICENSE', 'THIRD_PARTY_NOTICES.txt'];
    parts.push(...[...libraries, ...notices].map((name) => join(tensorflow, name)));
    parts.push(bindingFile(tensorflow), bindingStamp(tensorflow), largeBlocksFile(tensorflow));
  }
  for (const file of parts) {
    const place = join(target, relative(from, file));
    mkdirSync(dirname(place), { recursive: true });
    try {
      linkSync(file, place); // they are large
    } catch {
      cpSync(file, place);
    }
  }
}
