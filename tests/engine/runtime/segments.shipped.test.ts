/** Long functions are compiled segment by segment, equal segments once, with the same results. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { atStart, beginSegment, segmentFrom } from '../../../main/engine/runtime/control-flow.js';
import { adamInPlace } from '../../../main/engine/runtime/ops.js';
import type { Session } from '../../../main/engine/runtime/types.js';
import {
  difference,
  knownNumbers as known,
  taken,
  testRuntime,
  withCompiling,
  withSession,
  type Way,
} from '../../support/runtime.js';

beforeAll(testRuntime);

/** Trains a residual network with updates in place. @param change adds to a step */
function learn(
  session: Session,
  blocks: number,
  xla: boolean,
  change: (weights: readonly tf.Variable[]) => void = () => {},
) {
  const variables = (kind: string, values?: (i: number) => Float32Array) =>
    Array.from({ length: blocks }, (_, i) => session.variable(`${kind}${i}`, [4, 4], values?.(i)));
  const weights = variables('w', (i) => known(16, i));
  const [m, v] = [variables('m'), variables('v')];
  const idle = session.variable('idle', [4, 4], known(16, 9));
  const loss = (x: tf.Tensor) => {
    const deep = weights.reduce((at, w) => {
      const start = segmentFrom(at);
      return tf.add(start, tf.mul(tf.tanh(tf.matMul(start as tf.Tensor2D, w as unknown as tf.Tensor2D)), 0.1));
    }, x);
    return tf.mean(tf.square(segmentFrom(deep))) as tf.Scalar;
  };
  const step = session.compile(
    (x: tf.Tensor, rate: tf.Tensor) => {
      const { value, grads } = tf.variableGrads(() => loss(x), [...weights]);
      weights.forEach((parameter, i) => {
        beginSegment('update');
        const moments = { parameter, m: m[i] as tf.Variable, v: v[i] as tf.Variable };
        const rules = { beta1: 0.9, beta2: 0.99, rate, epsilon: tf.scalar(1e-3), decay: tf.scalar(0.99) };
        adamInPlace(moments, grads[parameter.name] as tf.Tensor, rules);
      });
      change(weights);
      // A read without a use.
      tf.neg(idle);
      return { value, first: tf.sum(weights[0] as tf.Tensor) };
    },
    { name: 'learn', xla },
  );
  const seen: number[] = [];
  for (let i = 0; i < 3; i++) {
    const [x, rate] = [tf.tensor2d(known(12, i), [3, 4]), tf.scalar(0.05)];
    for (const { values } of taken(Object.values(step(x, rate)))) seen.push(...values);
    tf.dispose([x, rate]);
  }
  for (const variable of [...weights, ...m, ...v]) seen.push(...session.read(variable));
  return seen;
}

async function learned(way: Way, blocks: number, change?: (weights: readonly tf.Variable[]) => void) {
  const { result, compiled } = await withCompiling(way, (session, xla) => learn(session, blocks, xla, change));
  return { values: result, compiled };
}

describe('segments of a long function', () => {
  it('give the results of the whole, with variables that are updated in place and read again', async () => {
    const [cut, eager] = [await learned('xla', 14), await learned('eager', 14)];
    expect(difference(cut.values, eager.values)).toBeLessThan(1e-5);
  });

  it('are compiled once if they are equal, so twice the depth costs no more', async () => {
    const [deep, deeper] = [await learned('xla', 14), await learned('xla', 28)];
    expect(deep.compiled).toBeGreaterThan(20);
    expect(deeper.compiled).toBe(deep.compiled);
  });

  it('stay one function if they are few', async () => {
    const [few, more] = [await learned('xla', 5), await learned('xla', 6)];
    expect(more.compiled).toBeGreaterThan(few.compiled);
  });

  it('stay one function if two change one variable', async () => {
    const again = (weights: readonly tf.Variable[]) => {
      beginSegment('again');
      const [w] = weights as readonly [tf.Variable];
      w.assign(tf.mul(w, 0.5));
    };
    const [cut, eager] = [await learned('xla', 14, again), await learned('eager', 14, again)];
    expect(difference(cut.values, eager.values)).toBeLessThan(1e-5);
    expect(cut.compiled).toBeGreaterThan((await learned('xla', 14)).compiled);
  });

  it('cannot take values of later segments at the start', () =>
    withSession('xla', (session, xla) => {
      const x = tf.tensor1d([1, 2]);
      const run = session.compile(
        (at: tf.Tensor) => {
          for (let i = 0; i < 13; i++) beginSegment('many');
          const later = tf.tanh(at);
          const early = atStart(() => tf.exp(later));
          return [tf.add(early, 1)];
        },
        { name: 'early', xla },
      );
      expect(() => run(x)).toThrow('of a later one');
      x.dispose();
    }));
});
