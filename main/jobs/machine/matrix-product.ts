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

/**
 * Billions of multiplications and additions a second in an n × n × n matrix product, the best of several, by precision. They
 * take turns, so that a busy moment is every precision's.
 */
export async function measureMatrixProducts<P extends Precision>(
  runtime: Runtime,
  n: number,
  { yieldToEventLoop, precisions }: { yieldToEventLoop(): Promise<void>; readonly precisions: readonly P[] },
): Promise<Readonly<Record<P, number>>> {
  const session = runtime.createSession();
  try {
    // Values of order one: products of zeros or denormals can take another path.
    const values = Float32Array.from({ length: n * n }, (_, index) => ((index * 2654435761) % 1000) / 1000 - 0.5);
    const left = session.variable('left', [n, n], values);
    const right = session.variable('right', [n, n], values);
    const contenders = precisions.map((precision) => ({
      precision,
      best: Infinity,
      // Only one number comes back, so that copying the product does not count.
      product: session.compile(() => tf.sum(tf.matMul(left as tf.Tensor2D, right as tf.Tensor2D)), {
        name: 'matrix_product',
        precision,
      }),
    }));
    for (let repeat = 0; repeat <= REPEATS; repeat++) {
      for (const contender of contenders) {
        const start = performance.now();
        const sum = contender.product();
        sum.dataSync();
        const seconds = (performance.now() - start) / 1000;
        tf.dispose(sum);
        // The first one also compiles.
        if (repeat > 0) contender.best = Math.min(contender.best, seconds);
        await yieldToEventLoop();
      }
    }
    const speeds = contenders.map(({ precision, best }) => [precision, (2 * n ** 3) / best / 1e9]);
    return Object.fromEntries(speeds) as Record<P, number>;
  } finally {
    session.dispose();
  }
}

/** Operations a second, by precision. */
type MatrixPeaks = Readonly<Partial<Record<Precision, number>>>;

/**
 * The best matrix products ever seen here; measured where none was. Empty where TensorFlow is not there, for nothing is
 * known then.
 * @param file where they are kept, in place of the cache folder's
 */
export async function matrixPeaks(runtime: Runtime, threads: number | null, file?: string): Promise<MatrixPeaks> {
  return runtime.kind === 'tensorflow'
    ? peaksOf(await bestFigures(runtime, threads, { isMeasuredAgain: false, file }))
    : {};
}

/** The same, measured now: what is better than ever before is kept. Without TensorFlow, what JavaScript does. */
export const measurePeaks = async (runtime: Runtime, threads: number | null, file?: string): Promise<MatrixPeaks> =>
  peaksOf(await bestFigures(runtime, threads, { isMeasuredAgain: true, file }));

/** A train step is not all matrix products: from this ratio of their speeds on, bfloat16 makes it faster for sure. */
const FASTER_BY = 1.4;

/**
 * Whether this machine multiplies bfloat16 so much faster that `--precision auto` may choose it. By a ratio of one moment: the
 * best of one precision and the best of the other, from moments of their own, may be those of a quiet and of a busy one.
 */
export async function bfloat16Pays(runtime: Runtime, threads: number | null, file?: string): Promise<boolean> {
  const { [RATIO]: ratio = 0 } = await bestFigures(runtime, threads, { isMeasuredAgain: false, file });
  return ratio >= FASTER_BY;
}

/** How many times as fast products of bfloat16 are as those of float32 of the same moment. */
const RATIO = 'bf16_per_f32';

/** Billions of operations a second by precision, and their ratio, where there are two. */
type Figures = Readonly<Partial<Record<Precision | typeof RATIO, number>>>;

/** Float32's best may be of a quieter moment than bfloat16's: by their ratio the one says what the other would have been then. */
function peaksOf({ f32, bf16, [RATIO]: ratio = 0 }: Figures): MatrixPeaks {
  if (f32 === undefined) return {};
  return { f32: f32 * 1e9, ...(bf16 === undefined ? {} : { bf16: Math.max(bf16, ratio * f32) * 1e9 }) };
}

async function bestFigures(
  runtime: Runtime,
  threads: number | null,
  { isMeasuredAgain, file }: { readonly isMeasuredAgain: boolean; readonly file: string | undefined },
): Promise<Figures> {
  const isKept = runtime.kind === 'tensorflow';
  const { get, set } = keptFigures('matrix-product.json', file);
  const precisions = runtime.precision === 'f32' ? (['f32'] as const) : (['f32', 'bf16'] as const);
  const figures = [...precisions, ...(runtime.precision === 'f32' ? [] : ([RATIO] as const))].map((name) => {
    const key = `${machineKey(runtime, threads)}, ${name}`;
    return { name, key, before: isKept ? get(key) : undefined };
  });
  let now: Figures = {};
  if (isMeasuredAgain || figures.some(({ before }) => before === undefined)) {
    const to = { yieldToEventLoop: moment, precisions };
    const measured: Figures = await measureMatrixProducts(runtime, SIZES[runtime.kind], to);
    now = { ...measured, [RATIO]: (measured.bf16 ?? NaN) / (measured.f32 ?? NaN) };
  }
  const known: Record<string, number> = {};
  for (const { name, key, before } of figures) {
    const best = Math.max(before ?? 0, now[name] ?? 0);
    if (!(best > 0 && Number.isFinite(best))) continue;
    known[name] = best;
    if (isKept && best !== before) set(key, best);
  }
  return known;
}

const moment = () => new Promise<void>((resolve) => setImmediate(resolve));
