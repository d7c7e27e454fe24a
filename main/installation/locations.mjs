// Locates everything that the set-up installs and reports whether it is there. The program imports this file bundled; it only reads.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { homeFolder } from './environment.mjs';
import { electronRuntime, sampleModel, tensorflow } from './pinned.mjs';

/** The cache folder, outside the checkout and shared by all checkouts. @returns {string} */
export function cacheFolder() {
  const base = process.env['XDG_CACHE_HOME'];
  // The XDG specification ignores relative paths.
  return join(base && isAbsolute(base) ? base : join(homeFolder(), '.cache'), 'verisim');
}

/** A packaged app's own files, in the shape of the cache folder (package.mjs makes it, main/index.ts names it); null in a checkout. */
const bundledFolder = () => process.env['VERISIM_BUNDLED'] || null;

/** @param {string[]} parts */
const installed = (...parts) => join(bundledFolder() ?? cacheFolder(), ...parts);

/** @typedef {'cpu' | 'gpu'} Build of TensorFlow */

/**
 * The folder of a TensorFlow runtime: `deps/lib`, `deps/include`, `lib/napi-v8`.
 * @param {Build} [build]
 */
export const tensorflowFolder = (build = 'cpu') => installed(`tensorflow-${tensorflow[build].version}-${build}`);

/**
 * Whether an NVIDIA GPU and its driver are here: the driver lists its GPUs; in WSL only its tool is visible. `VERISIM_GPU=off` denies it.
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

/** The builds of TensorFlow, the one for this machine first; both compute on the processor. @returns {readonly Build[]} */
export const buildsByUse = () => (hasGpu() ? ['gpu', 'cpu'] : ['cpu', 'gpu']);

/** The binding in a TensorFlow folder; the library is found relative to it. @param {string} folder */
export const bindingFile = (folder) => join(folder, 'lib', 'napi-v8', 'tfjs_binding.node');

/** The module that makes TensorFlow fit into Electron (large-blocks.cc). @param {string} folder */
export const largeBlocksFile = (folder) => join(folder, 'lib', 'napi-v8', 'large_blocks.node');

/** The module that connects several processes (collectives.cc). @param {string} folder */
export const collectivesFile = (folder) => join(folder, 'lib', 'napi-v8', 'collectives.node');

/** The stamp written after the binding in a folder has been loaded once. @param {string} folder */
export const bindingStamp = (folder) => join(folder, 'binding.json');

/** llama.cpp's files in a packaged app; null in a checkout, where npm's packages have them. */
export const bundledLlama = () => (bundledFolder() === null ? null : installed('llama.cpp'));

/** The name of llama.cpp's package for this system, and of the folder in it. */
export const llamaSystem = [
  /** @type {Readonly<Partial<Record<NodeJS.Platform, string>>>} */ ({ darwin: 'mac', win32: 'win' })[
    process.platform
  ] ?? process.platform,
  process.arch,
  ...(process.platform === 'darwin' && process.arch === 'arm64' ? ['metal'] : []),
].join('-');

/** The folder of the Electron for the tests. */
export const electronFolder = () => join(cacheFolder(), `electron-${electronRuntime.electronVersion}`);

/** @param {string} folder */
export const electronProgram = (folder = electronFolder()) => join(folder, 'electron');

/** The sample book as plain UTF-8 text, once the set-up has run. */
export const sampleTextPath = () => installed('sample', 'moby-dick.txt');

/** The folder of the sample's base model, which has this name once it is complete (`--only model` of the set-up). */
export const sampleModelFolder = () => installed(`${sampleModel.name}-${sampleModel.version}`);

/** The sample's base model as a GGUF file. */
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

/** @param {string} path @param {unknown} size bytes */
export function hasSize(path, size) {
  try {
    return statSync(path).size === size;
  } catch {
    return false;
  }
}

/** @typedef {import('../../shared/messages/message.js').Message} Message */
/** @typedef {{ readonly bindingPath: string } | { readonly bindingPath: null, readonly notice: Message }} TensorflowLocation */

/**
 * Locates the native binding, or reports why there is none and how to get it.
 * `VERISIM_TENSORFLOW=<folder>` names another folder of the same shape; `VERISIM_TENSORFLOW=none` requests the fallback.
 * @returns {TensorflowLocation}
 */
export function findTensorflow() {
  const chosen = process.env['VERISIM_TENSORFLOW'];
  if (chosen === 'none') return { bindingPath: null, notice: { code: 'tensorflow.off' } };
  if (chosen) {
    const bindingPath = bindingFile(resolve(chosen));
    if (existsSync(bindingPath)) return { bindingPath };
    return { bindingPath: null, notice: { code: 'tensorflow.wrongFolder', params: { path: bindingPath } } };
  }
  for (const folder of buildsByUse().map(tensorflowFolder)) {
    const bindingPath = bindingFile(folder);
    if (hasSize(bindingPath, readJson(bindingStamp(folder))?.['size'])) return { bindingPath };
  }
  if (bundledFolder() !== null) {
    const isSupported = ['linux-x64', 'darwin-arm64'].includes(`${process.platform}-${process.arch}`);
    return { bindingPath: null, notice: { code: isSupported ? 'tensorflow.missing' : 'tensorflow.unsupported' } };
  }
  // Written by the last set-up that could not install TensorFlow.
  const text = readJson(join(cacheFolder(), 'tensorflow-notice.json'))?.['notice'];
  const isKnown = typeof text === 'string';
  return {
    bindingPath: null,
    notice: isKnown ? { code: 'text.verbatim', params: { text } } : { code: 'tensorflow.notSetUp' },
  };
}
