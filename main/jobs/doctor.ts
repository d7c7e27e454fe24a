/** What the machine has and how fast it is: the first thing to look at when something is slow or does not work. */
import { arch, availableParallelism, cpus, freemem, platform, release, totalmem } from 'node:os';
import { statfsSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs';
import type { DoctorCommand } from '../../shared/config/commands.js';
import type { Json } from '../engine/types.js';
import type { Runtime } from '../engine/runtime/types.js';
import { cacheFolder } from '../../scripts/setup/locations.mjs';
import { findTensorflow } from '../storage/tensorflow-location.js';
import type { Job, JobContext } from './types.js';

/** The best of this many products counts: the others were disturbed. */
const REPEATS = 9;

export const doctorJob: Job<DoctorCommand> = async (config, context) => {
  const location = findTensorflow();
  const runtime = await context.runtime();
  const native = runtime.kind === 'tensorflow';
  // Without TensorFlow a product of this size takes many seconds.
  const matrixSize = native ? 1024 : 128;
  const gflops = await measureMatrixProduct(runtime, matrixSize, context);
  const missing: Json[] = [];
  if (location.bindingPath === null) missing.push({ what: location.notice, mend: 'npm run setup' });
  else if (!native) missing.push({ what: runtime.notice ?? 'TensorFlow could not be loaded', mend: 'npm run setup' });
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
    memory_total: totalmem(),
    memory_free: freemem(),
    disk_free: disk.bavail * disk.bsize,
    cache: cacheFolder(),
    binding: location.bindingPath,
    missing,
  };
};

/** Billions of multiplications and additions a second in an n × n × n matrix product, the best of several. */
export async function measureMatrixProduct(runtime: Runtime, n: number, context: JobContext): Promise<number> {
  const session = runtime.createSession();
  try {
    // Values of order one: products of zeros or denormals can take another path.
    const values = Float32Array.from({ length: n * n }, (_, index) => ((index * 2654435761) % 1000) / 1000 - 0.5);
    const left = session.variable('left', [n, n], values);
    const right = session.variable('right', [n, n], values);
    // Only one number comes back, so that copying the product does not count.
    const product = session.compile(() => [tf.sum(tf.matMul(left as tf.Tensor2D, right as tf.Tensor2D))], {
      name: 'matrix_product',
    });
    let best = Infinity;
    for (let repeat = 0; repeat <= REPEATS; repeat++) {
      const start = performance.now();
      const [sum] = product();
      sum?.dataSync();
      const seconds = (performance.now() - start) / 1000;
      tf.dispose(sum);
      // The first one also compiles.
      if (repeat > 0) best = Math.min(best, seconds);
      await context.breathe();
    }
    return (2 * n ** 3) / best / 1e9;
  } finally {
    session.dispose();
  }
}
