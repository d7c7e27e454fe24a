/**
 * A session without a graph: variables are tfjs's own, a compiled function is the function, tidied. It runs on every
 * backend, and it is what the compiled session is tested against.
 */
import * as tf from '@tensorflow/tfjs';
import type { Tensor, Variable } from '@tensorflow/tfjs';
import type { CompileOptions, Compiled, Session, Values, VariableType } from './types.js';
import { flatten, type TensorTree } from './tree.js';
import { keptAs, ownVariable, takeValues } from './variables.js';

export class EagerSession implements Session {
  private readonly variables: Variable[] = [];
  private readonly narrow = new WeakSet<Variable>();

  variable(name: string, shape: readonly number[], values?: Values, dtype: VariableType = 'float32'): Variable {
    const given = takeValues(name, shape, dtype, values);
    const initial = tf.tensor(keptAs(given, dtype), [...shape], dtype === 'int32' ? 'int32' : 'float32');
    const variable = ownVariable(initial, name);
    initial.dispose();
    if (dtype === 'bfloat16') this.narrow.add(variable);
    this.variables.push(variable);
    return variable;
  }

  compile<A extends readonly TensorTree[], const R extends TensorTree>(
    fn: (...args: A) => R,
    _options: CompileOptions,
  ): Compiled<A, R> {
    const run = (...args: A): R => {
      let rebuild = (_: readonly Tensor[]): R => fn(...args);
      // Clones, because what comes back may be an argument or a variable, which the caller does not dispose twice.
      const leaves = tf.tidy(() => {
        const result = flatten(fn(...args));
        rebuild = result.rebuild;
        return result.leaves.map((leaf) => leaf.clone());
      });
      return rebuild(leaves);
    };
    return Object.assign(run, { together: (calls: readonly A[]) => calls.map((args) => run(...args)) });
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
      const given = takeValues(variable.name, variable.shape, dtype, values);
      variable.assign(tf.tensor(keptAs(given, this.narrow.has(variable) ? 'bfloat16' : dtype), variable.shape, dtype));
    });
  }

  dispose(): void {
    for (const variable of this.variables) variable.dispose();
    this.variables.length = 0;
  }
}
