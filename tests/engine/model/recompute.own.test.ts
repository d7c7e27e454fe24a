/** What a backward pass computes again is what it would have kept: the same losses and derivatives, of every parameter. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { dropoutNoise } from '../../../main/engine/model/dropout.js';
import { initialWeights, createParameters, trunk } from '../../../main/engine/model/model.js';
import { nextTokenLoss } from '../../../main/engine/model/token-losses.js';
import { gradientsOf } from '../../../main/engine/train/gradients.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation } from '../../../shared/config/train.js';
import { trainedOf } from '../../../main/engine/model/adapters.js';
import { tinyLlama, tinyModern } from '../../support/engine.js';
import { difference, taken, testRuntime, ways, withSession } from '../../support/runtime.js';

beforeAll(testRuntime);

const lora = { rank: 2, alpha: 4, projections: 'all' } as const;
const shape = tinyLlama.llama && { ...tinyLlama.llama, qk_norm: true, attention_bias: 'all' as const };
const networks: readonly [string, GPTConfig][] = [
  ['all weights, with dropout, norms of heads and biases', { ...tinyLlama, dropout: 0.2, llama: shape }],
  ['modern', { ...tinyModern, dropout: 0.2 }],
  ['adapters', { ...tinyLlama, dropout: 0, lora }],
];
const [B, T] = [2, tinyLlama.block_size];
const ids = (shift: number) =>
  tf.tensor2d(
    Array.from({ length: B * T }, (_, i) => (3 * i + shift) % tinyLlama.vocab_size),
    [B, T],
    'int32',
  );

/** Weights that are nowhere zero, so that every derivative counts. */
function weightsOf(model: GPTConfig) {
  const weights = initialWeights(model, 1);
  for (const { data } of Object.values(weights)) data.forEach((value, i) => (data[i] = value + 0.05 * Math.sin(1 + i)));
  return weights;
}

describe.each(ways)('%s', (way) => {
  for (const precision of way === 'graph' ? (['f32', 'bf16'] as const) : (['f32'] as const)) {
    it.each(networks)(`${precision}: %s`, (_, model) =>
      withSession(way, (session, xla) => {
        const parameters = createParameters(session, weightsOf(model));
        const trained = trainedOf(model, parameters);
        const run = session.compile(
          (x: tf.Tensor, y: tf.Tensor, key: tf.Tensor1D) => {
            const slopes = (recomputation?: Recomputation) => {
              const { value, gradients } = gradientsOf(() => {
                const hidden = trunk(model, parameters, x, dropoutNoise(key), recomputation);
                return nextTokenLoss({ model, parameters, hidden, labels: y });
              }, trained);
              return [value, ...Object.values(gradients)];
            };
            return { kept: slopes(), selective: slopes('selective'), full: slopes('full') };
          },
          { name: 'slopes', xla, precision },
        );
        const inputs = [ids(0), ids(1), tf.tensor1d([5, 6], 'int32')] as const;
        const { kept, selective, full } = run(...inputs);
        tf.dispose([...inputs]);
        const expected = taken(kept);
        expect(expected.slice(1).every(({ values }) => values.some((value) => Math.abs(value) > 1e-6))).toBe(true);
        const [bySelective, byFull] = [taken(selective), taken(full)];
        // Sums of several derivatives come in another order, and XLA fuses otherwise.
        const close = (actual: typeof expected, most: number, wanted = expected) => {
          actual.forEach(({ values }, i) => {
            expect(difference(values, wanted[i]?.values ?? [])).toBeLessThanOrEqual(most);
          });
        };
        close(bySelective, 1e-6);
        close(byFull, 1e-6);
        close(byFull, way === 'xla' ? 1e-6 : 0, bySelective);
      }),
    );
  }
});
