/** Under every rule, the shares of drawn tokens are the probabilities that the scorer has for them. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, expect, it } from 'vitest';
import { sampleTokens } from '../../../main/engine/generate/sampling.js';
import { logProbsUnder, type SamplingRule, UNDRAWN } from '../../../main/engine/model/sampling-rule.js';
import { uniforms } from '../../../main/engine/rng.js';
import { testRuntime } from '../../support/runtime.js';

const LOGITS = [1, 0.2, -1, 2.5, 0.6, 1.9, -0.4, 1.5, -2, 0.9, 2.2, -3];
const V = LOGITS.length;
const DRAWS = 10_000;
/** Tokens of the context, likely and unlikely ones. */
const SEEN = [2, 3, 7];

beforeAll(testRuntime);

const rules: readonly { readonly name: string; readonly rule: SamplingRule; readonly choices: number }[] = [
  { name: 'all tokens', rule: { temperature: 1 }, choices: V },
  { name: 'a temperature', rule: { temperature: 0.6 }, choices: V },
  { name: 'top k', rule: { temperature: 1, topK: 3 }, choices: 3 },
  { name: 'one token', rule: { temperature: 1, topK: 1 }, choices: 1 },
  { name: 'top p', rule: { temperature: 1, topP: 0.7 }, choices: 4 },
  { name: 'min p', rule: { temperature: 1, minP: 0.3 }, choices: 4 },
  { name: 'a repetition penalty', rule: { temperature: 1, repetitionPenalty: 1.8 }, choices: V },
  { name: 'the tokenizer’s tokens', rule: { temperature: 1, vocabLimit: 10 }, choices: 10 },
  { name: 'no special tokens', rule: { temperature: 1, excluded: [3, 5] }, choices: V - 2 },
  { name: 'special tokens beyond the model', rule: { temperature: 1, excluded: [V, V + 7] }, choices: V },
  {
    name: 'all of these',
    rule: { temperature: 1.3, topK: 6, topP: 0.9, minP: 0.35, vocabLimit: 11, excluded: [3, 5] },
    choices: 4,
  },
];

it.each(rules)('$name', ({ rule, choices }) => {
  const [drawn, scored] = tf.tidy(() => {
    const u = tf.tensor1d(uniforms(1, 2, 3, 0, DRAWS));
    const rows = tf.tensor2d(Array.from({ length: V }, () => LOGITS));
    const seen = tf.tensor1d(
      LOGITS.map((_, id) => SEEN.includes(id)),
      'bool',
    );
    return [
      sampleTokens(tf.tile(tf.tensor2d([LOGITS]), [DRAWS, 1]), u, rule, seen).dataSync(),
      logProbsUnder(rows, tf.range(0, V, 1, 'int32'), rule, seen).dataSync(),
    ];
  });
  const probabilities = Array.from(scored, (logProb) => (logProb === UNDRAWN ? 0 : Math.exp(logProb)));
  expect(probabilities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 5);
  expect(probabilities.filter((p) => p > 0)).toHaveLength(choices);
  probabilities.forEach((p, id) => {
    const share = drawn.filter((one) => one === id).length / DRAWS;
    // Five standard deviations; a token without probability is never drawn.
    expect(Math.abs(share - p), `token ${id}`).toBeLessThanOrEqual(5 * Math.sqrt((p * (1 - p)) / DRAWS) + (p && 1e-6));
  });
});

it('forgives the scorer’s rounding at the last of the likeliest tokens', () => {
  const rule = { temperature: 1, topK: 2 };
  const scores = tf.tidy(() => {
    const rows = tf.tensor2d([[3, 2, 1.99, 0]].concat([[3, 2, 1.99, 0]]));
    return logProbsUnder(rows, tf.tensor1d([2, 3], 'int32'), rule).dataSync();
  });
  expect(scores[0]).toBeCloseTo(1.99 - Math.log(Math.exp(3) + Math.exp(2) + Math.exp(1.99)), 4);
  expect(scores[1]).toBe(UNDRAWN);
});

it('draws from a large vocabulary as from a small one', () => {
  const places = LOGITS.map((_, id) => id * 110);
  const large = Array.from({ length: 1300 }, (_, at) => LOGITS[places.indexOf(at)] ?? -1e9);
  const u = Float32Array.of(...uniforms(1, 2, 3, 0, 1000), 1 - 2 ** -24);
  const draw = (logits: readonly number[]) =>
    tf.tidy(() =>
      sampleTokens(tf.tile(tf.tensor2d([[...logits]]), [u.length, 1]), tf.tensor1d(u), { temperature: 1 }).dataSync(),
    );
  expect(Array.from(draw(large))).toEqual(Array.from(draw(LOGITS), (id) => places[id]));
});
