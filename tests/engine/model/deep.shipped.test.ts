/** A step of a deep network is compiled block by block, whatever its architecture: the same numbers, and no more to compile with more blocks. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, expect, it } from 'vitest';
import { trainedOf } from '../../../main/engine/model/adapters.js';
import { noiseOfPassages } from '../../../main/engine/model/dropout.js';
import { createParameters, initialWeights, trunk } from '../../../main/engine/model/model.js';
import { nextTokenLoss } from '../../../main/engine/model/token-losses.js';
import { gradientsOf } from '../../../main/engine/train/gradients.js';
import { createAdamW, updatesInPlace } from '../../../main/engine/train/optimizer.js';
import { average, createAverages } from '../../../main/engine/train/weight-average.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation } from '../../../shared/config/train.js';
import { compiles } from '../../../shared/costs/work.js';
import { tinyLlama, tinyModel, tinyModern } from '../../support/engine.js';
import { difference, taken, testRuntime, withCompiling, type Way } from '../../support/runtime.js';

beforeAll(testRuntime);

const lora = { rank: 2, alpha: 4, projections: 'all' } as const;
const networks: readonly [string, GPTConfig, Recomputation | undefined][] = [
  ['gpt2, with dropout', { ...tinyModel, dropout: 0.2 }, undefined],
  ['llama, with adapters', { ...tinyLlama, dropout: 0, lora }, undefined],
  ['llama, which computes again, with dropout', { ...tinyLlama, dropout: 0.2 }, 'full'],
  ['modern, with dropout', { ...tinyModern, dropout: 0.2 }, undefined],
];

const tokens = (model: GPTConfig, shift: number) =>
  tf.tensor2d(
    Array.from({ length: 2 * model.block_size }, (_, i) => (3 * i + shift) % model.vocab_size),
    [2, model.block_size],
    'int32',
  );

/** Two steps: losses, gradient norms, averages and weights; and what there was to compile. */
async function trained(way: Way, model: GPTConfig, recomputation: Recomputation | undefined) {
  const { result, compiled } = await withCompiling(way, (session, xla) => {
    const weights = initialWeights(model, 1);
    for (const { data } of Object.values(weights)) data.forEach((x, i) => (data[i] = x + 0.05 * Math.sin(1 + i)));
    const parameters = createParameters(session, weights);
    const learning = trainedOf(model, parameters);
    const averages = createAverages(session, learning, undefined);
    const config = { weightDecay: 0.1, gradClip: 1, inPlace: updatesInPlace(model) };
    const optimizer = createAdamW(session, learning, config);
    const step = session.compile(
      (x: tf.Tensor, y: tf.Tensor, key: tf.Tensor, scalars: tf.Tensor) => {
        const { value, gradients } = gradientsOf(() => {
          const hidden = trunk(model, parameters, x, noiseOfPassages(key, 2), recomputation);
          return nextTokenLoss({ model, parameters, hidden, labels: y });
        }, learning);
        const norm = optimizer.apply(gradients, scalars);
        average(averages, learning, 0.5);
        return { value, norm };
      },
      { name: 'step', xla },
    );
    const seen: number[] = [];
    for (let i = 1; i <= 2; i++) {
      const key = tf.tensor2d([i, 3, 0, i, 3, 1], [2, 3], 'int32');
      const inputs = [tokens(model, i), tokens(model, i + 1), key, optimizer.scalars(i, 1e-3)] as const;
      for (const { values } of taken(Object.values(step(...inputs)))) seen.push(...values);
      tf.dispose([...inputs]);
    }
    for (const variable of Object.values({ ...learning, ...averages })) seen.push(...session.read(variable));
    return seen;
  });
  return { numbers: result, compiled };
}

it.each(networks)('%s: learns the same as one operation at a time', async (_, model, recomputation) => {
  const deep = { ...model, n_layer: 12 };
  const [cut, eager] = [await trained('xla', deep, recomputation), await trained('eager', deep, recomputation)];
  expect(cut.numbers.length).toBeGreaterThan(100);
  expect(difference(cut.numbers, eager.numbers)).toBeLessThan(2e-3);
});

it.each(networks.slice(1))(
  '%s: has hardly more to compile with fourteen blocks than with twelve',
  async (_, model, recomputation) => {
    const [twelve, fourteen] = [
      await trained('xla', { ...model, n_layer: 12 }, recomputation),
      await trained('xla', { ...model, n_layer: 14 }, recomputation),
    ];
    // Two keys of dropout more, and two more terms of a sum.
    expect(fourteen.compiled - twelve.compiled).toBeLessThan(0.03 * twelve.compiled);
  },
);

it('is one function with fewer blocks than twelve, as it is estimated', async () => {
  const [eleven, twelve] = [11, 12].map((n_layer) => ({ ...tinyModern, n_layer }));
  if (!eleven || !twelve) throw new Error('two networks');
  const [whole, cut] = [await trained('xla', eleven, undefined), await trained('xla', twelve, undefined)];
  expect(whole.compiled).toBeGreaterThan(1.1 * cut.compiled);
  expect(compiles(eleven, 'train').compiled).toBeGreaterThan(1.1 * compiles(twelve, 'train').compiled);
});
