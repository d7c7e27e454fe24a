/** What the run may use of the machine, and the seed that makes it repeatable. */
import { z } from 'zod';
import { parameter, whole } from './parameter.js';

export const machineShape = {
  device: parameter(z.enum(['auto', 'cpu', 'cuda']).default('auto'), {
    label: 'Device',
    help: '{auto} takes a graphics card when TensorFlow finds one.',
    choices: { auto: 'Automatic', cpu: 'Processor', cuda: 'Graphics card (CUDA)' },
  }),
  threads: parameter(whole(1, 1024).nullable().default(null), {
    label: 'Threads',
    help: 'Processor threads to use; unset means all.',
    advanced: true,
  }),
  precision: parameter(z.enum(['auto', 'f32', 'bf16']).default('auto'), {
    label: 'Precision',
    help: 'Matrix products of training in 32-bit numbers, or in 16-bit ones (bfloat16) where the processor or card has them: faster, a little coarser. {auto} takes {bf16} for training models 256 wide or wider, where products were measured to be clearly faster with it on this machine.',
    choices: { auto: 'Automatic', f32: '32-bit', bf16: '16-bit (bfloat16)' },
    advanced: true,
  }),
  seed: parameter(whole(0, 2 ** 32 - 1).default(42), {
    label: 'Seed',
    help: 'The same seed on the same machine gives the same bytes.',
  }),
};

export const machineConfigSchema = z.object(machineShape);
export type MachineConfig = z.infer<typeof machineConfigSchema>;
