/** Without TensorFlow: the same sessions, eagerly, on tfjs's WASM backend, with a notice. */
import * as tf from '@tensorflow/tfjs';
import fc from 'fast-check';
import { verbatim } from '../../../shared/messages/message.js';
import { describe, expect, it } from 'vitest';
import { toFault } from '../../../shared/errors.js';
import { plainEnglish } from '../../../shared/messages/surfaces.js';
import { loadRuntime } from '../../../main/engine/runtime/native.js';
import { dynamicSlice, dynamicUpdateSlice, statelessUniform } from '../../../main/engine/runtime/ops.js';
import type { WasmBackend } from '../../../main/engine/runtime/backends/wasm-kernels.js';
import { whileLoop } from '../../../main/engine/runtime/control-flow.js';
import { difference, taken, uniformKnown, wasmRuntime } from '../../support/runtime.js';

/** The result on tfjs's own `cpu` backend, in its types and shapes. */
async function onCpu(make: () => tf.Tensor | tf.Tensor[]) {
  await tf.setBackend('cpu');
  return taken([make()].flat());
}

describe('operations that are made faster', () => {
  const shape = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 0, maxLength: 5 });
  /** A shape that some axes of the first are broadcast to, or from. */
  const broadcast = fc.tuple(shape, fc.infiniteStream(fc.nat(3))).map(([whole, choices]) => {
    const side = () => whole.map((size) => ((choices.next().value as number) === 0 ? 1 : size));
    const [a, b] = [side(), side()];
    return [a, b.slice(Math.min(b.length, choices.next().value as number))] as const;
  });
  const filled = (sizes: readonly number[], seed: number): tf.Tensor => {
    const count = sizes.reduce((all, size) => all * size, 1);
    return tf.tensor(
      Float32Array.from({ length: count }, (_, i) => Math.sin(i * 12.9898 + seed) * 43.7),
      [...sizes],
    );
  };
  /** The same types, shapes and values on both backends. */
  const alike = async (make: () => tf.Tensor | tf.Tensor[]) => {
    const expected = await onCpu(make);
    await wasmRuntime();
    const made = taken([make()].flat());
    expect(made.map(({ shape: sizes, dtype }) => [sizes, dtype])).toEqual(
      expected.map(({ shape: sizes, dtype }) => [sizes, dtype]),
    );
    made.forEach(({ values }, at) => expect(difference(values, expected[at]?.values ?? [])).toBeLessThan(1e-6));
  };
  const check = <T>(arbitrary: fc.Arbitrary<T>, make: (drawn: T) => tf.Tensor | tf.Tensor[]) =>
    fc.assert(
      fc.asyncProperty(arbitrary, (drawn) => alike(() => tf.tidy(() => make(drawn)))),
      { numRuns: 80, seed: 3 },
    );

  it('broadcast', () =>
    check(broadcast, ([a, b]) => {
      const [x, y] = [filled(a, 1), filled(b, 1)];
      return [tf.sub(x, y), tf.greater(x, y), tf.equal(x, y), tf.maximum(x, y), tf.mul(x, y)];
    }));

  it('cut, split and turn', () =>
    check(
      fc.tuple(
        shape.filter((sizes) => sizes.length > 0),
        fc.array(fc.nat(), { minLength: 10, maxLength: 10 }),
      ),
      ([sizes, draws]) => {
        const x = filled(sizes, 3);
        const begin = sizes.map((size, axis) => (draws[axis] ?? 0) % size);
        const size = sizes.map((all, axis) => 1 + ((draws[axis + 5] ?? 0) % (all - (begin[axis] ?? 0))));
        const perm = sizes.map((_, axis) => axis).sort((a, b) => (draws[a] ?? 0) - (draws[b] ?? 0));
        const axis = (draws[0] ?? 0) % sizes.length;
        return [
          ...tf.split(x, sizes[axis] ?? 1, axis),
          tf.slice(x, begin, size),
          tf.transpose(x, perm),
          tf.softmax(x),
          ...tf.unstack(x),
        ];
      },
    ));

  it('multiply matrices, in batches and broadcast', () =>
    check(
      fc.tuple(
        fc.tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 130 }), fc.integer({ min: 1, max: 7 })),
        fc.tuple(
          fc.boolean(),
          fc.boolean(),
          fc.constantFrom([], [3], [1], [2, 3]),
          fc.constantFrom([], [3], [1], [2, 3]),
        ),
      ),
      ([[left, shared, right], [transposeA, transposeB, batchA, batchB]]) => {
        const a = filled([...batchA, ...(transposeA ? [shared, left] : [left, shared])], 1);
        const b = filled([...batchB, ...(transposeB ? [right, shared] : [shared, right])], 2);
        return tf.div(tf.matMul(a, b, transposeA, transposeB), 43.7 ** 2 * shared);
      },
    ));

  it('sum rows by segment and gather rows, also empty segments and rows of others', () =>
    check(
      fc.tuple(
        fc.array(fc.integer({ min: -1, max: 6 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
      ),
      ([ids, width]) => {
        const places = tf.tensor1d(ids, 'int32');
        const rows = filled([7, width], 1);
        return [
          tf.logicalNot(tf.oneHot(places, 5, 1, 0, 'bool')),
          tf.oneHot(places, 5, 2, 1),
          tf.unsortedSegmentSum(filled([ids.length, width], 1), places as tf.Tensor1D, 5),
          tf.gather(rows, tf.tensor2d(ids.map(Math.abs), [1, ids.length], 'int32')),
          tf.gather(
            rows,
            tf.tensor1d(
              ids.map((id) => Math.abs(id) % width),
              'int32',
            ),
            1,
          ),
        ];
      },
    ));

  it('pass on what is not a number', () =>
    alike(() => {
      const logits = tf.tensor2d([1, NaN, 3, Infinity, 1, 2, -Infinity, -Infinity, 0], [3, 3]);
      return [tf.matMul(logits, logits), tf.max(logits, 1), tf.exp(logits)];
    }));
});

describe('the fallback', () => {
  it('reports why TensorFlow is missing', async () => {
    const runtime = await wasmRuntime();
    expect(runtime).toMatchObject({ kind: 'wasm', device: 'cpu', notice: { code: 'runtime.not_installed' } });
    const { notice } = await loadRuntime({ bindingPath: null, notice: verbatim('In words of its own.') });
    expect(notice?.params).toEqual({ text: 'In words of its own.' });
  });

  it('replaces a binding that does not load, and reports why', async () => {
    const runtime = await loadRuntime({ bindingPath: '/nowhere/tfjs_binding.node' });
    expect(runtime.kind).toBe('wasm');
    expect(runtime.notice?.params?.['error']).toMatch(/nowhere/);
  });

  it('does not pretend to have CUDA', async () => {
    const { code, hint } = toFault(
      await loadRuntime({ bindingPath: null, device: 'cuda' }).catch((error: unknown) => error),
    );
    expect([code, plainEnglish(hint)]).toEqual([
      'runtime_missing',
      'Run `npm run setup -- --gpu`, or choose --device cpu.',
    ]);
    expect(hint).toEqual({ code: 'runtime.set_up_for_gpu' });
  });

  it('trains: variables, gradients, assignments', async () => {
    const session = (await wasmRuntime()).createSession();
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
    expect(dynamicUpdateSlice(x, tf.zeros([2, 1]), at).arraySync()).toEqual([[1, 2, 0], [4, 5, 0]]); // oxfmt-ignore
    const [i, doubled] = whileLoop(
      ([n]) => tf.less(n, 5),
      ([n, y]) => [tf.add(n, 1), tf.mul(y, 2)],
      [tf.scalar(0), tf.scalar(1)],
    );
    expect([i.arraySync(), doubled.arraySync()]).toEqual([5, 32]);
  });

  it('raises an error when its memory is full', async () => {
    const { code, hint } = await wasmRuntime().then(() => {
      try {
        const backend = tf.backend() as unknown as WasmBackend;
        // Never written to, so that the test itself takes no memory.
        for (let i = 0; i < 4; i++) backend.makeOutput([2 ** 28], 'float32');
        return { code: 'none', hint: null };
      } catch (error) {
        return toFault(error);
      }
    });
    expect([code, hint]).toEqual(['out_of_memory', { code: 'runtime.set_up_tensorflow_or_smaller' }]);
  });

  it("leaves the process's own way with errors alone", () => {
    expect(process.listeners('unhandledRejection').map(String).join()).not.toMatch(/throw reason/);
  });
});
