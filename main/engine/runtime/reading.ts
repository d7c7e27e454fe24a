/** Reads tensors. WebGPU has no synchronous reads, so the engine awaits values wherever it needs them in JavaScript. */
import * as tf from '@tensorflow/tfjs';
import type { Tensor } from '@tensorflow/tfjs';

/** A backend that may fail while it computes. */
export interface FallibleBackend {
  /** Throws what went wrong on the device since the last call, in words for users. */
  check?: (cause?: unknown) => void;
}

/** Returns the values of a tensor in row-major order. The caller disposes of it. @throws UserError if the device failed */
export async function valuesOf<D extends 'float32' | 'int32' | 'bool' = 'float32'>(
  x: Tensor,
): Promise<tf.DataTypeMap[D]> {
  const backend = tf.backend() as FallibleBackend;
  try {
    const values = await x.data<D>();
    backend.check?.();
    return values;
  } catch (error) {
    backend.check?.(error);
    throw error;
  }
}

/** Returns the value of a scalar, and disposes of it. */
export async function takeNumber(x: Tensor): Promise<number> {
  const [value = NaN] = await valuesOf(x);
  x.dispose();
  return value;
}
