/** Loops inside compiled functions: the same as the loop in JavaScript, with state written in place and captures. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { dynamicSlice, dynamicUpdateSlice } from '../../../main/engine/runtime/ops.js';
import { whileLoop } from '../../../main/engine/runtime/control-flow.js';
import { taken, testRuntime, ways, withSession } from '../../support/runtime.js';

const values = (tensors: readonly tf.Tensor[]): number[][] => taken(tensors).map((tensor) => tensor.values);
const count = (n: number): tf.Tensor => tf.scalar(n, 'int32');

beforeAll(testRuntime);

describe.each(ways)('whileLoop, %s', (way) => {
  it('runs as often as an argument demands, with outer variables and tensors', () =>
    withSession(way, (session, xla) => {
      const w = session.variable('w', [2, 2], Float32Array.of(0, 1, 1, 1));
      const unused = session.variable('unused', [1]);
      const power = session.compile(
        (x: tf.Tensor2D, times: tf.Tensor) => {
          const doubled = tf.mul(w, tf.add(tf.mul(unused, 0), 1)) as tf.Tensor2D;
          const [, last] = whileLoop(
            ([i]) => tf.less(i, times),
            ([i, y]) => [tf.add(i, count(1)), tf.matMul(y, doubled)],
            [count(0), x],
          );
          w.assign(last as unknown as typeof w);
          return [last, tf.add(x, 1)];
        },
        { name: 'power', xla },
      );
      const x = tf.tensor2d([1, 0, 0, 1], [2, 2]);
      const ten = count(10);
      const none = count(0);
      expect(values(power(x, ten))).toEqual([[34, 55, 55, 89], [2, 1, 1, 2]]); // oxfmt-ignore
      expect(Array.from(session.read(w))).toEqual([34, 55, 55, 89]);
      expect(values(power(x, none))).toEqual([[1, 0, 0, 1], [2, 1, 1, 2]]); // oxfmt-ignore
      tf.dispose([x, ten, none]);
    }));

  it('fills a buffer piece by piece and reads pieces back', () =>
    withSession(way, (session, xla) => {
      const fill = session.compile(
        (first: tf.Tensor2D) => {
          const buffer = tf.zeros([6, 2]);
          const [, filled, sum] = whileLoop(
            ([i]) => tf.less(i, count(6)),
            ([i, rows, total]) => {
              const at = tf.stack([i, count(0)]) as tf.Tensor1D;
              const before = dynamicSlice(rows, tf.stack([tf.sub(i, count(1)), count(0)]) as tf.Tensor1D, [1, 2]);
              const row = tf.add(tf.mul(before, 2), first);
              return [tf.add(i, count(1)), dynamicUpdateSlice(rows, row, at), tf.add(total, tf.sum(row))];
            },
            [count(0), buffer, tf.scalar(0)],
          );
          return [filled, sum];
        },
        { name: 'fill', xla },
      );
      const first = tf.tensor2d([1, 2], [1, 2]);
      expect(values(fill(first))).toEqual([[1, 2, 3, 6, 7, 14, 15, 30, 31, 62, 63, 126], [360]]);
      first.dispose();
    }));

  it('nests, and may return its state unchanged or exchanged', () =>
    withSession(way, (session, xla) => {
      const f = session.compile(
        (x: tf.Tensor, y: tf.Tensor) => {
          const [, a, b] = whileLoop(
            ([i]) => tf.less(i, count(3)),
            ([i, p, q]) => {
              const [, inner] = whileLoop(
                ([j]) => tf.less(j, i),
                ([j, s]) => [tf.add(j, count(1)), tf.add(s, tf.mul(q, x))],
                [count(0), p],
              );
              return [tf.add(i, count(1)), q, inner];
            },
            [count(0), x, y],
          );
          return [a, b];
        },
        { name: 'nested', xla },
      );
      const x = tf.scalar(2);
      const y = tf.scalar(3);
      // i=0: (3, 2); i=1: (2, 3+1·2·2); i=2: (7, 2+2·7·2)
      expect(values(f(x, y))).toEqual([[7], [30]]);
      tf.dispose([x, y]);
    }));

  it('leaves no tensor behind', async () => {
    const before = tf.memory().numTensors;
    await withSession(way, (session, xla) => {
      const f = session.compile(
        (x: tf.Tensor) => [
          whileLoop(
            ([i]) => tf.less(i, count(4)),
            ([i, y]) => [tf.add(i, count(1)), tf.mul(y, 2)],
            [count(0), x],
          )[1],
        ],
        { name: 'doubled', xla },
      );
      const x = tf.scalar(1);
      expect(values(f(x))).toEqual([[16]]);
      x.dispose();
    });
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('a compiled loop', () => {
  it('refuses to assign to variables, and state that changes its shape', () =>
    withSession('graph', (session) => {
      const v = session.variable('v', []);
      const assigning = session.compile(
        () => [
          whileLoop(
            ([i]) => tf.less(i, count(2)),
            ([i]) => {
              v.assign(tf.scalar(1));
              return [tf.add(i, count(1))];
            },
            [count(0)],
          )[0],
        ],
        { name: 'assigning' },
      );
      expect(() => assigning()).toThrow(/cannot change variables/);
      const growing = session.compile(
        (x: tf.Tensor) => [
          whileLoop(
            ([y]) => tf.less(tf.sum(y), 100),
            ([y]) => [tf.concat([y, y])],
            [x],
          )[0],
        ],
        { name: 'growing' },
      );
      const x = tf.ones([1]);
      expect(() => growing(x)).toThrow(/same type and shape/);
      x.dispose();
      expect(Array.from(session.read(v))).toEqual([0]);
    }));
});
