/** Without TensorFlow: the same sessions, eagerly, on tfjs's own backend, with a notice. */
import * as tf from '@tensorflow/tfjs';
import fc from 'fast-check';
import { verbatim } from '../../../shared/messages/message.js';
import { describe, expect, it } from 'vitest';
import { toFault } from '../../../shared/errors.js';
import { plainEnglish } from '../../../shared/messages/surfaces.js';
import { loadRuntime } from '../../../main/engine/runtime/native.js';
import { dynamicSlice, dynamicUpdateSlice, statelessUniform } from '../../../main/engine/runtime/ops.js';
import { whileLoop } from '../../../main/engine/runtime/control-flow.js';
import { javascriptRuntime, uniformKnown } from '../../support/runtime.js';

/** Before the fallback replaces them. */
const theirs = new Map(
  ['Sub', 'Greater', 'Slice', 'SplitV', 'Transpose', 'BatchMatMul', 'Softmax', 'UnsortedSegmentSum'].map((name) => [
    name,
    tf.getKernel(name, 'cpu'),
  ]),
);

describe('operations that are made faster', () => {
  const shape = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 0, maxLength: 4 });
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
  /** The same bits, types and shapes from a kernel of tfjs's backend and from what takes its place. */
  const alike = (name: string, inputs: Record<string, tf.Tensor>, attrs: Record<string, unknown> = {}) => {
    const run = (kernel: ReturnType<typeof tf.getKernel> | undefined) => {
      const made = kernel?.kernelFunc({ inputs, attrs, backend: tf.backend() } as never) ?? [];
      return (Array.isArray(made) ? made : [made]).map(({ shape: sizes, dtype, dataId }) => [
        ...[sizes, dtype],
        Array.from((tf.backend() as unknown as { readSync(id: object): Float32Array }).readSync(dataId)),
      ]);
    };
    expect(run(tf.getKernel(name, 'cpu'))).toEqual(run(theirs.get(name)));
    expect(tf.getKernel(name, 'cpu').kernelFunc).not.toBe(theirs.get(name)?.kernelFunc);
  };
  const check = async (property: fc.IProperty<never>) => {
    await javascriptRuntime();
    fc.assert(property, { numRuns: 150, seed: 3 });
  };

  it('give the same bits where shapes differ', () =>
    check(
      fc.property(broadcast, fc.constantFrom('Sub', 'Greater'), ([a, b], name) => {
        alike(name, { a: filled(a, 1), b: filled(b, 2) });
      }) as never,
    ));

  it('cut, split and turn to the same bits', () =>
    check(
      fc.property(shape, fc.array(fc.nat(), { minLength: 8, maxLength: 8 }), (sizes, draws) => {
        const x = filled(sizes, 3);
        const begin = sizes.map((size, axis) => (draws[axis] ?? 0) % size);
        const size = sizes.map((all, axis) => 1 + ((draws[axis + 4] ?? 0) % (all - (begin[axis] ?? 0))));
        alike('Slice', { x }, { begin, size });
        const perm = sizes.map((_, axis) => axis).sort((a, b) => (draws[a] ?? 0) - (draws[b] ?? 0));
        alike('Transpose', { x }, { perm });
        const axis = (draws[0] ?? 0) % Math.max(1, sizes.length);
        const parts = Array.from({ length: sizes[axis] ?? 0 }, () => 1);
        if (sizes.length > 0) alike('SplitV', { x }, { numOrSizeSplits: parts, axis });
        if (sizes.length > 0) alike('Softmax', { logits: x }, { dim: -1 });
      }) as never,
    ));

  it('multiply matrices to the same bits, also longer than a block', () =>
    check(
      fc.property(
        fc.tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 130 }), fc.integer({ min: 1, max: 7 })),
        fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
        ([left, shared, right], [transposeA, transposeB, isBatched]) => {
          const a = [...(isBatched ? [3] : []), ...(transposeA ? [shared, left] : [left, shared])];
          const b = [...(isBatched ? [3] : []), ...(transposeB ? [right, shared] : [shared, right])];
          alike('BatchMatMul', { a: filled(a, 1), b: filled(b, 2) }, { transposeA, transposeB });
        },
      ) as never,
    ));

  it('sum rows by segment to the same bits, also empty segments and rows of others', () =>
    check(
      fc.property(
        fc.array(fc.integer({ min: -1, max: 6 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        (ids, width) => {
          const segmentIds = tf.tensor1d(ids, 'int32');
          alike('UnsortedSegmentSum', { x: filled([ids.length, width], 1), segmentIds }, { numSegments: 5 });
        },
      ) as never,
    ));

  it('pass on what is not a number', async () => {
    await javascriptRuntime();
    const logits = tf.tensor2d([1, NaN, 3, Infinity, 1, 2, -Infinity, -Infinity, 0], [3, 3]);
    alike('Softmax', { logits }, { dim: 1 });
    alike('BatchMatMul', { a: logits, b: logits }, { transposeA: false, transposeB: false });
    alike('UnsortedSegmentSum', { x: logits, segmentIds: tf.tensor1d([1, 0, 1], 'int32') }, { numSegments: 3 });
  });
});

describe('the fallback', () => {
  it('reports why TensorFlow is missing', async () => {
    const runtime = await javascriptRuntime();
    expect(runtime).toMatchObject({ kind: 'javascript', device: 'cpu', notice: { code: 'runtime.not_installed' } });
    const { notice } = await loadRuntime({ bindingPath: null, notice: verbatim('In words of its own.') });
    expect(notice?.params).toEqual({ text: 'In words of its own.' });
  });

  it('replaces a binding that does not load, and reports why', async () => {
    const runtime = await loadRuntime({ bindingPath: '/nowhere/tfjs_binding.node' });
    expect(runtime.kind).toBe('javascript');
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
    expect(dynamicUpdateSlice(x, tf.zeros([2, 1]), at).arraySync()).toEqual([[1, 2, 0], [4, 5, 0]]); // oxfmt-ignore
    const [i, doubled] = whileLoop(
      ([n]) => tf.less(n, 5),
      ([n, y]) => [tf.add(n, 1), tf.mul(y, 2)],
      [tf.scalar(0), tf.scalar(1)],
    );
    expect([i.arraySync(), doubled.arraySync()]).toEqual([5, 32]);
  });
});
