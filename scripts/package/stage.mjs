// Stages what a packaged app needs besides its own build: packages that the trainer loads as files, TensorFlow, llama.cpp, and
// the sample text with its base model, so that users need no compiler, no Python and no network.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  bindingFile,
  bindingStamp,
  cacheFolder,
  findTensorflow,
  collectivesFile,
  largeBlocksFile,
  llamaSystem,
  sampleModelFolder,
  sampleModelPath,
  sampleTextPath,
  tensorflowFolder,
} from '../../main/installation/locations.mjs';

/** What main/engine loads at run time: tfjs and tfjs-node must be the one copy each that the other sees, so neither is bundled. */
const node = '@tensorflow/tfjs-node-gpu';
const wasm = '@tensorflow/tfjs-backend-wasm';
const webgpu = '@tensorflow/tfjs-backend-webgpu';
const loaded = [
  '@tensorflow/tfjs',
  wasm,
  webgpu,
  `${node}/dist/nodejs_kernel_backend`,
  `${node}/dist/register_all_kernels`,
];

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
  // Read as files when TensorFlow is missing.
  for (const kind of ['', '-simd']) files.add(`${wasm}/dist/tfjs-backend-wasm${kind}.wasm`);
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
 * The libraries that a TensorFlow folder's binding loads, by the names under which it is loaded.
 * @param {string} folder
 */
const librariesOf = (folder) =>
  readdirSync(join(folder, 'deps/lib')).filter((name) =>
    /^libtensorflow_(cc|framework)\.(so\.2|2\.dylib)$|\.dll$/.test(name),
  );

/**
 * A copy without the symbols that only a debugger reads, a quarter of TensorFlow's library; those by which it is loaded stay.
 * @param {string} file
 * @param {string} place
 */
function copyStripped(file, place) {
  const { status, stderr } = spawnSync('strip', ['--strip-unneeded', '-o', place, file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`strip failed: ${stderr}`);
}

/** @param {string} file @param {string} place */
function linkOrCopy(file, place) {
  try {
    linkSync(file, place); // they are large
  } catch {
    copyFileSync(file, place);
  }
}

/**
 * Makes a folder of the cache folder's shape (locations.mjs: `VERISIM_BUNDLED`) with what a first run needs.
 * @param {string} target
 */
export function stageRuntime(target) {
  const from = cacheFolder();
  /** @param {string} file @param {typeof linkOrCopy} [copy] */
  const take = (file, copy = linkOrCopy) => {
    const place = join(target, relative(from, file));
    mkdirSync(dirname(place), { recursive: true });
    copy(file, place);
  };
  take(sampleTextPath());
  if (existsSync(sampleModelPath()))
    for (const file of [sampleModelPath(), join(sampleModelFolder(), 'LICENSE')]) take(file);
  // Omitted if there is none for this system; the app then reports that and computes without it.
  if (findTensorflow().bindingPath !== null) takeTensorflow(tensorflowFolder(), take);
}

/**
 * Copies llama.cpp for this system, if npm has it; without it the engine writes.
 * @param {string} root the checkout
 * @param {string} target of `stageRuntime`
 */
export function stageLlama(root, target) {
  const from = join(root, 'node_modules/@node-llama-cpp', llamaSystem);
  if (!existsSync(from)) return;
  cpSync(join(from, 'bins', llamaSystem), join(target, 'llama.cpp'), { recursive: true });
  copyFileSync(join(from, 'LICENSE'), join(target, 'llama.cpp/LICENSE'));
}

/**
 * @param {string} folder a TensorFlow runtime
 * @param {(file: string, copy?: typeof linkOrCopy) => void} take
 */
function takeTensorflow(folder, take) {
  const copy = process.platform === 'linux' ? copyStripped : linkOrCopy;
  for (const name of librariesOf(folder)) take(join(folder, 'deps/lib', name), copy);
  for (const name of ['LICENSE', 'THIRD_PARTY_NOTICES.txt']) take(join(folder, name));
  for (const file of [bindingFile, bindingStamp, largeBlocksFile, collectivesFile].map((of) => of(folder)))
    if (existsSync(file)) take(file);
}
