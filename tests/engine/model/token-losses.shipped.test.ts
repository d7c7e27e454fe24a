/** Losses of a large vocabulary, part after part: as all at once by plain tfjs, with the derivatives. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { tokenEntropies, tokenLogProbs } from '../../../main/engine/model/layers.js';
import { initialWeights, lmLogits, createParameters, parameterOf } from '../../../main/engine/model/model.js';
import { logProbsUnder, type SamplingRule, scoresUnder } from '../../../main/engine/model/sampling-rule.js';
import { nextTokenLoss, nextTokenScores } from '../../../main/engine/model/token-losses.js';
import { boundedModern, tinyLlama } from '../../support/engine.js';
import { difference, taken, testRuntime, ways, withSession } from '../../support/runtime.js';

beforeAll(testRuntime);

const { n_embd: C, vocab_size: V } = tinyLlama;
const [B, T] = [2, 5];
const [hidden, labels] = [
  Float32Array.from({ length: B * T * C }, (_, i) => Math.sin(1 + 1.3 * i)),
  Int32Array.from({ length: B * T }, (_, i) => (3 * i) % V),
];
const rules: readonly SamplingRule[] = [{ temperature: 0.7 }, { temperature: 0.7, topK: 9, excluded: [3] }];

describe.each(ways)('losses of tokens, %s', (way) => {
  it.each([
    { name: 'Llama’s family', model: tinyLlama, rule: rules[0] },
    { name: 'bounded scores', model: boundedModern, rule: rules[0] },
    { name: 'Llama’s family, some tokens', model: tinyLlama, rule: rules[1] },
    { name: 'bounded scores, some tokens', model: boundedModern, rule: rules[1] },
  ])('in four parts are those of all at once: $name', ({ model, rule = { temperature: 1 } }) =>
    withSession(way, (session, xla) => {
      const weights = initialWeights(model, 1);
      const own = weights['lm_head.weight']?.data;
      own?.forEach((_, i) => (own[i] = Math.sin(2 + 0.7 * i)));
      const parameters = createParameters(session, weights);
      const head = parameterOf(parameters, 'lm_head.weight');
      const question = (x: tf.Tensor, y: tf.Tensor) => ({
        model,
        parameters,
        hidden: x,
        labels: y,
        scoresAtOnce: 3 * V,
      });
      const factors = Float32Array.from({ length: B * T }, (_, i) => Math.cos(i));
      /** A value, and its derivatives by hidden states and head. */
      const slopes = (f: () => tf.Scalar, x: tf.Tensor) => {
        const [ofHidden, ofHead] = tf.grads(f as unknown as (...args: tf.Tensor[]) => tf.Tensor)([x, head]);
        return [f(), ofHidden, ofHead] as tf.Tensor[];
      };
      const weighed = (x: tf.Tensor) => tf.sum(tf.mul(x, tf.tensor2d(factors, [B, T]))) as tf.Scalar;
      const run = session.compile(
        (x: tf.Tensor, y: tf.Tensor) => {
          const logits = () => lmLogits(model, parameters, x);
          const plain = () => tokenLogProbs(logits(), y);
          return {
            parts: [
              ...slopes(() => nextTokenLoss(question(x, y)), x),
              ...slopes(() => weighed(nextTokenScores(question(x, y), rule).logProbs), x),
              nextTokenScores(question(x, y), rule).entropies,
            ],
            whole: [
              ...slopes(() => tf.neg(tf.mean(plain())), x),
              ...slopes(() => weighed(logProbsUnder(logits(), y, rule)), x),
              tokenEntropies(scoresUnder(logits(), rule, y)),
            ],
          };
        },
        { name: 'losses', xla },
      );
      const [x, y] = [tf.tensor3d(hidden, [B, T, C]), tf.tensor2d(labels, [B, T], 'int32')];
      const { parts, whole } = run(x, y);
      const [actual, expected] = [taken(parts), taken(whole)];
      expect(actual.map(({ shape }) => shape)).toEqual(expected.map(({ shape }) => shape));
      actual.forEach(({ values }, i) => {
        expect(difference(values, expected[i]?.values ?? []), `number ${i}`).toBeLessThan(2e-6);
      });
      tf.dispose([x, y]);
    }),
  );
});
