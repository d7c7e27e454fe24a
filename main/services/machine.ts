/** The machine as the window shows it: what the system tells at once. */
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';
import type { Machine } from '../../shared/contract/machine.js';
import { freeBytes } from '../storage/disk.js';

/** What only the trainer can tell, once it has loaded TensorFlow. */
export type RuntimeFacts = Pick<Machine, 'runtime' | 'tensorflow' | 'device' | 'gflops' | 'notice'>;

export const notLooked: RuntimeFacts = {
  runtime: 'starting',
  tensorflow: null,
  device: null,
  gflops: null,
  notice: null,
};

/** @param folder whose disk counts */
export const describeMachine = (folder: string, runtime: RuntimeFacts): Machine => ({
  platform: process.platform,
  processor: cpus()[0]?.model.trim() ?? '',
  cores: availableParallelism(),
  memory_total: totalmem(),
  memory_free: freemem(),
  disk_free: freeBytes(folder) ?? 0,
  ...runtime,
});
