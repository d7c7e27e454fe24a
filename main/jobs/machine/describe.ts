/** The machine as the window shows it: what TensorFlow there is, and how fast a matrix product goes. */
import type { CallOutput } from '../../../shared/contract/trainer.js';
import { measureMatrixProduct } from './matrix-product.js';
import type { JobContext, MachineChoice } from '../types.js';

/** A product of this size takes some milliseconds, and much longer without TensorFlow. */
const MATRIX = { tensorflow: 1024, javascript: 96 } as const;

export async function describe(
  { device = 'auto', threads = null }: { [K in 'device' | 'threads']?: MachineChoice[K] | undefined },
  context: JobContext,
): Promise<CallOutput<'describe'>> {
  const runtime = await context.runtime({ device, threads, precision: 'auto' });
  const gflops = await measureMatrixProduct(runtime, MATRIX[runtime.kind], {
    yieldToEventLoop: () => context.yieldToEventLoop(),
  });
  return {
    runtime: runtime.kind,
    tensorflow: runtime.kind === 'tensorflow' ? runtime.version : null,
    device: runtime.device === 'cuda' ? 'cuda' : 'cpu',
    gflops: Number.isFinite(gflops) ? gflops : null,
    notice: runtime.notice,
  };
}
