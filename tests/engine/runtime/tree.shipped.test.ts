/** Trees of tensors: into a list, back again, and through compiled functions and loops. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { whileLoop } from '../../../main/engine/runtime/control-flow.js';
import { disposeTrees, flatten, mapTensors, takeScalars } from '../../../main/engine/runtime/tree.js';
import { testRuntime, ways, withSession } from '../../support/runtime.js';

beforeAll(testRuntime);

const numbersOf = (tensors: readonly tf.Tensor[]) => tensors.map((tensor) => tensor.dataSync()[0]);

describe('flatten', () => {
  it('goes depth first, by sorted key, and rebuilds the tree of other leaves', () => {
    tf.tidy(() => {
      const tree = { b: [tf.scalar(2), { z: tf.scalar(4), y: tf.scalar(3) }], a: tf.scalar(1), none: undefined };
      const { leaves, rebuild } = flatten(tree);
      expect(numbersOf(leaves)).toEqual([1, 2, 3, 4]);
      const [a, b, y, z] = [10, 20, 30, 40].map((value) => tf.scalar(value));
      expect(rebuild([a, b, y, z].flatMap((leaf) => leaf ?? []))).toEqual({ a, b: [b, { y, z }] });
    });
  });

  it('distinguishes structures, but not absent and undefined values', () => {
    tf.tidy(() => {
      const x = tf.scalar(1);
      const structureOf = (tree: Parameters<typeof flatten>[0]) => flatten(tree).structure;
      const all = [{ a: x }, { b: x }, [x], [[x]], [x, x], { a: [x] }, { a: x, b: x }, []].map(structureOf);
      expect(new Set(all).size).toBe(all.length);
      expect(structureOf({ a: x, b: undefined })).toBe(structureOf({ a: x }));
      expect(structureOf([undefined, x])).not.toBe(structureOf([x, undefined]));
    });
  });
});

describe('trees', () => {
  it('are mapped, freed, and read', async () => {
    const before = tf.memory().numTensors;
    const tree = { a: tf.scalar(1), b: [tf.scalar(2)] };
    const doubled = mapTensors(tree, (x) => tf.mul(x, 2));
    expect(numbersOf(flatten(doubled).leaves)).toEqual([2, 4]);
    disposeTrees(tree, doubled);
    expect(await takeScalars({ loss: tf.scalar(0.5), left: undefined })).toEqual({ loss: 0.5, left: NaN });
    expect(tf.memory().numTensors).toBe(before);
  });

  it.each(ways)('are what compiled functions and loops take and return, %s', (way) =>
    withSession(way, (session, xla) => {
      let traced = 0;
      const f = session.compile(
        ({ x, shift }: { x: tf.Tensor; shift?: tf.Tensor }, [times]: readonly [tf.Tensor]) => {
          traced++;
          const last = whileLoop(
            ({ i }) => tf.less(i, times),
            ({ i, sums }) => ({ i: tf.add(i, 1), sums: sums.map((sum) => tf.add(sum, x)) }),
            { i: tf.scalar(0) as tf.Tensor, sums: [x, tf.scalar(0)] as readonly tf.Tensor[] },
          );
          return { total: shift ? tf.add(last.sums[0] ?? 0, shift) : last.sums, times };
        },
        { name: 'tree', xla },
      );
      const [x, two, times] = [tf.scalar(3), tf.scalar(2), tf.scalar(4)];
      const plain = f({ x }, [times]);
      expect(numbersOf(flatten(plain.total).leaves)).toEqual([15, 12]);
      const shifted = f({ shift: two, x }, [times]);
      expect(numbersOf(flatten(shifted).leaves)).toEqual([4, 17]);
      const tracedTwice = traced;
      disposeTrees(f({ x, shift: two }, [times]));
      // The order of keys makes no other function.
      if (way !== 'eager') expect(traced).toBe(tracedTwice);
      disposeTrees(plain, shifted, x, two, times);
    }),
  );
});
