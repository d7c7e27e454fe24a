/** What the run may use of the machine, and the seed that makes it repeatable. */
import { z } from 'zod';
import { parameter, whole } from './parameter.js';

/**
 * The width from which `auto` takes bfloat16. Below it a step is mostly not matrix products, and XLA, which has none of bfloat16
 * on a processor, is faster. The figures are in docs/benchmarks.md; what nanoGPT's recipe makes of GPT-2's architecture at 128
 * stays as it was.
 */
export const BFLOAT16_FROM_WIDTH = { gpt2: 256, llama: 256, modern: 128 } as const;

export const machineShape = {
  device: parameter(z.enum(['auto', 'cpu', 'cuda']).default('auto'), {
    label: 'Device',
    help: 'auto takes a graphics card when TensorFlow finds one.',
  }),
  threads: parameter(whole(1, 1024).nullable().default(null), {
    label: 'Threads',
    help: 'Processor threads to use; unset means all.',
    advanced: true,
  }),
  precision: parameter(z.enum(['auto', 'f32', 'bf16']).default('auto'), {
    label: 'Precision',
    help: `Matrix products of training in 32-bit numbers, or in 16-bit ones (bfloat16) where the processor or card has them: faster, a little coarser. auto takes bf16 for models ${BFLOAT16_FROM_WIDTH.gpt2} wide or wider (of the modern architecture ${BFLOAT16_FROM_WIDTH.modern}), where products were measured to be clearly faster with it on this machine.`,
    advanced: true,
  }),
  seed: parameter(whole(0, 2 ** 32 - 1).default(42), {
    label: 'Seed',
    help: 'The same seed on the same machine gives the same bytes.',
  }),
};

export const machineConfigSchema = z.object(machineShape);
export type MachineConfig = z.infer<typeof machineConfigSchema>;
