/**
 * How fast matrix products are on this machine: what everything else is held against. Measured for a moment; for the
 * share of it that training reaches, measured once and kept.
 */
import * as tf from '@tensorflow/tfjs';
import type { Precision, Runtime } from '../../engine/runtime/types.js';
import { keptFigures, machineKey } from './figures.js';

/** The best of this many products counts: the others were disturbed. */
const REPEATS = 9;
/** Large enough for the processor to reach its best, and still only some milliseconds. */
const SIZE = 1024;

/** Billions of multiplications and additions a second in an n × n × n matrix product, the best of several. */
export async function measureMatrixProduct(
  runtime: Runtime,
  n: number,
  { yieldToEventLoop, precision = 'f32' }: { yieldToEventLoop(): Promise<void>; readonly precision?: Precision },
): Promise<number> {
  const session = runtime.createSession();
  try {
    // Values of order one: products of zeros or denormals can take another path.
    const values = Float32Array.from({ length: n * n }, (_, index) => ((index * 2654435761) % 1000) / 1000 - 0.5);
    const left = session.variable('left', [n, n], values);
    const right = session.variable('right', [n, n], values);
    // Only one number comes back, so that copying the product does not count.
    const product = session.compile(() => tf.sum(tf.matMul(left as tf.Tensor2D, right as tf.Tensor2D)), {
      name: 'matrix_product',
      precision,
    });
    let best = Infinity;
    for (let repeat = 0; repeat <= REPEATS; repeat++) {
      const start = performance.now();
      const sum = product();
      sum.dataSync();
      const seconds = (performance.now() - start) / 1000;
      tf.dispose(sum);
      // The first one also compiles.
      if (repeat > 0) best = Math.min(best, seconds);
      await yieldToEventLoop();
    }
    return (2 * n ** 3) / best / 1e9;
  } finally {
    session.dispose();
  }
}

/**
 * Operations a second of the best matrix product, by precision; empty where TensorFlow is not there, for nothing is
 * known then.
 * @param file where it is kept from one run to the next
 */
export async function matrixPeaks(
  runtime: Runtime,
  threads: number | null,
  file?: string,
): Promise<Readonly<Partial<Record<Precision, number>>>> {
  if (runtime.kind !== 'tensorflow') return {};
  const kept = keptFigures('matrix-product.json', file);
  const peaks: Partial<Record<Precision, number>> = {};
  for (const precision of runtime.precision === 'f32' ? (['f32'] as const) : (['f32', 'bf16'] as const)) {
    const key = `${machineKey(runtime, threads)}, ${precision}`;
    const known = kept.get(key);
    const gflops = known ?? (await measureMatrixProduct(runtime, SIZE, { yieldToEventLoop: moment, precision }));
    if (!(gflops > 0 && Number.isFinite(gflops))) continue;
    peaks[precision] = gflops * 1e9;
    if (known === undefined) kept.set(key, gflops);
  }
  return peaks;
}

/** A train step is not all matrix products: from this ratio of their speeds on, bfloat16 makes it faster for sure. */
const FASTER_BY = 1.4;

/** Whether this machine multiplies bfloat16 so much faster that `--precision auto` may choose it; measured once. */
export async function bfloat16Pays(runtime: Runtime, threads: number | null, file?: string): Promise<boolean> {
  const { f32, bf16 } = await matrixPeaks(runtime, threads, file);
  return f32 !== undefined && bf16 !== undefined && bf16 >= FASTER_BY * f32;
}

const moment = () => new Promise<void>((resolve) => setImmediate(resolve));
