// Where the set-up puts things, and whether they are there. The program asks this too, bundled wherever it may be: here is
// only read, and no work is done.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { electronRuntime, sampleModel, tensorflow } from './pinned.mjs';

/** The cache folder, outside the checkout and shared by all checkouts. @returns {string} */
export function cacheFolder() {
  const base = process.env['XDG_CACHE_HOME'];
  // The XDG specification says that a relative path is to be ignored.
  return join(base && isAbsolute(base) ? base : join(homedir(), '.cache'), 'verisim');
}

/**
 * What a packaged app brings along, of the cache folder's shape (package.mjs makes it, main/index.ts names it); null in a
 * checkout, where the set-up puts the same into the cache folder.
 */
const bundledFolder = () => process.env['VERISIM_BUNDLED'] || null;

/** @typedef {'cpu' | 'gpu'} Build of TensorFlow */

/**
 * The folder of a TensorFlow runtime that the set-up makes: `deps/lib`, `deps/include`, `lib/napi-v8`.
 * @param {Build} [build]
 * @returns {string}
 */
export const tensorflowFolder = (build = 'cpu') =>
  join(bundledFolder() ?? cacheFolder(), `tensorflow-${tensorflow[build].version}-${build}`);

/**
 * Whether an NVIDIA GPU and its driver are here: the driver lists its GPUs; on Windows' Linux only its tool is seen.
 * `VERISIM_GPU=off` says no.
 * @param {string} [system] the root of the file system
 */
export function hasGpu(system = '/') {
  if (process.env['VERISIM_GPU'] === 'off') return false;
  try {
    if (readdirSync(join(system, 'proc/driver/nvidia/gpus')).length > 0) return true;
  } catch {
    // no driver
  }
  return existsSync(join(system, 'usr/lib/wsl/lib/nvidia-smi'));
}

/**
 * The builds of TensorFlow, the one that fits this machine first. Either computes on the processor alike.
 * @returns {readonly Build[]}
 */
export const buildsByUse = () => (hasGpu() ? ['gpu', 'cpu'] : ['cpu', 'gpu']);

/**
 * The binding inside a TensorFlow folder. The depth matters: the library is found relative to it.
 * @param {string} folder
 */
export const bindingFile = (folder) => join(folder, 'lib', 'napi-v8', 'tfjs_binding.node');

/** What makes TensorFlow fit into Electron (large-blocks.cc), next to the binding. @param {string} folder */
export const largeBlocksFile = (folder) => join(folder, 'lib', 'napi-v8', 'large_blocks.node');

/** What lets several processes work together (collectives.cc), next to the binding. @param {string} folder */
export const collectivesFile = (folder) => join(folder, 'lib', 'napi-v8', 'collectives.node');

/** @param {string} folder the stamp written when the binding in it was built and has been loaded once */
export const bindingStamp = (folder) => join(folder, 'binding.json');

/** What the last set-up that could not provide TensorFlow had to say. */
const noticeFile = () => join(cacheFolder(), 'tensorflow-notice.json');

/** The folder of the Electron that the set-up takes out of a wheel, for the tests above all. */
export const electronFolder = () => join(cacheFolder(), `electron-${electronRuntime.electronVersion}`);

/** @param {string} folder */
export const electronProgram = (folder = electronFolder()) => join(folder, 'electron');

/** The sample book as plain UTF-8 text. The file is there once the set-up has run. @returns {string} */
export const sampleTextPath = () => join(bundledFolder() ?? cacheFolder(), 'sample', 'moby-dick.txt');

/** The folder of the sample's base model, which has its name once the model is whole (`--only model` of the set-up). */
export const sampleModelFolder = () =>
  join(bundledFolder() ?? cacheFolder(), `${sampleModel.name}-${sampleModel.version}`);

/** The sample's base model as a GGUF file. The file is there once that part of the set-up has run. @returns {string} */
export const sampleModelPath = () => join(sampleModelFolder(), sampleModel.file.name);

/** Reads a JSON file that may be missing or damaged. @param {string} path @returns {Record<string, unknown> | null} */
export function readJson(path) {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} path
 * @param {unknown} size bytes
 */
export function hasSize(path, size) {
  try {
    return statSync(path).size === size;
  } catch {
    return false;
  }
}

/**
 * @typedef {{ readonly bindingPath: string } | { readonly bindingPath: null, readonly notice: string }} TensorflowLocation
 */

const withoutTensorflow = ['linux x64', 'darwin arm64'].includes(`${process.platform} ${process.arch}`)
  ? 'TensorFlow, a part of this app, is missing: training runs in plain JavaScript, slowly. To fix it: install Verisim again'
  : 'There is no TensorFlow for this system in this app: training runs in plain JavaScript, slowly.';

/**
 * Where the native binding is, or one plain line that says why there is none and how to get it.
 * `VERISIM_TENSORFLOW=<folder>` names another folder of the same shape; `VERISIM_TENSORFLOW=none` asks for the fallback.
 * @returns {TensorflowLocation}
 */
export function findTensorflow() {
  const chosen = process.env['VERISIM_TENSORFLOW'];
  if (chosen === 'none') {
    return {
      bindingPath: null,
      notice: 'TensorFlow is switched off (VERISIM_TENSORFLOW=none): plain JavaScript, slow.',
    };
  }
  if (chosen) {
    const bindingPath = bindingFile(resolve(chosen));
    return existsSync(bindingPath)
      ? { bindingPath }
      : {
          bindingPath: null,
          notice: `VERISIM_TENSORFLOW names a folder without TensorFlow: ${bindingPath} is missing. To fix it: unset VERISIM_TENSORFLOW`,
        };
  }
  for (const folder of buildsByUse().map(tensorflowFolder)) {
    const bindingPath = bindingFile(folder);
    if (hasSize(bindingPath, readJson(bindingStamp(folder))?.['size'])) return { bindingPath };
  }
  if (bundledFolder() !== null) return { bindingPath: null, notice: withoutTensorflow };
  const notice = readJson(noticeFile())?.['notice'];
  return {
    bindingPath: null,
    notice:
      typeof notice === 'string'
        ? notice
        : 'TensorFlow is not set up: training runs in plain JavaScript, slowly. To fix it: npm run setup',
  };
}
