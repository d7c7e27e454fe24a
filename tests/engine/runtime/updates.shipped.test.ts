/** Updates in place, sums of squares and losses without intermediate arrays. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { after } from '../../../main/engine/runtime/control-flow.js';
import { adamInPlace, sparseCrossEntropy, sumOfSquares } from '../../../main/engine/runtime/ops.js';
import { difference, knownNumbers as known, taken, testRuntime, ways, withSession } from '../../support/runtime.js';

beforeAll(testRuntime);

const close = (actual: readonly number[] | undefined, expected: readonly number[]) => {
  expect(difference(actual ?? [], expected)).toBeLessThan(1e-5);
};

describe.each(ways)('fused operations, %s', (way) => {
  it('updates parameters and moments in place, by the formula, before later reads', () =>
    withSession(way, (session, xla) => {
      const [start, slopes] = [known(6, 1), known(6, 2)];
      const variable = (name: string, values?: Float32Array) => session.variable(name, [2, 3], values);
      const [parameter, m, v] = [variable('p', start), variable('m'), variable('v')];
      const other = session.variable('q', [2, 3], known(6, 3));
      const [otherM, otherV] = [variable('qm'), variable('qv')];
      const [beta1, beta2] = [0.9, 0.99];
      const step = session.compile(
        (gradient: tf.Tensor, rate: tf.Tensor) => {
          const before = tf.mul(parameter, 1);
          const rules = { beta1, beta2, rate, epsilon: tf.scalar(1e-3) };
          adamInPlace({ parameter, m, v }, gradient, { ...rules, decay: tf.scalar(0.5) });
          adamInPlace({ parameter: other, m: otherM, v: otherV }, gradient, rules);
          return [before, tf.mul(parameter, 1), tf.mul(m, 1)];
        },
        { name: 'adam', xla },
      );
      const [gradient, rate] = [tf.tensor2d(slopes, [2, 3]), tf.scalar(0.1)];
      let [p, mean, square] = [Array.from(start), Array<number>(6).fill(0), Array<number>(6).fill(0)];
      for (let i = 0; i < 3; i++) {
        const [before, now, momentNow] = taken(step(gradient, rate)).map(({ values }) => values);
        close(before, p);
        mean = mean.map((x, j) => beta1 * x + (1 - beta1) * (slopes[j] ?? NaN));
        square = square.map((x, j) => beta2 * x + (1 - beta2) * (slopes[j] ?? NaN) ** 2);
        p = p.map((x, j) => 0.5 * x - (0.1 * (mean[j] ?? NaN)) / (Math.sqrt(square[j] ?? NaN) + 1e-3));
        close(now, p);
        close(momentNow, mean);
      }
      close(Array.from(session.read(parameter)), p);
      close(Array.from(session.read(v)), square);
      close(Array.from(session.read(otherM)), mean);
      tf.dispose([gradient, rate]);
    }));

  it('sums squares, and computes cross-entropy with its derivative', () =>
    withSession(way, (session, xla) => {
      const [logits, labels] = [tf.tensor2d(known(15, 4), [3, 5]), tf.tensor1d([4, 0, 2], 'int32')];
      const run = session.compile(
        (x: tf.Tensor, y: tf.Tensor) => {
          const { loss, gradient } = sparseCrossEntropy(x, y);
          return [loss, after(gradient, loss), sumOfSquares(x)];
        },
        { name: 'losses', xla },
      );
      const [loss = [], gradient = [], sum] = taken(run(logits, labels)).map(({ values }) => values);
      const rows = logits.arraySync();
      close(sum, [rows.flat().reduce((all, x) => all + x * x, 0)]);
      [4, 0, 2].forEach((label, row) => {
        const exps = (rows[row] ?? []).map(Math.exp);
        const shares = exps.map((x) => x / exps.reduce((a, b) => a + b, 0));
        expect(loss[row]).toBeCloseTo(-Math.log(shares[label] ?? NaN), 5);
        close(
          gradient.slice(5 * row, 5 * row + 5),
          shares.map((x, i) => x - Number(i === label)),
        );
      });
      tf.dispose([logits, labels]);
    }));
});
