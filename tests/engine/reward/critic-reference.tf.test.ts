/**
 * A critic of a writer of few tokens, against a plain calculation in float64 from the models' logits: drawing, log q, evidence,
 * posterior, the fit of its scale and R².
 */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, expect, it } from 'vitest';
import { createParameters, lmLogits, trunk } from '../../../main/engine/model/model.js';
import type { SamplingRule } from '../../../main/engine/model/sampling-rule.js';
import { trainRewardModel } from '../../../main/engine/reward/reward.js';
import { uniform, uniformInt } from '../../../main/engine/rng.js';
import type { LanguageModel } from '../../../main/engine/types.js';
import { memorySlot, samplesInMemory, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';
import { patternModel, patternText } from './pattern-model.js';

const { block_size: T, vocab_size: V } = tinyModel;
const tokens = patternText.train;
const [TRAIN, VAL, SEED] = [256, 256, 9];
let generator: LanguageModel;
let critic: LanguageModel;

beforeAll(async () => {
  generator = await patternModel(20);
  critic = await patternModel(150);
});

/** The logits of every position, (rows, T, V) flat. */
async function logitsOf(
  { model, weights }: LanguageModel,
  rows: readonly (readonly number[])[],
): Promise<Float32Array> {
  const session = (await testEnvironment()).runtime.createSession({ compiled: false });
  try {
    const parameters = createParameters(session, weights);
    return tf.tidy(() => {
      const hidden = trunk(
        model,
        parameters,
        tf.tensor2d(
          rows.map((row) => [...row]),
          undefined,
          'int32',
        ),
      );
      return lmLogits(model, parameters, hidden).dataSync() as Float32Array;
    });
  } finally {
    session.dispose();
  }
}

/** The probability of each token: of the `topK` likeliest, then of the fewest of these that have the share `topP`. */
function probabilities(logits: Float32Array, { topK = null, topP = 1 }: Partial<SamplingRule>): number[] {
  const order = Array.from(logits.keys()).sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0));
  const weights = order.map((id, rank) => (topK === null || rank < topK ? Math.exp(logits[id] ?? 0) : 0));
  const all = weights.reduce((a, b) => a + b, 0);
  let before = 0;
  const kept = weights.map((weight) => {
    const isKept = before < topP * all;
    before += weight;
    return isKept ? weight : 0;
  });
  const total = kept.reduce((a, b) => a + b, 0);
  return Array.from(logits.keys(), (id) => (kept[order.indexOf(id)] ?? 0) / total);
}

const at = (logits: Float32Array, row: number, t: number) => logits.subarray((row * T + t) * V, (row * T + t + 1) * V);

/** Passages that are natural up to K, and drawn from there. */
async function passagesBy(rule: SamplingRule) {
  const rows = Array.from({ length: TRAIN + VAL }, (_, i) => [
    ...tokens.read(uniformInt(SEED, 1, 0, i, tokens.length - T), T),
  ]);
  const crossovers = rows.map((_, i) => 1 + uniformInt(SEED, 2, 0, i, T - 1));
  for (let t = 1; t < T; t++) {
    const logits = await logitsOf(generator, rows);
    rows.forEach((row, i) => {
      if (t < (crossovers[i] ?? 0)) return;
      let left = uniform(SEED, 3, t, i);
      row[t] = probabilities(at(logits, i, t - 1), rule).findIndex((p) => (left -= p) < 0);
    });
  }
  return { rows, crossovers };
}

/** Running sums of log r − log q for each K; a token that is never drawn has log q = −20. */
function evidenceSums(rows: readonly (readonly number[])[], r: Float32Array, q: Float32Array, rule: SamplingRule) {
  return rows.map((row, i) => {
    let sum = 0;
    return Array.from({ length: T - 1 }, (_, k) => {
      const token = row[k] ?? 0;
      if (k === 0) return 0;
      const natural = Math.log(probabilities(at(r, i, k - 1), {})[token] ?? 0);
      sum += natural - Math.max(-20, Math.log(probabilities(at(q, i, k - 1), rule)[token] ?? 0));
      return sum;
    });
  });
}

function posterior(sums: readonly number[], scale: number): number[] {
  const most = Math.max(...sums.map((sum) => scale * sum));
  const weights = sums.map((sum) => Math.exp(scale * sum - most));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / total);
}

async function referenceR2(rows: readonly number[][], crossovers: readonly number[], rule: SamplingRule) {
  const sums = evidenceSums(rows, await logitsOf(critic, rows), await logitsOf(generator, rows), rule);
  const likelihood = (scale: number) =>
    sums
      .slice(0, TRAIN)
      .reduce((sum, own, i) => sum + Math.log(posterior(own, scale)[(crossovers[i] ?? 0) - 1] ?? 0), 0);
  const scales = Array.from({ length: 60 }, (_, i) => (i + 1) / 20);
  const scale = scales.reduce((best, one) => (likelihood(one) > likelihood(best) ? one : best));
  const truth = crossovers.slice(TRAIN).map((K) => K / T);
  const errors = truth.map((y, i) => {
    const mean = posterior(sums[TRAIN + i] ?? [], scale).reduce((sum, p, k) => sum + p * (k + 1), 0) / T;
    return (mean - y) ** 2;
  });
  const middle = truth.reduce((a, b) => a + b, 0) / VAL;
  const spread = truth.reduce((sum, y) => sum + (y - middle) ** 2, 0);
  return 1 - errors.reduce((a, b) => a + b, 0) / spread;
}

it.each<[string, SamplingRule]>([
  ['top_k 3', { temperature: 1, topK: 3 }],
  ['top_k 3 and top-p 0.9', { temperature: 1, topK: 3, topP: 0.9 }],
])('%s: R² is that of a plain calculation', async (_, rule) => {
  const { rows, crossovers } = await passagesBy(rule);
  const samples = (from: number, to: number) =>
    samplesInMemory(
      T,
      rows.slice(from, to),
      crossovers.slice(from, to).map((K) => K / T),
    );
  const { report } = await trainRewardModel({
    ...{ ...generator, critic, rule, seed: 1, slot: memorySlot(), env: await testEnvironment() },
    ...{ trainSamples: samples(0, TRAIN), valSamples: samples(TRAIN, TRAIN + VAL) },
    config: tinyConfig({ reward_kind: 'critic' }),
  });
  const expected = await referenceR2(rows, crossovers, rule);
  expect(expected).toBeGreaterThan(0.5);
  expect(Math.abs((report.r2 ?? NaN) - expected)).toBeLessThan(0.05);
});
