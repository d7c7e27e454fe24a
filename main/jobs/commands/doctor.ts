/** Describes and measures the machine: the first thing to look at if something is slow or does not work. */
import { statfsSync } from 'node:fs';
import { arch, cpus, platform, release } from 'node:os';
import type { MachineConfig } from '../../../shared/config/machine.js';
import { usableCores } from '../../installation/environment.mjs';
import { cacheFolder, findTensorflow } from '../../installation/locations.mjs';
import { plainJson } from '../../formats/stable-json.js';
import { measureMatrixProducts } from '../machine/matrix-product.js';
import { freeMemory, memoryLimit } from '../machine/memory.js';
import type { Job } from '../types.js';

export const doctorJob: Job<Pick<MachineConfig, 'threads'>> = async (config, context) => {
  const location = findTensorflow();
  const runtime = await context.runtime();
  const native = runtime.kind === 'tensorflow';
  // Without TensorFlow a product of this size takes many seconds.
  const matrixSize = native ? 1024 : 128;
  const { f32: gflops } = await measureMatrixProducts(runtime, matrixSize, ['f32'], () => context.yieldToEventLoop());
  const why = location.bindingPath === null ? location.notice : runtime.notice;
  const disk = statfsSync('.');
  return {
    platform: `${platform()} ${release()} ${arch()}`,
    processor: cpus()[0]?.model.trim() ?? '',
    cores: usableCores(),
    node: process.versions.node,
    runtime: runtime.kind,
    tensorflow: native ? runtime.version : null,
    device: runtime.device,
    threads: native ? (config.threads ?? usableCores()) : 1,
    gflops,
    matrix_size: matrixSize,
    memory_total: memoryLimit(),
    memory_free: freeMemory(),
    disk_free: disk.bavail * disk.bsize,
    cache: cacheFolder(),
    binding: location.bindingPath,
    // eslint-disable-next-line house/no-sentences -- a command
    missing: native ? [] : [plainJson({ what: why, fix: 'npm run setup' })],
  };
};
