/** Loads tfjs's WASM backend, which computes when TensorFlow is missing: SIMD on one thread, 4 GiB of memory at most. */
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import process from 'node:process';
import * as tf from '@tensorflow/tfjs';
import { UserError } from '../../../../shared/errors.js';
import { localized } from '../../../../shared/messages/message.js';
import { useFasterKernels, type WasmBackend } from './wasm-kernels.js';

const PACKAGE = '@tensorflow/tfjs-backend-wasm';

let loading: Promise<void> | null = null;

/** Selects the backend. */
export async function selectWasm(): Promise<void> {
  await (loading ??= loadWasm());
  await tf.setBackend('wasm');
}

async function loadWasm(): Promise<void> {
  // A CommonJS bundle has no import.meta.url.
  const require = createRequire(typeof __filename === 'string' ? __filename : import.meta.url);
  const { setWasmPaths } = require(PACKAGE) as { setWasmPaths(folder: string): void };
  setWasmPaths(`${dirname(require.resolve(PACKAGE))}/`);
  const removeNew = ['uncaughtException', 'unhandledRejection'].map((event) => removerOfNew(process, event));
  if (!(await tf.setBackend('wasm'))) throw new Error('WebAssembly does not start');
  // Emscripten's listeners would end the process instead of ours.
  for (const remove of removeNew) remove();
  const backend = tf.backend() as unknown as WasmBackend;
  useFasterKernels(backend);
  failWithoutMemory(backend);
}

/** Returns a function that removes the listeners added since. */
function removerOfNew(emitter: EventEmitter, event: string): () => void {
  const before = emitter.listeners(event);
  return () => {
    for (const listener of emitter.listeners(event) as (() => void)[])
      if (!before.includes(listener)) emitter.off(event, listener);
  };
}

/** Raises an error instead of writing where there is no memory. */
function failWithoutMemory({ wasm }: WasmBackend): void {
  // Emscripten's function replaces itself in its first call.
  wasm._malloc(0);
  const allocate = wasm._malloc;
  wasm._malloc = (bytes) => {
    const address = allocate(bytes) >>> 0;
    // Near its end the heap may also give an address that wraps around.
    if (bytes === 0 || (address !== 0 && address + bytes <= wasm.HEAPU8.length)) return address;
    throw new UserError({
      code: 'out_of_memory',
      message: localized('runtime.wasm_is_full'),
      hint: localized('runtime.set_up_tensorflow_or_smaller'),
    });
  };
}
