/** The fastest matrix product that TensorFlow has here: plain and compiled by XLA, at several sizes. */
import * as tf from '@tensorflow/tfjs';
import { ATTR, DT, type NodeBackend, type OpAttr } from '../../../main/engine/runtime/tensorflow.js';
import type { Work } from '../shapes.js';
import type { Engine } from './environment.js';
import type { Iteration } from './iteration.js';

interface Product {
  readonly size: number;
  run(): void;
}

export function matmulPeak(work: Work, { env }: Engine): Iteration {
  const products = work.precision === 'bf16' ? inBf16(work) : inF32(work, env.runtime.createSession());
  for (const { run } of products) run();
  return () => {
    let gflops = 0;
    for (const { size, run } of products) {
      run();
      const started = performance.now();
      run();
      gflops = Math.max(gflops, (2 * size ** 3) / (performance.now() - started) / 1e6);
    }
    // As if the largest product ran at the best speed.
    return Promise.resolve({ ms: (2 * Math.max(...work.sizes) ** 3) / gflops / 1e6, gflops });
  };
}

function inF32({ sizes }: Work, session: ReturnType<Engine['env']['runtime']['createSession']>): Product[] {
  const compiled = [true, false].map((xla) =>
    session.compile((a: tf.Tensor, b: tf.Tensor) => tf.matMul(a, b), { name: 'product', xla }),
  );
  return sizes.flatMap((size) => {
    const [a, b] = [tf.ones([size, size]), tf.ones([size, size])];
    return compiled.map((multiply) => ({
      size,
      run: () => {
        multiply(a, b).dispose();
      },
    }));
  });
}

/** tfjs has no such type: the operations are run by hand. */
function inBf16({ sizes }: Work): Product[] {
  const { binding } = tf.backend() as unknown as NodeBackend;
  const type = (name: string, value: number): OpAttr => ({ name, type: ATTR.TYPE, value });
  const no = (name: string): OpAttr => ({ name, type: ATTR.BOOL, value: false });
  return sizes.map((size) => {
    const ones = binding.createTensor([size, size], DT.FLOAT, new Float32Array(size * size).fill(1));
    const cast = [type('SrcT', DT.FLOAT), type('DstT', DT.BFLOAT16), no('Truncate')];
    const [half] = binding.executeOp('Cast', cast, [ones], 1);
    if (!half) throw new Error('Cast has no output');
    const attrs = [type('T', DT.BFLOAT16), no('transpose_a'), no('transpose_b')];
    return {
      size,
      run: () => {
        for (const { id } of binding.executeOp('MatMul', attrs, [half.id, half.id], 1)) binding.deleteTensor(id);
      },
    };
  });
}
