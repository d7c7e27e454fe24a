/** The machine as the window shows it: what TensorFlow there is, and how fast a matrix product goes. */
import type { CallOutput } from '../../../shared/contract/trainer.js';
import type { Precision } from '../../engine/runtime/types.js';
import { matrixPeaks, measureMatrixProduct } from './matrix-product.js';
import type { JobContext, MachineChoice } from '../types.js';

/** A product of this size takes some milliseconds, and much longer without TensorFlow. */
const MATRIX = { tensorflow: 1024, javascript: 96 } as const;

export async function describe(
  { device = 'auto', threads = null }: { [K in 'device' | 'threads']?: MachineChoice[K] | undefined },
  context: JobContext,
): Promise<CallOutput<'describe'>> {
  const runtime = await context.runtime({ device, threads, precision: 'auto' });
  const measure = (precision: Precision) =>
    measureMatrixProduct(runtime, MATRIX[runtime.kind], {
      yieldToEventLoop: () => context.yieldToEventLoop(),
      precision,
    });
  // A moment in which other programs compute says little of the machine: what it was measured to do before holds too.
  const before = await matrixPeaks(runtime, threads);
  const gflops = Math.max(await measure('f32'), (before.f32 ?? 0) / 1e9);
  const isWide = runtime.kind === 'tensorflow' && runtime.precision === 'auto';
  const gflops_bf16 = isWide ? Math.max(await measure('bf16'), (before.bf16 ?? 0) / 1e9) : null;
  return {
    runtime: runtime.kind,
    tensorflow: runtime.kind === 'tensorflow' ? runtime.version : null,
    device: runtime.device === 'cuda' ? 'cuda' : 'cpu',
    gflops: Number.isFinite(gflops) ? gflops : null,
    gflops_bf16,
    notice: runtime.notice,
  };
}
