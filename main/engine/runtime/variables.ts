/** tfjs variables of one session, removed from tfjs's register, which requires names to be unique in the process. */
import * as tf from '@tensorflow/tfjs';
import type { Tensor, Variable } from '@tensorflow/tfjs';
import { sizeOf, type Shape } from './tensorflow.js';
import type { Values, VariableType } from './types.js';

/** Creates a variable that tfjs does not list: pass it to `tf.variableGrads`. */
export function ownVariable(initial: Tensor, name: string): Variable {
  const { registeredVariables } = tf.engine() as unknown as { registeredVariables: Record<string, Variable> };
  const other = registeredVariables[name];
  Reflect.deleteProperty(registeredVariables, name);
  const variable = tf.variable(initial, true, name);
  Reflect.deleteProperty(registeredVariables, name);
  if (other) registeredVariables[name] = other;
  return variable;
}

/** Checks the number of values; zeros if there are none. */
export function takeValues(name: string, shape: Shape, given: Values | undefined): Float32Array {
  const size = sizeOf(shape);
  if (!given) return new Float32Array(size);
  const values = 'data' in given ? given.data : given;
  if (values.length !== size) {
    throw new Error(`variable ${name} has ${size} elements [${shape.join()}], got ${values.length} values`);
  }
  return values;
}

/** Rounds to bfloat16, the upper 16 bits of a float32; ties to even. */
function roundedToBfloat16(values: Float32Array): Float32Array {
  const rounded = values.slice();
  const bits = new Uint32Array(rounded.buffer);
  for (let i = 0; i < bits.length; i++) {
    const own = bits[i] ?? 0;
    if (Number.isNaN(rounded[i])) continue;
    bits[i] = (own + 0x7fff + ((own >>> 16) & 1)) & 0xffff0000;
  }
  return rounded;
}

/** Copies values as a variable of that type stores them. */
export const copyAs = (values: Float32Array, dtype: VariableType): Float32Array =>
  dtype === 'bfloat16' ? roundedToBfloat16(values) : values.slice();
