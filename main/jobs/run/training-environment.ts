/** The environment of a job that trains: it also knows what the machine can reach, so that the metrics can say how much of it is used. */
import type { Environment } from '../../engine/types.js';
import { memoryLimit } from '../machine/memory.js';
import { matrixPeaks } from '../machine/matrix-product.js';
import { environmentOf, type JobContext, type MachineChoice } from '../types.js';

/** @param machine left out: as the flags say */
export async function trainingEnvironmentOf(
  context: JobContext,
  threads: number | null,
  machine?: MachineChoice,
): Promise<Environment> {
  const env = await environmentOf(context, machine);
  return { ...env, memory: memoryLimit(), peaks: await matrixPeaks(env.runtime, threads) };
}
