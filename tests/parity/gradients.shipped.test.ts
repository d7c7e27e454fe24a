/**
 * Finite differences for every layer that the engine writes itself, and for its one custom gradient: TensorFlow's value
 * and gradient in float32 against the same formula in plain float64 JavaScript, differentiated numerically.
 */
import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { grpoLossReference } from '../engine/grpo/loss-reference.js';
import { dropout, dropoutNoise } from '../../main/engine/model/dropout.js';
import {
  crossEntropy,
  gelu,
  layerNorm,
  rmsNorm,
  silu,
  tokenEntropies,
  tokenLogProbs,
} from '../../main/engine/model/layers.js';
import { anglesOf, rotaryFrequencies, rotate } from '../../main/engine/model/rotary.js';
import { maskedMean, policyLoss, stopGradient } from '../../main/engine/grpo/policy-loss.js';
import { normals, uniforms } from '../../main/engine/rng.js';
import { compileAs, WAYS, withSession } from './engine.js';
import { relativeError, TOLERANCE } from './fixture.js';

const ROWS = 6;
const WIDTH = 7;

/** A function of x, of one or many results: in TensorFlow and in float64. */
interface Case {
  readonly name: string;
  readonly x: Float32Array;
  readonly inTensorFlow: (x: tf.Tensor) => tf.Tensor;
  readonly inFloat64: (x: Float64Array) => readonly number[];
}

const noise = (step: number, scale = 1, count = ROWS * WIDTH): Float32Array =>
  normals(11, 0, step, 0, count).map((value) => value * scale);
// A weighted sum makes one number of many, and keeps errors in different places from cancelling.
const weights = noise(1);
const weighted = (values: tf.Tensor): tf.Scalar =>
  tf.sum(tf.mul(values, tf.tensor(weights.slice(0, values.size), values.shape)));
const weightedSum = (values: readonly number[]): number =>
  values.reduce((sum, value, i) => sum + value * (weights[i] ?? Number.NaN), 0);

const rowsOf = (x: Float64Array): number[][] =>
  Array.from({ length: ROWS }, (_, row) => Array.from(x.subarray(row * WIDTH, (row + 1) * WIDTH)));
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const scale = noise(2, 0.5, WIDTH);
const shift = noise(3, 0.5, WIDTH);
const layerNormOf = (row: readonly number[], gain: ArrayLike<number>, offset: ArrayLike<number>): number[] => {
  const mean = total(row) / WIDTH;
  const variance = total(row.map((value) => (value - mean) ** 2)) / WIDTH;
  return row.map((value, i) => ((value - mean) / Math.sqrt(variance + 1e-5)) * (gain[i] ?? 0) + (offset[i] ?? 0));
};

const rmsNormOf = (row: readonly number[], gain: ArrayLike<number>): number[] => {
  const root = Math.sqrt(total(row.map((value) => value * value)) / WIDTH + 1e-6);
  return row.map((value, i) => (value / root) * (gain[i] ?? 0));
};

/** Three positions of one head of seven pairs: the pairs are turned by their frequency times the position. */
const rotary = { head_dim: 2 * WIDTH, rope_theta: 50 };
function rotated(x: Float64Array): number[] {
  const frequencies = rotaryFrequencies(rotary);
  const turned = Array.from(x);
  for (let t = 0; t < ROWS / 2; t++) {
    frequencies.forEach((frequency, i) => {
      const [a, b] = [2 * WIDTH * t + i, 2 * WIDTH * t + i + WIDTH];
      const [cos, sin] = [Math.cos(t * frequency), Math.sin(t * frequency)];
      turned[a] = (x[a] ?? NaN) * cos - (x[b] ?? NaN) * sin;
      turned[b] = (x[b] ?? NaN) * cos + (x[a] ?? NaN) * sin;
    });
  }
  return turned;
}

/** The error function by its Taylor series: exact to double precision for |x| below 3. */
function erf(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; n < 80; n++) {
    term *= -(x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

const labels = Int32Array.from(uniforms(11, 0, 4, 0, ROWS), (u) => Math.floor(u * WIDTH));
const logSoftmax = (row: readonly number[]): number[] => {
  const log = Math.log(total(row.map(Math.exp)));
  return row.map((value) => value - log);
};
const labelLogProbs = (x: Float64Array): number[] =>
  rowsOf(x).map((row, i) => logSoftmax(row)[labels[i] ?? 0] ?? Number.NaN);
const mask = Float32Array.of(1, 0, 1, 1, 0, 1);

const advantages = noise(5, 1, ROWS);
const old = noise(6, 0.4).map((value, i) => value * 0.5 + (noise(7)[i] ?? 0) * 0.5);
const reference = noise(8, 0.5);
const tokenMask = uniforms(11, 0, 9, 0, ROWS * WIDTH).map((u) => (u < 0.7 ? 1 : 0));

const cases: readonly Case[] = [
  {
    name: 'layer norm, in its input',
    x: noise(0),
    inTensorFlow: (x) => layerNorm({ weight: tf.tensor1d(scale), bias: tf.tensor1d(shift) }, x),
    inFloat64: (x) => rowsOf(x).flatMap((row) => layerNormOf(row, scale, shift)),
  },
  {
    name: 'layer norm of rows far from zero and of nearly equal values',
    x: noise(0, 0.1).map((value, i) => value + Math.floor(i / WIDTH)),
    inTensorFlow: (x) => layerNorm({ weight: tf.tensor1d(scale) }, x),
    inFloat64: (x) => rowsOf(x).flatMap((row) => layerNormOf(row, scale, new Float32Array(WIDTH))),
  },
  {
    name: 'layer norm, in its scale',
    x: scale,
    inTensorFlow: (x) => layerNorm({ weight: x, bias: tf.tensor1d(shift) }, tf.tensor2d(noise(0), [ROWS, WIDTH])),
    inFloat64: (x) => rowsOf(Float64Array.from(noise(0))).flatMap((row) => layerNormOf(row, Array.from(x), shift)),
  },
  {
    name: 'layer norm, in its shift',
    x: shift,
    inTensorFlow: (x) => layerNorm({ weight: tf.tensor1d(scale), bias: x }, tf.tensor2d(noise(0), [ROWS, WIDTH])),
    inFloat64: (x) => rowsOf(Float64Array.from(noise(0))).flatMap((row) => layerNormOf(row, scale, Array.from(x))),
  },
  {
    name: 'GELU, exact form',
    x: noise(0, 1.2),
    inTensorFlow: (x) => gelu(x),
    inFloat64: (x) => Array.from(x, (value) => 0.5 * value * (1 + erf(value * Math.SQRT1_2))),
  },
  {
    name: 'RMS norm, in its input',
    x: noise(0),
    inTensorFlow: (x) => rmsNorm({ weight: tf.tensor1d(scale) }, x, 1e-6),
    inFloat64: (x) => rowsOf(x).flatMap((row) => rmsNormOf(row, scale)),
  },
  {
    name: 'RMS norm, in its scale',
    x: scale,
    inTensorFlow: (x) => rmsNorm({ weight: x }, tf.tensor2d(noise(0), [ROWS, WIDTH]), 1e-6),
    inFloat64: (x) => rowsOf(Float64Array.from(noise(0))).flatMap((row) => rmsNormOf(row, x)),
  },
  {
    name: 'SiLU',
    x: noise(0, 1.5),
    inTensorFlow: (x) => silu(x),
    inFloat64: (x) => Array.from(x, (value) => value / (1 + Math.exp(-value))),
  },
  {
    name: 'rotary positions',
    x: noise(0),
    inTensorFlow: (x) => rotate(tf.reshape(x, [1, ROWS / 2, 2 * WIDTH]), anglesOf(rotary, ROWS / 2)),
    inFloat64: rotated,
  },
  {
    name: 'log-probabilities of labels',
    x: noise(0, 3),
    inTensorFlow: (x) => tokenLogProbs(x, tf.tensor1d(labels, 'int32')),
    inFloat64: (x) => labelLogProbs(x),
  },
  {
    name: 'cross-entropy',
    x: noise(0, 3),
    inTensorFlow: (x) => crossEntropy(x, tf.tensor1d(labels, 'int32')),
    inFloat64: (x) => [-total(labelLogProbs(x)) / ROWS],
  },
  {
    name: 'mean entropy under a mask',
    x: noise(0, 2),
    inTensorFlow: (x) => maskedMean(tokenEntropies(tf.reshape(x, [1, ROWS, WIDTH])), tf.tensor2d(mask, [1, ROWS])),
    inFloat64: (x) => {
      const entropies = rowsOf(x).map((row) => -total(logSoftmax(row).map((log) => Math.exp(log) * log)));
      return [total(entropies.map((entropy, i) => entropy * (mask[i] ?? 0))) / total(Array.from(mask))];
    },
  },
  {
    name: 'stopGradient: the value passes, the gradient does not (x times its constant copy)',
    x: noise(0),
    inTensorFlow: (x) => tf.mul(x, stopGradient(x) as tf.Tensor),
    inFloat64: (x) => Array.from(x, (value, i) => value * (noise(0)[i] ?? 0)),
  },
  ...(['grpo', 'dapo', 'dr_grpo'] as const).map((lossType): Case => ({
    name: `policy loss in the log-probabilities, ${lossType}`,
    x: noise(7, 0.5),
    inTensorFlow: (x) =>
      policyLoss(
        {
          logProbs: x,
          oldLogProbs: tf.tensor2d(old, [ROWS, WIDTH]),
          referenceLogProbs: tf.tensor2d(reference, [ROWS, WIDTH]),
          advantages: tf.tensor2d(advantages, [ROWS, 1]),
          mask: tf.tensor2d(tokenMask, [ROWS, WIDTH]),
          maxCompletionLength: 9,
        },
        { epsilon: 0.2, epsilon_high: 0.28, beta: 0.1, loss_type: lossType },
      ).loss,
    inFloat64: (x) => [
      grpoLossReference(
        { logProbs: x, oldLogProbs: old, referenceLogProbs: reference, mask: tokenMask, advantages },
        { epsilon: 0.2, epsilonHigh: 0.28, beta: 0.1, lossType, maxCompletionLength: 9 },
      ).loss,
    ],
  })),
];

function finiteDifferences(fn: (x: Float64Array) => number, at: Float32Array): Float64Array {
  const step = 1e-5;
  return Float64Array.from(at, (_, place) => {
    const moved = (by: number): number => fn(Float64Array.from(at, (value, i) => value + (i === place ? by : 0)));
    return (moved(step) - moved(-step)) / (2 * step);
  });
}

describe.each(WAYS)('%s', (way) => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', async (name, { x, inTensorFlow, inFloat64 }) => {
    const shape = x.length === WIDTH ? [WIDTH] : [ROWS, WIDTH];
    const { value, gradient } = await withSession(way, (session) => {
      const run = session.compile(
        (input: tf.Tensor) => [inTensorFlow(input), tf.grad((t: tf.Tensor) => weighted(inTensorFlow(t)))(input)],
        compileAs(way, name),
      );
      const [value, grad] = run(tf.tensor(x, shape));
      return { value: value?.dataSync() ?? [], gradient: grad?.dataSync() ?? [] };
    });
    expect(relativeError(value, inFloat64(Float64Array.from(x)))).toBeLessThanOrEqual(TOLERANCE);
    const slope = finiteDifferences((moved) => weightedSum(inFloat64(moved)), x);
    expect(relativeError(gradient, slope)).toBeLessThanOrEqual(TOLERANCE);
  });

  it('dropout: backward drops what forward dropped, and scales it alike', async () => {
    const rate = 0.3;
    const { output, gradient } = await withSession(way, (session) => {
      const run = session.compile(
        (input: tf.Tensor, key: tf.Tensor) => {
          const drop = (t: tf.Tensor): tf.Tensor => dropout(t, rate, dropoutNoise(key as tf.Tensor1D));
          return [drop(input), tf.grad((t: tf.Tensor) => weighted(drop(t)))(input)];
        },
        compileAs(way, 'dropout'),
      );
      const [output, grad] = run(tf.ones([ROWS, WIDTH]), tf.tensor1d([5, 9], 'int32'));
      return { output: output?.dataSync() ?? [], gradient: grad?.dataSync() ?? [] };
    });
    expect(new Set(output)).toEqual(new Set([0, Math.fround(1 / (1 - rate))]));
    expect(
      relativeError(
        gradient,
        Array.from(output, (kept, i) => kept * (weights[i] ?? 0)),
      ),
    ).toBeLessThan(1e-6);
  });
});
