/**
 * tfjs variables that belong to one session. tfjs wants names to be unique in the whole process; sessions each have
 * names of their own, so their variables are taken out of tfjs's register again.
 */
import * as tf from '@tensorflow/tfjs';
import type { Tensor, Variable } from '@tensorflow/tfjs';
import { sizeOf, type Shape } from './tensorflow.js';

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

/** `values` themselves, checked against shape and type; zeros where there are none. */
export function takeValues(
  name: string,
  shape: Shape,
  dtype: 'float32' | 'int32',
  values: Float32Array | Int32Array | undefined,
): Float32Array | Int32Array {
  const size = sizeOf(shape);
  if (!values) return dtype === 'int32' ? new Int32Array(size) : new Float32Array(size);
  if (values.length !== size) {
    throw new Error(`variable ${name} has ${size} elements [${shape.join()}], got ${values.length} values`);
  }
  if (values instanceof Int32Array !== (dtype === 'int32')) throw new Error(`variable ${name} holds ${dtype}`);
  return values;
}
