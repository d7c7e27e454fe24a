/** The generator against PyTorch: logits, loss, every gradient, and weights after five AdamW steps. */
import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { crossEntropy } from '../../main/engine/model/layers.js';
import { parameterShapes } from '../../shared/architectures/index.js';
import { createParameters, lmLogits, trunk, type Parameters } from '../../main/engine/model/model.js';
import { gradientsOf } from '../../main/engine/train/gradients.js';
import { createAdamW } from '../../main/engine/train/optimizer.js';
import type { Session } from '../../main/engine/runtime/types.js';
import { compileAs, inputsAndLabels, intTensor, take, takeNumber, WAYS, withSession, type Way } from './engine.js';
import { expectClose, expectParity, readFixture, readModelFixture, type ModelFixture } from './fixture.js';

const fixtures = [readModelFixture('bias'), readModelFixture('nobias')];
const cases = fixtures.flatMap((fixture) => WAYS.map((way) => ({ name: fixture.name, way, fixture })));

describe.each(cases)('$name, $way', ({ way, fixture }) => {
  const { facts, generator, weights } = fixture;

  it('has PyTorch’s parameters: names and shapes', () => {
    const shapes = Object.fromEntries(Object.entries(fixture.rewardWeights).map(([name, { shape }]) => [name, shape]));
    expect(shapes).toEqual(parameterShapes(fixture.reward));
  });

  it('logits, for whole and for shorter passages', async () => {
    await withSession(way, (session) => {
      const parameters = createParameters(session, weights);
      const logits = session.compile(
        (ids: tf.Tensor) => [lmLogits(generator, parameters, trunk(generator, parameters, ids))],
        compileAs(way, 'logits'),
      );
      const [whole] = inputsAndLabels(facts.lm.batch);
      const short = intTensor(facts.lm.batch.map((row) => row.slice(0, facts.lm.short_length)));
      const found = { ...take(['logits'], logits(whole)), ...take(['logits_short'], logits(short)) };
      const { logits: first, logits_short: second } = fixture.expected('lm.');
      expectParity(found, { ...(first && { logits: first }), ...(second && { logits_short: second }) });
    });
  });

  it('loss and every gradient', async () => {
    await withSession(way, (session) => {
      const parameters = createParameters(session, weights);
      const names = Object.keys(parameters);
      const run = session.compile(
        (x: tf.Tensor, y: tf.Tensor) => {
          const { value, gradients } = lossAndGradients(fixture, parameters, x, y);
          return [value, ...names.map((name) => gradients[name] ?? tf.scalar(Number.NaN))];
        },
        compileAs(way, 'gradients'),
      );
      const [loss, ...gradients] = run(...inputsAndLabels(facts.lm.batch));
      expectClose(takeNumber(loss), facts.lm.loss);
      expectParity(take(names, gradients), fixture.expected('lm.gradient.'));
    });
  });

  it('five AdamW steps', () => fiveSteps(fixture, way));
});

it('five AdamW steps, compiled by XLA as in training', () => fiveSteps(readModelFixture('bias'), 'xla'));

/** Losses, gradient lengths before clipping, and the weights after. */
async function fiveSteps(fixture: ModelFixture, way: Way): Promise<void> {
  const { adamw } = fixture.facts;
  const after = await withSession(way, (session) => {
    const parameters = createParameters(session, fixture.weights);
    const step = trainStep(session, way, fixture, parameters);
    adamw.batches.forEach((batch, index) => {
      const { loss, norm } = step(batch, index);
      expectClose(loss, adamw.losses[index] ?? Number.NaN);
      expectClose(norm, adamw.norms[index] ?? Number.NaN);
    });
    return Object.fromEntries(Object.entries(parameters).map(([name, of]) => [name, session.read(of)]));
  });
  const expected = Object.entries(fixture.expected('adamw.after.')).map(([name, { shape, data }]) => {
    const same = withoutKeyBias(name, data);
    return [name, { shape: data === same ? shape : [same.length], data: same }] as const;
  });
  const found = Object.entries(after).map(([name, data]) => [name, withoutKeyBias(name, data)] as const);
  expectParity(Object.fromEntries(found), Object.fromEntries(expected));
}

function lossAndGradients({ generator }: ModelFixture, parameters: Parameters, x: tf.Tensor, y: tf.Tensor) {
  return gradientsOf(
    () => crossEntropy(lmLogits(generator, parameters, trunk(generator, parameters, x)), y),
    parameters,
  );
}

function trainStep(session: Session, way: Way, fixture: ModelFixture, parameters: Parameters) {
  const { beta1, beta2, weight_decay: weightDecay, grad_clip: gradClip, learning_rates } = fixture.facts.adamw;
  const optimizer = createAdamW(session, parameters, { beta1, beta2, weightDecay, gradClip });
  const run = session.compile(
    (x: tf.Tensor, y: tf.Tensor, scalars: tf.Tensor) => {
      const { value, gradients } = lossAndGradients(fixture, parameters, x, y);
      return [value, optimizer.apply(gradients, scalars)];
    },
    compileAs(way, 'train_step'),
  );
  return (batch: readonly (readonly number[])[], index: number) => {
    const scalars = optimizer.scalars(index + 1, learning_rates[index] ?? Number.NaN);
    const inputs = inputsAndLabels(batch);
    const [loss, norm] = run(...inputs, scalars);
    tf.dispose([...inputs, scalars]);
    return { loss: takeNumber(loss), norm: takeNumber(norm) };
  };
}

/**
 * A key's bias shifts all scores of a query alike, which softmax ignores: its gradient is exactly 0, AdamW makes steps
 * of whatever rounding leaves of it, and no two float32 implementations agree (PyTorch's float32 is 1e-3 from its own
 * float64 there). It changes no output; the middle third of `c_attn.bias` is left out. Its gradient is compared above.
 */
function withoutKeyBias<A extends Float32Array | Int32Array>(name: string, data: A): A | Float32Array {
  if (!name.endsWith('c_attn.bias')) return data;
  const third = data.length / 3;
  return Float32Array.from([...data.subarray(0, third), ...data.subarray(2 * third)]);
}

describe.each(WAYS)('AdamW alone, %s', (way) => {
  interface OptimizerFacts {
    readonly learning_rates: readonly number[];
    readonly norms: readonly number[];
    readonly beta1: number;
    readonly beta2: number;
    readonly weight_decay: number;
    readonly grad_clip: number;
  }

  it('twelve steps on given gradients, from tiny and zero to far above the clip', async () => {
    const { arrays, facts } = readFixture<OptimizerFacts>('optimizer');
    const under = (prefix: string) =>
      Object.fromEntries(
        Object.entries(arrays).flatMap(([name, array]) =>
          name.startsWith(prefix) ? [[name.slice(prefix.length), array]] : [],
        ),
      );
    const { beta1, beta2, weight_decay: weightDecay, grad_clip: gradClip } = facts;
    const adam = { beta1, beta2, weightDecay, gradClip };
    await withSession(way, (session) => {
      const parameters = createParameters(session, under('start.'));
      const names = Object.keys(parameters);
      const optimizer = createAdamW(session, parameters, adam);
      const step = session.compile(
        (scalars: tf.Tensor, ...given: tf.Tensor[]) => {
          const gradients = Object.fromEntries(given.map((gradient, i) => [names[i] ?? '', gradient]));
          return [optimizer.apply(gradients, scalars)];
        },
        compileAs(way, 'adamw'),
      );
      facts.learning_rates.forEach((rate, index) => {
        const gradients = under(`gradient.${String(index)}.`);
        const given = names.map((name) => {
          const { data, shape } = gradients[name] ?? { data: new Float32Array(), shape: [0] };
          return tf.tensor(data, [...shape]);
        });
        const scalars = optimizer.scalars(index + 1, rate);
        const [norm] = step(scalars, ...given);
        tf.dispose([scalars, ...given]);
        const expectedNorm = facts.norms[index] ?? Number.NaN;
        if (expectedNorm > 0) expectClose(takeNumber(norm), expectedNorm);
        const found = Object.fromEntries(Object.entries(parameters).map(([name, of]) => [name, session.read(of)]));
        expectParity(found, under(`after.${String(index)}.`), 1e-6);
      });
    });
  });
});
