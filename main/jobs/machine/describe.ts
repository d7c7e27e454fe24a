/** The machine as the window shows it: what TensorFlow there is, and how fast a matrix product goes. */
import type { CallOutput } from '../../../shared/contract/trainer.js';
import { measurePeaks } from './matrix-product.js';
import type { JobContext, MachineChoice } from '../types.js';

export async function describe(
  { device = 'auto', threads = null }: { [K in 'device' | 'threads']?: MachineChoice[K] | undefined },
  context: JobContext,
): Promise<CallOutput<'describe'>> {
  const runtime = await context.runtime({ device, threads, precision: 'auto' });
  const { f32, bf16 } = await measurePeaks(runtime, threads);
  return {
    runtime: runtime.kind,
    tensorflow: runtime.kind === 'tensorflow' ? runtime.version : null,
    device: runtime.device === 'cuda' ? 'cuda' : 'cpu',
    gflops: f32 === undefined ? null : f32 / 1e9,
    gflops_bf16: bf16 === undefined ? null : bf16 / 1e9,
    notice: runtime.notice,
  };
}
