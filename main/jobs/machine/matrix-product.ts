/**
 * Measures how fast matrix products are on this machine, the reference for every other speed. The best figure ever seen is
 * stored, as other programs may disturb a measurement.
 */
import * as tf from '@tensorflow/tfjs';
import type { CallOutput } from '../../../shared/contract/trainer.js';
import { valuesOf } from '../../engine/runtime/reading.js';
import { withSession } from '../../engine/runtime/session.js';
import type { Precision, Runtime } from '../../engine/runtime/types.js';
import type { Environment } from '../../engine/types.js';
import { environmentOf, type JobContext, type MachineChoice } from '../types.js';
import { machineKey, storedFigures } from './figures.js';
import { cardFigures } from './graphics-card.js';
import { memoryLimit } from './memory.js';

/** The best of these products counts. */
const REPEATS = 9;
/** Large enough for the processor to reach its best within milliseconds. */
const SIZES = { tensorflow: 1024, wasm: 256, webgpu: 1024 } as const;

/**
 * Returns billions of operations a second in an n × n × n matrix product, the best of several, by precision. The precisions
 * take turns, so that a disturbance affects all of them.
 */
export async function measureMatrixProducts<P extends Precision>(
  runtime: Runtime,
  n: number,
  precisions: readonly P[],
  yieldToEventLoop: () => Promise<void> = () => new Promise((resolve) => setImmediate(resolve)),
): Promise<Readonly<Record<P, number>>> {
  return withSession(runtime, async (session) => {
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
        await valuesOf(sum);
        const seconds = (performance.now() - start) / 1000;
        tf.dispose(sum);
        // The first one also compiles.
        if (repeat > 0) contender.best = Math.min(contender.best, seconds);
        await yieldToEventLoop();
      }
    }
    const speeds = contenders.map(({ precision, best }) => [precision, (2 * n ** 3) / best / 1e9]);
    return Object.fromEntries(speeds) as Record<P, number>;
  });
}

/**
 * Billions of operations a second, and how many times as fast bfloat16 was at the same time. The ratio only decides which to
 * take: the best ratio ever seen may come from a disturbed float32.
 */
interface Figures {
  readonly f32?: number;
  readonly bf16?: number;
  readonly bf16_per_f32?: number;
}

/** @param file in place of the cache folder's */
async function bestFigures(
  runtime: Runtime,
  threads: number | null,
  { measure, file }: { readonly measure: boolean; readonly file: string | undefined },
): Promise<Figures> {
  const isStored = runtime.kind === 'tensorflow';
  const { get, set } = storedFigures('matrix-product.json', file);
  const both = runtime.precision !== 'f32';
  const names = both ? (['f32', 'bf16', 'bf16_per_f32'] as const) : (['f32'] as const);
  const keyOf = (name: string) => `${machineKey(runtime, threads)}, ${name}`;
  const before: Figures = Object.fromEntries(names.map((name) => [name, isStored ? get(keyOf(name)) : undefined]));
  let now: Figures = {};
  if (measure || names.some((name) => before[name] === undefined)) {
    const precisions: readonly Precision[] = both ? ['f32', 'bf16'] : ['f32'];
    const { f32, bf16 } = await measureMatrixProducts(runtime, SIZES[runtime.kind], precisions);
    now = both ? { f32, bf16, bf16_per_f32: bf16 / f32 } : { f32 };
  }
  const best = names.flatMap((name) => {
    const figure = Math.max(before[name] ?? 0, now[name] ?? 0);
    return figure > 0 && Number.isFinite(figure) ? [[name, figure] as const] : [];
  });
  for (const [name, figure] of best) if (isStored && figure !== before[name]) set(keyOf(name), figure);
  return Object.fromEntries(best);
}

/** Operations a second, by precision. */
type MatrixPeaks = Readonly<Partial<Record<Precision, number>>>;

const peaksOf = ({ f32, bf16 }: Figures): MatrixPeaks => ({
  ...(f32 === undefined ? {} : { f32: f32 * 1e9 }),
  ...(bf16 === undefined ? {} : { bf16: bf16 * 1e9 }),
});

/** Returns the best matrix products, measured if none are stored; nothing without TensorFlow. */
export const matrixPeaks = async (runtime: Runtime, threads: number | null, file?: string): Promise<MatrixPeaks> =>
  runtime.kind === 'tensorflow' ? peaksOf(await bestFigures(runtime, threads, { measure: false, file })) : {};

/** Measures now, and returns the best matrix products; those of WASM without TensorFlow. */
export const measurePeaks = async (runtime: Runtime, threads: number | null, file?: string): Promise<MatrixPeaks> =>
  peaksOf(await bestFigures(runtime, threads, { measure: true, file }));

/** Training is not only matrix products: from this ratio of their speeds on, bfloat16 is certain to make it faster. */
const FASTER_BY = 1.4;

/** Whether bfloat16 is so much faster on this machine that `--precision auto` may choose it. */
export async function bfloat16Pays(runtime: Runtime, threads: number | null, file?: string): Promise<boolean> {
  const { bf16_per_f32 = 0 } = await bestFigures(runtime, threads, { measure: false, file });
  return bf16_per_f32 >= FASTER_BY;
}

/** Describes the machine for the window: which TensorFlow there is, and how fast matrix products are. */
export async function describe(
  { device = 'auto', threads = null }: { [K in 'device' | 'threads']?: MachineChoice[K] | undefined },
  context: JobContext,
): Promise<CallOutput<'describe'>> {
  const runtime = await context.runtime({ device, threads, precision: 'auto' });
  const peaks = await measurePeaks(runtime, threads);
  // What a graphics card is compared with.
  if (runtime.kind !== 'webgpu') cardFigures(threads).storeProcessor(peaks);
  const { f32, bf16 } = peaks;
  return {
    runtime: runtime.kind,
    tensorflow: runtime.kind === 'tensorflow' ? runtime.version : null,
    device: runtime.device,
    gflops: f32 === undefined ? null : f32 / 1e9,
    gflops_bf16: bf16 === undefined ? null : bf16 / 1e9,
    notice: runtime.notice,
  };
}

/** The environment of a job that trains, with the machine's peaks, so that metrics can include utilization. */
export async function trainingEnvironmentOf(
  context: JobContext,
  threads: number | null,
  machine?: MachineChoice,
): Promise<Environment> {
  const env = await environmentOf(context, machine, true);
  return { ...env, memory: memoryLimit(), peaks: await matrixPeaks(env.runtime, threads) };
}
