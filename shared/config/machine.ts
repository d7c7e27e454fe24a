/** What the run may use of the machine, and the seed that makes it repeatable. */
import { z } from 'zod';
import { parameter, whole } from './parameter.js';

export const machineShape = {
  device: parameter(z.enum(['auto', 'cpu', 'cuda', 'webgpu']).default('auto')),
  threads: parameter(whole(1, 1024).nullable().default(null), { advanced: true }),
  precision: parameter(z.enum(['auto', 'f32', 'bf16']).default('auto'), { advanced: true }),
  seed: parameter(whole(0, 2 ** 32 - 1).default(42)),
};

export const machineConfigSchema = z.object(machineShape);
export type MachineConfig = z.infer<typeof machineConfigSchema>;
