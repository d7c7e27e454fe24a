/** Without TensorFlow: the same sessions, eagerly, on tfjs's own backend, with a line for the person. */
import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { loadRuntime } from '../../../main/engine/runtime/native.js';
import { dynamicSlice, dynamicUpdateSlice, statelessUniform, whileLoop } from '../../../main/engine/runtime/ops.js';
import { javascriptRuntime, uniformKnown } from '../../support/runtime.js';

describe('the fallback', () => {
  it('says what is missing and how to fix it', async () => {
    const runtime = await javascriptRuntime();
    expect(runtime).toMatchObject({ kind: 'javascript', device: 'cpu' });
    expect(runtime.notice).toMatch(/not installed.*npm run setup/);
    const told = await loadRuntime({ bindingPath: null, notice: 'In words of its own.' });
    expect(told.notice).toBe('In words of its own.');
  });

  it('takes the place of a binding that does not load, and says why', async () => {
    const runtime = await loadRuntime({ bindingPath: '/nowhere/tfjs_binding.node' });
    expect(runtime.kind).toBe('javascript');
    expect(runtime.notice).toMatch(/does not load.*nowhere.*npm run setup/);
  });

  it('does not pretend to have CUDA', async () => {
    await expect(loadRuntime({ bindingPath: null, device: 'cuda' })).rejects.toMatchObject({ code: 'runtime_missing' });
  });

  it('trains: variables, gradients, assignments', async () => {
    const session = (await javascriptRuntime()).createSession();
    const before = tf.memory().numTensors;
    const w = session.variable('w', [2], Float32Array.of(0, 0));
    const step = session.compile(
      (x: tf.Tensor) => {
        const { value, grads } = tf.variableGrads(() => tf.sum(tf.squaredDifference(w, x)) as tf.Scalar, [w]);
        w.assign(tf.sub(w, tf.mul(grads['w'] ?? 0, 0.5)) as tf.Tensor as typeof w);
        return [value];
      },
      { name: 'step' },
    );
    const x = tf.tensor1d([3, 4]);
    const losses = [0, 1].map(() => step(x).map((loss) => loss.dataSync()[0]));
    expect(losses).toEqual([[25], [0]]);
    expect(Array.from(session.read(w))).toEqual([3, 4]);
    session.write(w, Float32Array.of(5, 6));
    expect(Array.from(session.read(w))).toEqual([5, 6]);
    session.dispose();
    tf.dispose(tf.tidy(() => x));
    expect(tf.memory().numTensors).toBe(before + 2); // the two losses, which are the caller's
  });

  it('has the operations that tfjs lacks', () => {
    const key = tf.tensor1d([1, 2], 'int32');
    const drawn = Array.from(statelessUniform([1000], key).dataSync());
    expect(Array.from(statelessUniform([1000], key).dataSync())).toEqual(drawn);
    expect(drawn.slice(0, 4).map((value) => value * 2 ** 24)).toEqual(uniformKnown);
    expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
    const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
    // The mean of 1,000 has a standard deviation of 0.0091.
    expect(Math.abs(mean - 0.5)).toBeLessThan(5 * 0.0091);
    const other = Array.from(statelessUniform([1000], tf.tensor1d([1, 3], 'int32')).dataSync());
    expect(other.filter((value, i) => value === drawn[i]).length).toBeLessThan(3);

    const x = tf.tensor2d([1, 2, 3, 4, 5, 6], [2, 3]);
    const at = tf.tensor1d([1, 2], 'int32');
    expect(dynamicSlice(x, at, [1, 2]).arraySync()).toEqual([[5, 6]]);
    expect(dynamicUpdateSlice(x, tf.zeros([2, 1]), at).arraySync()).toEqual([[1, 2, 0], [4, 5, 0]]); // prettier-ignore
    const [i, doubled] = whileLoop(
      ([n]) => tf.less(n, 5),
      ([n, y]) => [tf.add(n, 1), tf.mul(y, 2)],
      [tf.scalar(0), tf.scalar(1)],
    );
    expect([i.arraySync(), doubled.arraySync()]).toEqual([5, 32]);
  });
});
