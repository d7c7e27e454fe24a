/** Matrix products in bfloat16: rounded elements, the rest as in f32, on processors that have it. */
import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { trainingPrecision } from '../../../main/engine/model/precision.js';
import { loadRuntime } from '../../../main/engine/runtime/native.js';
import type { Precision, Runtime } from '../../../main/engine/runtime/types.js';
import { findTensorflow } from '../../../main/installation/locations.mjs';
import { presets } from '../../../shared/config/presets.js';
import { modelConfigSchema } from '../../../shared/config/model.js';
import { testRuntime, withSession } from '../../support/runtime.js';

/** The nearest number with 8 bits of mantissa, ties to even. */
function rounded(x: number): number {
  const bits = new Uint32Array(Float32Array.of(x).buffer);
  const [word = 0] = bits;
  bits[0] = (word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000;
  return new Float32Array(bits.buffer)[0] ?? NaN;
}

const noise = (n: number, step: number) => Float32Array.from({ length: n }, (_, i) => Math.sin(i * step + 1));

async function productAndGradient(precision: Precision, xla: boolean) {
  return withSession(xla ? 'xla' : 'graph', (session) => {
    const w = session.variable('w', [8, 4], noise(32, 0.7));
    const f = session.compile(
      (x: tf.Tensor) => {
        const { value, grads } = tf.variableGrads(
          () => tf.sum(tf.square(tf.matMul(x as tf.Tensor2D, w as tf.Tensor as tf.Tensor2D))) as tf.Scalar,
          [w],
        );
        return [tf.matMul(x as tf.Tensor2D, w as tf.Tensor as tf.Tensor2D), value, grads['w'] ?? value];
      },
      { name: 'product', xla, precision },
    );
    const x = tf.tensor2d(noise(24, 0.3), [3, 8]);
    const results = f(x);
    const values = results.map((result) => Array.from(result.dataSync()));
    tf.dispose([x, ...results]);
    return values;
  });
}

describe.each([false, true])('bfloat16, XLA %s', (xla) => {
  it('rounds what is multiplied, and nothing else', async () => {
    const [product = [], , gradient = []] = await productAndGradient('bf16', xla);
    const [exact = [], , exactGradient = []] = await productAndGradient('f32', xla);
    const x = noise(24, 0.3).map(rounded);
    const w = noise(32, 0.7).map(rounded);
    product.forEach((value, i) => {
      const [row, column] = [Math.floor(i / 4), i % 4];
      let [sum, size] = [0, 0];
      for (let k = 0; k < 8; k++) {
        const term = (x[row * 8 + k] ?? 0) * (w[k * 4 + column] ?? 0);
        sum += term;
        size += Math.abs(term);
      }
      // What adds up may be rounded once more.
      expect(Math.abs(value - sum)).toBeLessThanOrEqual(size * 2 ** -8);
    });
    expect(product).not.toEqual(exact);
    const largest = Math.max(...exactGradient.map(Math.abs));
    gradient.forEach((value, i) => {
      expect(Math.abs(value - (exactGradient[i] ?? NaN))).toBeLessThan(0.03 * largest);
    });
  });
});

describe.each(['xla', 'graph', 'eager'] as const)('a variable in bfloat16, %s', (kind) => {
  it('reads as its rounded numbers in every graph and loop, and enters products directly', async () => {
    await withSession(kind, (session) => {
      const values = noise(32, 0.7);
      const narrow = session.variable('narrow', [8, 4], values, 'bfloat16');
      const whole = session.variable('whole', [8, 4], values);
      const product = session.compile(
        (x: tf.Tensor) => {
          const [a, b] = [narrow, whole].map((w) => tf.matMul(x as tf.Tensor2D, w as tf.Tensor as tf.Tensor2D));
          return { ofNarrow: a as tf.Tensor, ofWhole: b as tf.Tensor, sum: tf.sum(narrow) };
        },
        { name: 'product', precision: 'bf16', ...(kind === 'eager' ? {} : { xla: kind === 'xla' }) },
      );
      for (const rows of [3, 5]) {
        const x = tf.tensor2d(noise(8 * rows, 0.3), [rows, 8]);
        const results = product(x);
        const { ofNarrow, ofWhole, sum } = results;
        // Eagerly there are no products of bfloat16: there the numbers are rounded in the variable alone.
        if (kind !== 'eager') expect(ofNarrow.dataSync()).toEqual(ofWhole.dataSync());
        const expected = Array.from(session.read(narrow)).reduce((total, value) => total + value, 0);
        expect(sum.dataSync()[0]).toBeCloseTo(expected, 4);
        tf.dispose([x, results]);
      }
      expect(session.read(narrow)).toEqual(values.map(rounded));
      session.write(
        narrow,
        values.map((value) => -value),
      );
      expect(session.readAll([whole, narrow])).toEqual([values, values.map((value) => -rounded(value))]);
      expect(session.read(session.variable('zeros', [3], undefined, 'bfloat16'))).toEqual(new Float32Array(3));
    });
  });
});

it('nothing is assigned to a variable in bfloat16', async () => {
  await withSession('graph', (session) => {
    const narrow = session.variable('narrow', [2], undefined, 'bfloat16');
    const assign = session.compile(
      (x: tf.Tensor) => {
        narrow.assign(x);
        return x;
      },
      { name: 'assign' },
    );
    const x = tf.tensor1d([1, 2]);
    expect(() => assign(x)).toThrow(/assign.*bfloat16/s);
    x.dispose();
  });
});

describe('the precision of training', () => {
  const runtime = (precision: Runtime['precision']) => ({ precision, device: 'cpu' }) as Runtime;
  const model = (name: 'tiny' | 'medium') => modelConfigSchema.parse({ ...presets[name].values, vocab_size: 65 });

  it('is the requested one; auto takes bfloat16 for wide models only', () => {
    expect(trainingPrecision(runtime('bf16'), model('tiny'))).toBe('bf16');
    expect(trainingPrecision(runtime('f32'), model('medium'))).toBe('f32');
    expect(trainingPrecision(runtime('auto'), model('tiny'))).toBe('f32');
    expect(trainingPrecision(runtime('auto'), model('medium'))).toBe('bf16');
  });

  it('is f32 by default, and stays so in a process that was loaded for it', async () => {
    expect((await testRuntime()).precision).toBe('f32');
    // The library that multiplies bfloat16 fast is not there: without it a product takes thirty times as long.
    const location = findTensorflow();
    expect((await loadRuntime({ ...location, device: 'cpu', precision: 'auto' })).precision).toBe('f32');
    await expect(loadRuntime({ ...location, device: 'cpu', precision: 'bf16' })).rejects.toThrow(
      'There is no bfloat16 here',
    );
  });
});
