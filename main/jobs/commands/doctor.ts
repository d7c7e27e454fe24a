/** What the machine has and how fast it is: the first thing to look at when something is slow or does not work. */
import { arch, availableParallelism, cpus, platform, release } from 'node:os';
import { statfsSync } from 'node:fs';
import { typed } from '../../../shared/sentence.js';
import type { MachineConfig } from '../../../shared/config/machine.js';
import type { Json } from '../../engine/types.js';
import { cacheFolder, findTensorflow } from '../../installation/locations.mjs';
import { measureMatrixProducts } from '../machine/matrix-product.js';
import { freeMemory, memoryLimit } from '../machine/memory.js';
import type { Job } from '../types.js';

export const doctorJob: Job<Pick<MachineConfig, 'threads'>> = async (config, context) => {
  const location = findTensorflow();
  const runtime = await context.runtime();
  const native = runtime.kind === 'tensorflow';
  // Without TensorFlow a product of this size takes many seconds.
  const matrixSize = native ? 1024 : 128;
  const { f32: gflops } = await measureMatrixProducts(runtime, matrixSize, {
    yieldToEventLoop: () => context.yieldToEventLoop(),
    precisions: ['f32'],
  });
  const missing: Json[] = [];
  if (location.bindingPath === null) missing.push({ what: typed(location.notice), fix: 'npm run setup' });
  else if (runtime.notice) missing.push({ what: typed(runtime.notice), fix: 'npm run setup' });
  const disk = statfsSync('.');
  return {
    platform: `${platform()} ${release()} ${arch()}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown processor',
    cores: availableParallelism(),
    node: process.versions.node,
    runtime: runtime.kind,
    tensorflow: native ? runtime.version : null,
    device: runtime.device,
    threads: native ? (config.threads ?? availableParallelism()) : 1,
    gflops,
    matrix_size: matrixSize,
    memory_total: memoryLimit(),
    memory_free: freeMemory(),
    disk_free: disk.bavail * disk.bsize,
    cache: cacheFolder(),
    binding: location.bindingPath,
    missing,
  };
};
