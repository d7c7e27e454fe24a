/**
 * Loads what the engine computes with: TensorFlow through tfjs-node's binding, or tfjs's own CPU backend where there is
 * none. The only file of the engine that touches Node: environment variables that TensorFlow reads when it is loaded,
 * `require` for CommonJS, and the temporary folder through which the binding takes graphs.
 */
import { localized, verbatim } from '../../../shared/messages/message.js';
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
import { useFasterKernels } from './javascript-kernels.js';
import { multipliesBfloat16, processorAbilities } from './processor.js';
import type { Binding, NodeBackend } from './tensorflow.js';
import { TracedSession, type GraphHost } from './traced-session.js';
import { Tracer } from './tracer.js';
import type { Precision, Runtime } from './types.js';

interface RuntimeOptions {
  /** The compiled binding (`tfjs_binding.node`); null where TensorFlow is not installed. */
  readonly bindingPath: string | null;
  /** Said to the person when the fallback is used. */
  readonly notice?: string | null;
  /** How many threads TensorFlow may use; null for one per core. Only the first load in a process can choose. */
  readonly threads?: number | null;
  /** `cuda` fails where there is none; `auto` takes it where it is. */
  readonly device?: 'auto' | 'cpu' | 'cuda';
  /**
   * Of training's matrix products; `auto` leaves the choice to the engine where there is one. Default: f32, and then
   * nothing loaded later in this process has bfloat16.
   */
  readonly precision?: Precision | 'auto';
  /**
   * A folder for what XLA has compiled, so that the next process need not: seconds for each function. Left out: every
   * process compiles for itself. It may be removed at any time.
   */
  readonly compileCache?: string | null;
}

const PACKAGE = '@tensorflow/tfjs-node-gpu';

/** One process loads TensorFlow once. */
let loaded: { readonly bindingPath: string; readonly host: GraphHost; readonly hasBfloat16: boolean } | null = null;

/**
 * Loads TensorFlow from `bindingPath`, or falls back to JavaScript with a notice that says why.
 * @throws UserError `runtime_missing` when CUDA was asked for and there is none
 */
export async function loadRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { bindingPath, device = 'auto' } = options;
  if (bindingPath === null) return javascriptRuntime(options, null);
  if (loaded && loaded.bindingPath !== bindingPath) throw new Error(`TensorFlow is loaded from ${loaded.bindingPath}`);
  if (!loaded) {
    const cache = options.compileCache ? cacheFolder(options.compileCache, bindingPath) : null;
    setEnvironment(options, cache);
    try {
      const host = loadTensorFlow(bindingPath, cache);
      const hasBfloat16 = host.backend.binding.isUsingGpuDevice() || (usesOneDnn() && multipliesBfloat16());
      loaded = { bindingPath, host, hasBfloat16 };
    } catch (error) {
      return javascriptRuntime(options, error);
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

async function javascriptRuntime({ notice, device, precision }: RuntimeOptions, cause: unknown): Promise<Runtime> {
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
  await tf.setBackend('cpu');
  useFasterKernels();
  // tfjs advertises its Node package at the first tensor; the person is told below what to do.
  Object.assign(tf.backend(), { firstUse: false });
  const error = cause instanceof Error ? cause.message.split('\n')[0] : null;
  const code = cause === null ? 'runtime.not_installed' : 'runtime.does_not_load';
  return {
    kind: 'javascript',
    version: tf.version.tfjs,
    device: 'cpu',
    precision: checkedPrecision(precision ?? 'f32', false),
    notice: notice ? verbatim(notice) : localized(code, { error }),
    createSession: () => new EagerSession(),
  };
}

function checkedPrecision(asked: Precision | 'auto', hasBfloat16: boolean): Precision | 'auto' {
  if (hasBfloat16 || asked === 'f32') return asked;
  if (asked === 'auto') return 'f32';
  throw new UserError({
    code: 'runtime_missing',
    message: localized('runtime.there_no_bfloat16_here_processor'),
    hint: localized('runtime.leave_precision_out_choose_precision'),
    field: 'precision',
  });
}

/** TensorFlow reads these once, when its library is loaded. What the person has set stays. */
function setEnvironment({ threads, device, precision = 'f32' }: RuntimeOptions, cache: string | null): void {
  const defaults: Record<string, string> = {
    // Failures come back as exceptions; what TensorFlow would print besides, errors for each compiled function that it
    // finds on the disk among them, is not for the person.
    TF_CPP_MIN_LOG_LEVEL: '3',
    // Keeps freed memory for the next step. Without it every XLA step gets its buffers from the kernel anew: a quarter
    // of the time of a small train step went into page faults.
    TF_CPU_ALLOCATOR_USE_BFC: 'true',
    // Take GPU memory as it is needed, not all of it at once.
    TF_FORCE_GPU_ALLOW_GROWTH: 'true',
  };
  // Its library for bfloat16: in f32 XLA does without it.
  if (precision === 'f32') defaults['TF_ENABLE_ONEDNN_OPTS'] = '0';
  if (threads) defaults['TF_NUM_INTRAOP_THREADS'] = String(threads);
  if (device === 'cpu') defaults['CUDA_VISIBLE_DEVICES'] = '-1';
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value;
  if (cache) process.env['TF_XLA_FLAGS'] = withCacheFolder(process.env['TF_XLA_FLAGS'], cache);
}

const CACHE_FLAG = '--tf_xla_persistent_cache_directory=';

/** XLA's flags as a person has them, with the folder of what is compiled unless they name one. */
const withCacheFolder = (flags = '', folder: string): string =>
  flags.includes(CACHE_FLAG) ? flags : `${flags} ${CACHE_FLAG}${folder}`.trimStart();

const usesOneDnn = (): boolean => !['0', 'false'].includes(process.env['TF_ENABLE_ONEDNN_OPTS'] ?? '');

/** What is kept of compiled functions, those first that were used last: a large model's would push out all others'. */
const MAX_CACHE = 256 * 2 ** 20;

/**
 * Compiled functions are machine code: another processor or another library must not find them. Null where the folder
 * cannot be written: TensorFlow would fail.
 */
function cacheFolder(compileCache: string, bindingPath: string): string | null {
  // Two processors may have one name, above all in virtual machines, and not the same instructions.
  const about = [bindingPath, arch(), cpus()[0]?.model, processorAbilities()];
  // What was compiled otherwise, by the tests, is not for people: XLA's own names leave its flags out.
  const flags = process.env['XLA_FLAGS'];
  if (flags) about.push(flags);
  const machine = createHash('sha256').update(about.join('\0')).digest('hex');
  const folder = join(compileCache, machine.slice(0, 16));
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    removeOldest(folder, MAX_CACHE);
    return folder;
  } catch {
    return null;
  }
}

/** Paths of what is in a folder; nothing where somebody has removed it. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function removeOldest(folder: string, most: number): void {
  const files = filesIn(folder).flatMap((path) => {
    // Another process may remove it now.
    const stats = statSync(path, { throwIfNoEntry: false });
    // Where the system does not note when a file is read, the later is when it was written.
    return stats ? [{ path, size: stats.size, used: Math.max(stats.atimeMs, stats.mtimeMs) }] : [];
  });
  let kept = 0;
  for (const { path, size } of files.sort((a, b) => b.used - a.used)) {
    kept += size;
    if (kept > most) rmSync(path, { force: true });
  }
}

function emptyFolder(folder: string): boolean {
  const files = filesIn(folder);
  for (const file of files) rmSync(file, { force: true });
  return files.length > 0;
}

function loadTensorFlow(bindingPath: string, cache: string | null): GraphHost {
  // Bundled to CommonJS there is __filename and no import.meta.url.
  const require = createRequire(typeof __filename === 'string' ? __filename : import.meta.url);
  restoreUtil(require('node:util') as Record<string, unknown>);
  const { NodeJSKernelBackend } = require(`${PACKAGE}/dist/nodejs_kernel_backend`) as {
    NodeJSKernelBackend: new (binding: Binding, packageName: string) => tf.KernelBackend & NodeBackend;
  };
  const binding = require(bindingPath) as Binding;
  // Electron's allocator ends a process that asks for 2 GiB in one piece, as a step of training may.
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
    digest: (content) => createHash('sha256').update(content).digest('hex').slice(0, 16),
    collectGarbage: garbageCollector(),
  };
}

/** V8's own, which it gives to a context that is made once it was told to; nothing where it does not. */
function garbageCollector(): () => void {
  let collect: (() => void) | null = null;
  return () => {
    if (collect === null) {
      setFlagsFromString('--expose-gc');
      const found: unknown = runInNewContext('globalThis.gc');
      collect = typeof found === 'function' ? (found as () => void) : () => undefined;
      setFlagsFromString('--no-expose-gc');
    }
    collect();
  };
}

/** Node 23 removed these, and tfjs-node (whose fix was never released) calls them. */
function restoreUtil(target: Record<string, unknown>): void {
  target['isNullOrUndefined'] ??= (value: unknown) => value === null || value === undefined;
  target['isArray'] ??= Array.isArray;
  target['isString'] ??= (value: unknown) => typeof value === 'string';
  target['isUndefined'] ??= (value: unknown) => value === undefined;
}

/** Read by scripts/setup/session-options.cc when the binding makes a session. */
const REWRITES = 'VERISIM_REWRITES';

/** The binding takes graphs as SavedModel folders only. */
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
