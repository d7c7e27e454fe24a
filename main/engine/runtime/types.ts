/**
 * The runtime as the engine sees it. A session owns variables and compiles functions over them. With TensorFlow a
 * compiled function is traced once per input shape into one graph that runs in a TensorFlow session, where the
 * variables live too; without it the same function runs eagerly. The engine cannot tell the difference.
 */
import type { Variable } from '@tensorflow/tfjs';
import type { Message } from '../../../shared/messages/message.js';
import type { MachinePrecision, Precision } from '../../../shared/costs/precision.js';
import type { TensorTree } from './tree.js';

export type { Precision };

export interface Runtime {
  /** `tensorflow`: the native library. `javascript`: tfjs's own CPU backend, slow, for the smallest presets. */
  readonly kind: 'tensorflow' | 'javascript';
  readonly version: string;
  readonly device: 'cpu' | 'cuda';
  /** What was asked for of training's matrix products. `auto` only where there is bfloat16 to choose. */
  readonly precision: MachinePrecision;
  /** Why this is the fallback, and the command that fixes it. */
  readonly notice: Message | null;
  createSession(options?: SessionOptions): Session;
}

export interface SessionOptions {
  /** False: run every function eagerly, operation by operation; for comparing and debugging. Default: true. */
  readonly compiled?: boolean;
  /**
   * Called before work that takes a moment and happens once per function and shape: `trace` (milliseconds), `load`
   * (a new graph) and `compile` (the first run, in which XLA compiles: seconds); and after that run `compiled`, unless
   * it found everything compiled, or XLA has no part in it.
   * @param operations of `compile` and `compiled`: how large the function is, for how long it will take
   */
  readonly onPhase?: (
    phase: 'trace' | 'load' | 'compile' | 'compiled',
    functionName: string,
    operations?: number,
  ) => void;
}

export type VariableType = 'float32' | 'int32' | 'bfloat16';

export interface CompileOptions {
  /** For error messages, profiles and the graph. */
  readonly name: string;
  /** Compile with XLA. Left out: what measured fastest for this kind of function. */
  readonly xla?: boolean;
  /** Of matrix products, in compiled graphs. Default: f32. */
  readonly precision?: Precision;
  /** At most how many calls `together` makes at once. Default: 1. */
  readonly copies?: number;
}

/** A compiled function. Arguments and results are trees of ordinary tensors, the caller's to dispose. */
export interface Compiled<A extends readonly TensorTree[], R extends TensorTree> {
  (...args: A): R;
  /**
   * Several calls at once, each on a thread of its own, for arguments of the same shapes; results in that order. What
   * XLA makes of small matrices keeps one thread busy, not all of them. Only for functions that assign to no variable.
   */
  together(calls: readonly A[]): R[];
}

/** Numbers, or what has them when it is asked: of a large model, a file. */
export type Values = Float32Array | Int32Array | { readonly data: Float32Array | Int32Array };

/** Variables and the functions compiled over them. Everything in a session is freed by `dispose`. */
export interface Session {
  /**
   * A new variable, owned by this session. Use it in compiled functions like any tensor, and `assign` to it there.
   * @param name need not be unique; gradients of `tf.variableGrads` are named by it
   * @param values in row-major order; zeros when left out. They are not asked for, nor copied, before the first run that reads
   *   them: the caller leaves them as they are
   * @param dtype `bfloat16`: float32 numbers, rounded to bfloat16 and kept so, in half the memory; a product in bfloat16 takes
   *   them as they are. Nothing can be assigned to it inside a compiled function
   */
  variable(name: string, shape: readonly number[], values?: Values, dtype?: VariableType): Variable;
  /**
   * Compiles `fn`. It may use tensors passed to it, variables of this session and constants; it must not read values
   * (`dataSync`) and must not depend on anything else that changes. Arguments and results are trees of ordinary tensors:
   * the caller disposes both. Temporary tensors inside `fn` are tidied.
   * @throws Error when called, if `fn` cannot be compiled; it names the operation and the line
   */
  compile<A extends readonly TensorTree[], const R extends TensorTree>(
    fn: (...args: A) => R,
    options: CompileOptions,
  ): Compiled<A, R>;
  /** The current values of a variable, in row-major order. */
  read(variable: Variable): Float32Array | Int32Array;
  /** The current values of several variables, in one go. */
  readAll(variables: readonly Variable[]): readonly (Float32Array | Int32Array)[];
  /** New values of a variable, which the caller leaves as they are. */
  write(variable: Variable, values: Float32Array | Int32Array): void;
  dispose(): void;
}
