/** How fast this machine was measured to be: what estimates rest on. Kept, newest first, for the next start. */
import { z } from 'zod';
import type { Machine, Settings } from '../../../shared/contract/machine.js';
import { guessedSpeed, type Speed } from '../../../shared/costs/work.js';
import { compileSeconds, machineKey } from '../../jobs/machine/figures.js';
import type { DataFolder } from '../files/data-folder.js';
import { readStored, writeStored } from '../files/stored.js';

const speedsSchema = z.object({
  /** Floating-point operations a second that training and writing reached. */
  training: z.number().positive().nullable(),
  writing: z.number().positive().nullable(),
});

export type Speeds = ReturnType<typeof createSpeeds>;

export function createSpeeds(data: DataFolder) {
  let speed = readStored(data.speeds, speedsSchema, { training: null, writing: null });
  let guessed = guessedSpeed(null);
  let compiling = () => guessed.compiling;
  return {
    get: () => ({
      ...guessed,
      training: speed.training ?? guessed.training,
      // What was measured with a model is what training reaches, however it computes.
      wide: speed.training === null ? guessed.wide : null,
      writing: speed.writing ?? guessed.writing,
      compiling: compiling(),
    }),
    /** What every run measures and keeps: seconds to compile an operation on such a machine. */
    compilesOn: (machine: () => Parameters<typeof machineKey>[0] & { readonly threads: number | null }) =>
      (compiling = () => compileSeconds(machineKey(machine(), machine().threads))),
    /** Until something was measured with a model: from billions of operations a second in a matrix product. */
    guess({ gflops, gflops_bf16 }: Pick<Machine, 'gflops' | 'gflops_bf16'>, precision: Settings['precision']) {
      // Left to choose, a machine takes bfloat16 where it was measured to gain from it.
      const chosen = precision === 'auto' && gflops_bf16 === null ? 'f32' : precision;
      const widePeak = chosen === 'f32' || gflops_bf16 === null ? null : 1e9 * gflops_bf16;
      if (gflops !== null) guessed = guessedSpeed(1e9 * gflops, { precision: chosen, widePeak });
    },
    keep(measured: Partial<Pick<Speed, 'training' | 'writing'>>) {
      speed = { ...speed, ...measured };
      writeStored(data.speeds, speed);
    },
  };
}
