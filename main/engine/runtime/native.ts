/** Loads TensorFlow through tfjs-node's binding, or tfjs's WASM backend. Of the engine, only this file and backends/ use Node. */
import { localized, type Message } from '../../../shared/messages/message.js';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { arch, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as tf from '@tensorflow/tfjs';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { EagerSession } from './eager-session.js';
import { multipliesBfloat16, processorAbilities } from './processor.js';
import type { Binding, NodeBackend } from './tensorflow.js';
import { TracedSession, type GraphHost } from './traced-session.js';
import { Tracer } from './tracer.js';
import type { Precision, Runtime } from './types.js';
import { selectWasm } from './backends/wasm.js';
import { selectWebgpu } from './backends/webgpu.js';

interface RuntimeOptions {
  /** `tfjs_binding.node`; null if TensorFlow is not installed. */
  readonly bindingPath: string | null;
  /** Why there is no binding. */
  readonly notice?: Message | null;
  /** Threads of TensorFlow, set at the first load of a process; null for one per core. */
  readonly threads?: number | null;
  /** `cuda` and `webgpu` fail without a device; `auto` uses CUDA if there is any. */
  readonly device?: 'auto' | 'cpu' | 'cuda' | 'webgpu';
  /** Of training's matrix products; `auto` lets the engine choose. After f32, the default, this process has no bfloat16. */
  readonly precision?: Precision | 'auto';
  /** A folder for XLA's compiled code, which saves seconds per function; it may be removed at any time. */
  readonly compileCache?: string | null;
}

const PACKAGE = '@tensorflow/tfjs-node-gpu';

/** A process loads TensorFlow once. */
let loaded: { readonly bindingPath: string; readonly host: GraphHost; readonly hasBfloat16: boolean } | null = null;

/** Loads TensorFlow, or falls back to WASM with a notice. @throws UserError `runtime_missing` without the requested CUDA */
export async function loadRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { bindingPath, device = 'auto' } = options;
  if (device === 'webgpu') return webgpuRuntime(options);
  if (bindingPath === null) return wasmRuntime(options, null);
  if (loaded && loaded.bindingPath !== bindingPath) throw new Error(`TensorFlow is loaded from ${loaded.bindingPath}`);
  if (!loaded) {
    const cache = options.compileCache ? cacheFolder(options.compileCache, bindingPath) : null;
    setEnvironment(options, cache);
    try {
      const host = loadTensorFlow(bindingPath, cache);
      const hasBfloat16 = host.backend.binding.isUsingGpuDevice() || (usesOneDnn() && multipliesBfloat16());
      loaded = { bindingPath, host, hasBfloat16 };
    } catch (error) {
      return wasmRuntime(options, error);
    }
  }
  await tf.setBackend('tensorflow');
  const { host } = loaded;
  const onGpu = host.backend.binding.isUsingGpuDevice();
  if (device === 'cuda' && !onGpu) {
    throw new UserError({
      code: 'runtime_missing',
      message: localized('runtime.tensorflow_finds_no_cuda_device'),
      hint: localized('runtime.set_up_on_a_gpu_machine'),
      field: 'device',
    });
  }
  return {
    kind: 'tensorflow',
    version: host.backend.binding.TF_Version,
    device: onGpu ? 'cuda' : 'cpu',
    precision: checkedPrecision(options.precision ?? 'f32', loaded.hasBfloat16),
    notice: null,
    createSession: (session = {}) =>
      session.compiled === false ? new EagerSession() : new TracedSession(host, session),
  };
}

async function webgpuRuntime({ precision }: RuntimeOptions): Promise<Runtime> {
  const card = await selectWebgpu();
  return {
    kind: 'webgpu',
    version: `${tf.version.tfjs}, ${card.name}`,
    device: 'webgpu',
    card,
    precision: checkedPrecision(precision ?? 'f32', false),
    notice: null,
    createSession: () => new EagerSession(),
  };
}

async function wasmRuntime({ notice, device, precision }: RuntimeOptions, cause: unknown): Promise<Runtime> {
  if (device === 'cuda') {
    throw new UserError(
      {
        code: 'runtime_missing',
        message: localized('runtime.cuda_needs_tensorflow_installed_does'),
        hint: localized('runtime.set_up_for_gpu'),
        field: 'device',
      },
      { cause },
    );
  }
  await selectWasm();
  const error = cause instanceof Error ? cause.message.split('\n')[0] : null;
  const code = cause === null ? 'runtime.not_installed' : 'runtime.does_not_load';
  return {
    kind: 'wasm',
    version: tf.version.tfjs,
    device: 'cpu',
    precision: checkedPrecision(precision ?? 'f32', false),
    notice: notice ?? localized(code, { error }),
    createSession: () => new EagerSession(),
  };
}

function checkedPrecision(precision: Precision | 'auto', hasBfloat16: boolean): Precision | 'auto' {
  if (hasBfloat16 || precision === 'f32') return precision;
  if (precision === 'auto') return 'f32';
  throw new UserError({
    code: 'runtime_missing',
    message: localized('runtime.there_no_bfloat16_here_processor'),
    hint: localized('runtime.leave_precision_out_choose_precision'),
    field: 'precision',
  });
}

/** Sets what TensorFlow reads when its library is loaded; the user's own values stay. */
function setEnvironment({ threads, device, precision = 'f32' }: RuntimeOptions, cache: string | null): void {
  const defaults: Record<string, string> = {
    // Failures are exceptions; the log has meaningless errors for each cached function.
    TF_CPP_MIN_LOG_LEVEL: '3',
    // Reuses freed memory: page faults took a quarter of a small train step under XLA.
    TF_CPU_ALLOCATOR_USE_BFC: 'true',
    TF_FORCE_GPU_ALLOW_GROWTH: 'true',
  };
  // oneDNN, which XLA does not use in f32.
  if (precision === 'f32') defaults['TF_ENABLE_ONEDNN_OPTS'] = '0';
  if (threads) defaults['TF_NUM_INTRAOP_THREADS'] = String(threads);
  if (device === 'cpu') defaults['CUDA_VISIBLE_DEVICES'] = '-1';
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value;
  if (cache) process.env['TF_XLA_FLAGS'] = withCacheFolder(process.env['TF_XLA_FLAGS'], cache);
}

const CACHE_FLAG = '--tf_xla_persistent_cache_directory=';

/** Adds the cache folder to the user's XLA flags unless they name one. */
const withCacheFolder = (flags = '', folder: string): string =>
  flags.includes(CACHE_FLAG) ? flags : `${flags} ${CACHE_FLAG}${folder}`.trimStart();

const usesOneDnn = (): boolean => !['0', 'false'].includes(process.env['TF_ENABLE_ONEDNN_OPTS'] ?? '');

/** Bytes of the cache; the least recently used functions are removed. */
const MAX_CACHE = 256 * 2 ** 20;

/** The cache folder of this processor and library, for compiled functions are machine code; null if it is not writable. */
function cacheFolder(compileCache: string, bindingPath: string): string | null {
  // Processors of one name may differ in instructions, above all in virtual machines. XLA's own names omit its flags.
  const machine = [bindingPath, arch(), cpus()[0]?.model, processorAbilities()];
  const flags = process.env['XLA_FLAGS'];
  if (flags) machine.push(flags);
  const folder = join(compileCache, digestOf(machine.join('\0')));
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    removeOldest(folder, MAX_CACHE);
    return folder;
  } catch {
    return null;
  }
}

/** Paths of a folder's files; none if it was removed. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function removeOldest(folder: string, most: number): void {
  const files = filesIn(folder).flatMap((path) => {
    // Another process may remove it meanwhile.
    const stats = statSync(path, { throwIfNoEntry: false });
    // Some systems do not record access times.
    return stats ? [{ path, size: stats.size, used: Math.max(stats.atimeMs, stats.mtimeMs) }] : [];
  });
  let total = 0;
  for (const { path, size } of files.sort((a, b) => b.used - a.used)) {
    total += size;
    if (total > most) rmSync(path, { force: true });
  }
}

function emptyFolder(folder: string): boolean {
  const files = filesIn(folder);
  for (const file of files) rmSync(file, { force: true });
  return files.length > 0;
}

function loadTensorFlow(bindingPath: string, cache: string | null): GraphHost {
  // A CommonJS bundle has no import.meta.url.
  const require = createRequire(typeof __filename === 'string' ? __filename : import.meta.url);
  restoreUtil(require('node:util') as Record<string, unknown>);
  const { NodeJSKernelBackend } = require(`${PACKAGE}/dist/nodejs_kernel_backend`) as {
    NodeJSKernelBackend: new (binding: Binding, packageName: string) => tf.KernelBackend & NodeBackend;
  };
  const binding = require(bindingPath) as Binding;
  // Electron's allocator ends a process that allocates 2 GiB at once, as a training step may.
  const largeBlocks = join(bindingPath, '../large_blocks.node');
  if ('electron' in process.versions && existsSync(largeBlocks)) require(largeBlocks);
  const backend = new NodeJSKernelBackend(binding, PACKAGE);
  require(`${PACKAGE}/dist/register_all_kernels`);
  tf.registerBackend('tensorflow', () => backend, 3);
  return {
    backend,
    tracer: new Tracer(backend),
    load: (model, rewritten) => loadModel(binding, model, rewritten),
    forgetCompiled: () => cache !== null && emptyFolder(cache),
    countCompiled: () => (cache === null ? null : filesIn(cache).length),
    digest: digestOf,
    collectGarbage: garbageCollector(),
  };
}

const digestOf = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 16);

/** V8's garbage collector, which it only exposes to new contexts. */
function garbageCollector(): () => void {
  let collect: (() => void) | undefined;
  return () => {
    if (!collect) {
      setFlagsFromString('--expose-gc');
      collect = (runInNewContext('globalThis.gc') as typeof collect) ?? (() => undefined);
      setFlagsFromString('--no-expose-gc');
    }
    collect();
  };
}

/** Restores functions that Node 23 removed and tfjs-node calls. */
function restoreUtil(target: Record<string, unknown>): void {
  target['isNullOrUndefined'] ??= (value: unknown) => value === null || value === undefined;
  target['isArray'] ??= Array.isArray;
  target['isString'] ??= (value: unknown) => typeof value === 'string';
  target['isUndefined'] ??= (value: unknown) => value === undefined;
}

/** Read by scripts/setup/session-options.cc when the binding creates a session. */
const REWRITES = 'VERISIM_REWRITES';

/** Loads a graph from a temporary SavedModel folder, the only form that the binding takes. */
function loadModel(binding: Binding, model: Uint8Array, rewritten: boolean): number {
  const start = join(tmpdir(), 'verisim-graph-');
  const folder = onFile(start, 'temporary', () => mkdtempSync(start));
  try {
    const file = join(folder, 'saved_model.pb');
    onFile(file, 'temporary', () => writeFileSync(file, model));
    if (!rewritten) process.env[REWRITES] = 'off';
    return binding.loadSavedModel(folder, 'serve');
  } finally {
    Reflect.deleteProperty(process.env, REWRITES);
    rmSync(folder, { recursive: true, force: true });
  }
}
