/**
 * tfjs variables that belong to one session. tfjs wants names to be unique in the whole process; sessions each have
 * names of their own, so their variables are taken out of tfjs's register again.
 */
import * as tf from '@tensorflow/tfjs';
import type { Tensor, Variable } from '@tensorflow/tfjs';
import { sizeOf, type Shape } from './tensorflow.js';
import type { Values, VariableType } from './types.js';

/** A variable that tfjs does not list: pass it to `tf.variableGrads` by name. */
export function ownVariable(initial: Tensor, name: string): Variable {
  const { registeredVariables } = tf.engine() as unknown as { registeredVariables: Record<string, Variable> };
  const other = registeredVariables[name];
  Reflect.deleteProperty(registeredVariables, name);
  const variable = tf.variable(initial, true, name);
  Reflect.deleteProperty(registeredVariables, name);
  if (other) registeredVariables[name] = other;
  return variable;
}

/** The values given, checked against shape and type; zeros where there are none. */
export function takeValues(
  name: string,
  shape: Shape,
  dtype: VariableType,
  given: Values | undefined,
): Float32Array | Int32Array {
  const size = sizeOf(shape);
  if (!given) return dtype === 'int32' ? new Int32Array(size) : new Float32Array(size);
  const values = 'data' in given ? given.data : given;
  if (values.length !== size) {
    throw new Error(`variable ${name} has ${size} elements [${shape.join()}], got ${values.length} values`);
  }
  if (values instanceof Int32Array !== (dtype === 'int32')) throw new Error(`variable ${name} holds ${dtype}`);
  return values;
}

/** The nearest number of bfloat16, to even where two are as near: the upper 16 bits of a float32. */
function roundedToBfloat16(values: Float32Array): Float32Array {
  const rounded = values.slice();
  const bits = new Uint32Array(rounded.buffer);
  for (let i = 0; i < bits.length; i++) {
    const own = bits[i] ?? 0;
    // What is no number stays none.
    if (Number.isNaN(rounded[i])) continue;
    bits[i] = (own + 0x7fff + ((own >>> 16) & 1)) & 0xffff0000;
  }
  return rounded;
}

/** A copy of values, as a variable of that type keeps them. */
export const keptAs = (values: Float32Array | Int32Array, dtype: VariableType): Float32Array | Int32Array =>
  dtype === 'bfloat16' && values instanceof Float32Array ? roundedToBfloat16(values) : values.slice();
