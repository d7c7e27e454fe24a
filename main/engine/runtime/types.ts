/**
 * A session owns variables and compiles functions over them. With TensorFlow a function is traced once per combination of shapes
 * into a graph, with variables inside TensorFlow; without it the same function runs eagerly.
 */
import type { Variable } from '@tensorflow/tfjs';
import type { Message } from '../../../shared/messages/message.js';
import type { MachinePrecision, Precision } from '../../../shared/costs/precision.js';
import type { TensorTree } from './tree.js';

export type { Precision };

export interface Runtime {
  /** TensorFlow's native library, tfjs's WebGPU backend, or its WASM backend, which is slower. */
  readonly kind: 'tensorflow' | 'wasm' | 'webgpu';
  readonly version: string;
  readonly device: 'cpu' | 'cuda' | 'webgpu';
  /** The requested precision of training's matrix products; `auto` only if there is bfloat16. */
  readonly precision: MachinePrecision;
  /** Why this is the fallback, and the command that fixes it. */
  readonly notice: Message | null;
  /** The graphics card of WebGPU. */
  readonly card?: { readonly name: string; readonly isSoftware: boolean };
  createSession(options?: SessionOptions): Session;
}

export interface SessionOptions {
  /** False runs functions eagerly, for comparison. Default: true. */
  readonly compiled?: boolean;
  /**
   * Called once per function and combination of shapes, before its first run, in which XLA compiles (`compile`), and after it,
   * unless the function was cached or does not use XLA (`compiled`).
   * @param operations the size of the function that is compiled, to estimate the time
   */
  readonly onPhase?: (phase: 'compile' | 'compiled', functionName: string, operations: number) => void;
}

export type VariableType = 'float32' | 'bfloat16';

export interface CompileOptions {
  /** For errors, profiles and the graph. */
  readonly name: string;
  /** Whether XLA compiles the function. Default: whichever measured faster. */
  readonly xla?: boolean;
  /** Of matrix products in graphs. Default: f32. */
  readonly precision?: Precision;
  /** The most concurrent calls of `together`. Default: 1. */
  readonly copies?: number;
}

/** A compiled function. The caller disposes arguments and results. */
export interface Compiled<A extends readonly TensorTree[], R extends TensorTree> {
  (...args: A): R;
  /**
   * Makes concurrent calls with arguments of the same shapes, each on its own thread, since XLA computes small products on one
   * thread. For functions that assign to no variable.
   */
  together(calls: readonly A[]): R[];
}

/** Numbers, or an object that reads them on demand, such as from a file. */
export type Values = Float32Array | { readonly data: Float32Array };

/** Variables and the functions compiled over them. `dispose` frees both. */
export interface Session {
  /**
   * Creates a variable. Compiled functions use it like a tensor, and may `assign` to it.
   * @param name need not be unique; gradients of `tf.variableGrads` are named by it
   * @param values in row-major order, zeros if absent. They are read and copied when a function first runs that reads the
   *   variable, so the caller must not change them
   * @param dtype `bfloat16` stores rounded numbers in half the memory, which bfloat16 products take directly; it is constant
   */
  variable(name: string, shape: readonly number[], values?: Values, dtype?: VariableType): Variable;
  /**
   * Compiles `fn`, whose arguments and results are trees of tensors. It may use its arguments, variables of this session and
   * constants; it must not read values (`dataSync`) or depend on anything else that changes. Temporary tensors are tidied.
   * @throws Error with the operation and the line when a function is called that cannot be compiled
   */
  compile<A extends readonly TensorTree[], const R extends TensorTree>(
    fn: (...args: A) => R,
    options: CompileOptions,
  ): Compiled<A, R>;
  /** Copies the values of variables, by default all, from the device, after which they can be read. Needed on WebGPU only. */
  download(variables?: readonly Variable[]): Promise<void>;
  /** Values in row-major order. */
  read(variable: Variable): Float32Array;
  readAll(variables: readonly Variable[]): readonly Float32Array[];
  /** @param values must not be changed afterwards */
  write(variable: Variable, values: Float32Array): void;
  dispose(): void;
}
