/** A session without graphs for any backend: a compiled function is the tidied function. Compiled sessions are tested against it. */
import * as tf from '@tensorflow/tfjs';
import type { Tensor, Variable } from '@tensorflow/tfjs';
import type { CompileOptions, Compiled, Session, Values, VariableType } from './types.js';
import { valuesOf } from './reading.js';
import { inTransfers } from './tensorflow.js';
import { flatten, type TensorTree } from './tree.js';
import { copyAs, ownVariable, takeValues } from './variables.js';

export class EagerSession implements Session {
  private readonly variables: Variable[] = [];
  private readonly narrow = new WeakSet<Variable>();

  variable(name: string, shape: readonly number[], values?: Values, dtype: VariableType = 'float32'): Variable {
    const initial = tf.tensor(copyAs(takeValues(name, shape, values), dtype), [...shape]);
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
      // Cloned, since a result may be an argument or a variable.
      const leaves = tf.tidy(() => {
        const result = flatten(fn(...args));
        rebuild = result.rebuild;
        return result.leaves.map((leaf) => leaf.clone());
      });
      return rebuild(leaves);
    };
    return Object.assign(run, { together: (calls: readonly A[]) => calls.map((args) => run(...args)) });
  }

  async download(variables: readonly Variable[] = this.variables): Promise<void> {
    if (tf.getBackend() !== 'webgpu') return;
    // Reads at once wait for the device once.
    for (const part of inTransfers(variables, ({ size }) => size))
      await Promise.all(part.map((variable) => valuesOf(variable)));
  }

  read(variable: Variable): Float32Array {
    return variable.dataSync<'float32'>().slice();
  }

  readAll(variables: readonly Variable[]): readonly Float32Array[] {
    return variables.map((variable) => this.read(variable));
  }

  write(variable: Variable, values: Float32Array): void {
    tf.tidy(() => {
      const given = takeValues(variable.name, variable.shape, values);
      variable.assign(tf.tensor(copyAs(given, this.narrow.has(variable) ? 'bfloat16' : 'float32'), variable.shape));
    });
  }

  dispose(): void {
    for (const variable of this.variables) variable.dispose();
    this.variables.length = 0;
  }
}
