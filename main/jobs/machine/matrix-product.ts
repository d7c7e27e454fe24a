/**
 * How fast matrix products are on this machine: what everything else is held against. Measured for a moment, and the best
 * ever seen is kept: a moment in which other programs compute says little of the machine.
 */
import * as tf from '@tensorflow/tfjs';
import type { Precision, Runtime } from '../../engine/runtime/types.js';
import { keptFigures, machineKey } from './figures.js';

/** The best of this many products counts: the others were disturbed. */
const REPEATS = 9;
/** Large enough for the processor to reach its best, and still only some milliseconds; without TensorFlow, as long. */
const SIZES = { tensorflow: 1024, javascript: 96 } as const;

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

/** Operations a second, by precision. */
export type MatrixPeaks = Readonly<Partial<Record<Precision, number>>>;

/**
 * The best matrix products ever seen here; measured where none was. Empty where TensorFlow is not there, for nothing is
 * known then.
 * @param file where they are kept, in place of the cache folder's
 */
export async function matrixPeaks(runtime: Runtime, threads: number | null, file?: string): Promise<MatrixPeaks> {
  return runtime.kind === 'tensorflow' ? bestPeaks(runtime, threads, { isMeasuredAgain: false, file }) : {};
}

/** The same, measured now: what is better than ever before is kept. Without TensorFlow, what JavaScript does. */
export const measurePeaks = (runtime: Runtime, threads: number | null, file?: string): Promise<MatrixPeaks> =>
  bestPeaks(runtime, threads, { isMeasuredAgain: true, file });

async function bestPeaks(
  runtime: Runtime,
  threads: number | null,
  { isMeasuredAgain, file }: { readonly isMeasuredAgain: boolean; readonly file: string | undefined },
): Promise<MatrixPeaks> {
  const kept = keptFigures('matrix-product.json', file);
  const peaks: Partial<Record<Precision, number>> = {};
  for (const precision of runtime.precision === 'f32' ? (['f32'] as const) : (['f32', 'bf16'] as const)) {
    const key = `${machineKey(runtime, threads)}, ${precision}`;
    const before = runtime.kind === 'tensorflow' ? kept.get(key) : undefined;
    const now =
      before === undefined || isMeasuredAgain
        ? await measureMatrixProduct(runtime, SIZES[runtime.kind], { yieldToEventLoop: moment, precision })
        : 0;
    const best = Math.max(before ?? 0, now);
    if (!(best > 0 && Number.isFinite(best))) continue;
    peaks[precision] = best * 1e9;
    if (runtime.kind === 'tensorflow' && best !== before) kept.set(key, best);
  }
  return peaks;
}

/** A train step is not all matrix products: from this ratio of their speeds on, bfloat16 makes it faster for sure. */
const FASTER_BY = 1.4;

/** Whether this machine multiplies bfloat16 so much faster that `--precision auto` may choose it. */
export async function bfloat16Pays(runtime: Runtime, threads: number | null, file?: string): Promise<boolean> {
  const { f32, bf16 } = await matrixPeaks(runtime, threads, file);
  return f32 !== undefined && bf16 !== undefined && bf16 >= FASTER_BY * f32;
}

const moment = () => new Promise<void>((resolve) => setImmediate(resolve));
