/**
 * What a compiled call costs more than running TensorFlow's session: must stay within 5 % of a train step. The shortest
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

it('prepares operations that TensorFlow translates through MLIR hardly slower than others', () =>
  withSession('xla', (session) => {
    const x = tf.fill([8, 8], 0.5);
    /** Of the processor, for a hundred of them in a function that was not compiled before. */
    const prepare = (name: string, op: (x: tf.Tensor) => tf.Tensor): number => {
      const step = session.compile(
        (a: tf.Tensor) => Array.from({ length: 100 }).reduce<tf.Tensor>((y) => op(tf.mul(y, 0.5)), a),
        { name, xla: true },
      );
      const start = process.cpuUsage();
      tf.dispose(step(x));
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    prepare('first', (y) => tf.add(y, 1));
    const plain = prepare('plain', (y) => tf.add(tf.neg(y), 1));
    const through = prepare('through', (y) => tf.sigmoid(y));
    tf.dispose(x);
    // 5 ms each where every one is translated by itself: about three times as long as all the rest.
    expect(through / plain).toBeLessThan(2.5);
  }));
