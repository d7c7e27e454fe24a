/**
 * A session without a graph: variables are tfjs's own, a compiled function is the function, tidied. It runs on every
 * backend, and it is what the compiled session is tested against.
 */
import * as tf from '@tensorflow/tfjs';
import type { Tensor, Variable } from '@tensorflow/tfjs';
import type { CompileOptions, Compiled, Session } from './types.js';
import { ownVariable, takeValues } from './variables.js';

export class EagerSession implements Session {
  private readonly variables: Variable[] = [];

  variable(
    name: string,
    shape: readonly number[],
    values?: Float32Array | Int32Array,
    dtype: 'float32' | 'int32' = 'float32',
  ): Variable {
    const initial = tf.tensor(takeValues(name, shape, dtype, values), [...shape], dtype);
    const variable = ownVariable(initial, name);
    initial.dispose();
    this.variables.push(variable);
    return variable;
  }

  compile<A extends readonly Tensor[], R extends readonly Tensor[]>(
    fn: (...args: A) => readonly [...R],
    _options: CompileOptions,
  ): Compiled<A, R> {
    // Clones, because what comes back may be an argument or a variable, which the caller does not dispose twice.
    const run = (...args: A): readonly [...R] =>
      tf.tidy(() => fn(...args).map((result) => result.clone())) as unknown as readonly [...R];
    return Object.assign(run, {
      prepare: () => undefined,
      together: (calls: readonly A[]) => calls.map((args) => run(...args)),
    });
  }

  read(variable: Variable): Float32Array | Int32Array {
    return variable.dataSync().slice() as Float32Array | Int32Array;
  }

  readAll(variables: readonly Variable[]): readonly (Float32Array | Int32Array)[] {
    return variables.map((variable) => this.read(variable));
  }

  write(variable: Variable, values: Float32Array | Int32Array): void {
    const dtype = variable.dtype === 'int32' ? 'int32' : 'float32';
    tf.tidy(() => {
      variable.assign(tf.tensor(takeValues(variable.name, variable.shape, dtype, values), variable.shape, dtype));
    });
  }

  dispose(): void {
    for (const variable of this.variables) variable.dispose();
    this.variables.length = 0;
  }
}
