/**
 * What a compiled call costs beside running TensorFlow's session: must stay within 5 % of a train step. The shortest
 * step that counts takes 30 ms and more, so the bound here, in absolute time, is far stricter and does not depend on
 * how busy the machine is.
 */
import * as tf from '@tensorflow/tfjs';
import { expect, it } from 'vitest';
import type { Binding, NodeBackend } from '../../../main/engine/runtime/tensorflow.js';
import { testRuntime, withSession } from '../../support/runtime.js';

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

it('adds less than 0.3 ms to the session run, with 120 variables', async () => {
  await testRuntime();
  const backend = tf.backend() as unknown as { binding: Binding } & Omit<NodeBackend, 'binding'>;
  const { binding } = backend;
  let bare = 0;
  const timed: Binding['runSavedModel'] = (...args) => {
    const start = performance.now();
    const outputs = binding.runSavedModel(...args);
    bare = performance.now() - start;
    return outputs;
  };
  const get = (_: object, name: string | symbol): unknown =>
    name === 'runSavedModel' ? timed : (binding as unknown as Record<string | symbol, unknown>)[name];
  backend.binding = new Proxy({}, { get }) as Binding;
  try {
    await withSession('graph', (session) => {
      const variables = Array.from({ length: 120 }, (_, i) => session.variable(`v${i}`, [4]));
      const step = session.compile(
        (x: tf.Tensor, y: tf.Tensor) => {
          for (const variable of variables) variable.assign(tf.add(variable, x) as tf.Tensor as typeof variable);
          return [tf.add(tf.sum(x), y), tf.mul(y, 2)];
        },
        { name: 'step', xla: false },
      );
      const args = [tf.ones([4]), tf.scalar(1)] as const;
      const extra = Array.from({ length: 300 }, () => {
        const start = performance.now();
        const results = step(...args);
        const whole = performance.now() - start;
        tf.dispose([...results]);
        return whole - bare;
      });
      tf.dispose([...args]);
      expect(median(extra)).toBeGreaterThan(0);
      expect(median(extra)).toBeLessThan(0.3);
    });
  } finally {
    backend.binding = binding;
  }
});
