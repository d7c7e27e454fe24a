/** The new losses against finite differences in the places where their gradients are used. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { pretrainingLoss } from '../../../main/engine/grpo/grpo-update.js';
import { distillationLoss } from '../../../main/engine/grpo/expected-evidence.js';
import { createParameters, initialWeights, parameterOf, trunk } from '../../../main/engine/model/model.js';
import { gradientsOf } from '../../../main/engine/train/gradients.js';
import { crossoverLoss, tokenLoss } from '../../../main/engine/reward/reward-objectives.js';
import { hybridEvidence, pooledHidden } from '../../../main/engine/reward/reward-scorer.js';
import { normals } from '../../../main/engine/rng.js';
import type { NamedArrays } from '../../../main/engine/types.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { average } from '../../../main/engine/train/weight-average.js';
import { testRuntime } from '../../support/runtime.js';
import { tinyModel } from '../../support/engine.js';

beforeAll(testRuntime);

/** Central differences of `loss` in some elements of x, against the gradient that tfjs gives. */
function expectGradient(loss: (x: tf.Tensor) => tf.Scalar, shape: number[], step = 1e-2): void {
  const values = normals(
    5,
    40,
    0,
    0,
    shape.reduce((a, b) => a * b, 1),
  );
  const at = (changed: Float32Array) => tf.tidy(() => loss(tf.tensor(changed, shape)).dataSync()[0] ?? NaN);
  const gradient = tf.tidy(() =>
    tf
      .grad((x) => loss(x))(tf.tensor(values, shape))
      .dataSync(),
  );
  for (let i = 0; i < values.length; i += Math.ceil(values.length / 17)) {
    const [more, less] = [values.slice(), values.slice()];
    more[i] = (more[i] ?? 0) + step;
    less[i] = (less[i] ?? 0) - step;
    expect(gradient[i]).toBeCloseTo((at(more) - at(less)) / (2 * step), 3);
  }
}

const crossovers = () => tf.tensor2d([1, 3, 5], [3, 1], 'int32');

describe('gradients of what reward models learn from', () => {
  it('the crossover’s likelihood, by evidence', () => {
    expectGradient((x) => crossoverLoss(x, crossovers()), [3, 6]);
    // And its value: the posterior by hand where evidence says nothing is uniform over N − 1 crossovers.
    const flat = tf.tidy(() => crossoverLoss(tf.zeros([3, 6]), crossovers()).dataSync()[0]);
    expect(flat).toBeCloseTo(Math.log(5), 5);
  });

  it('the decision for each position', () => {
    expectGradient((x) => tokenLoss(x, crossovers()), [3, 6, 2]);
  });

  it('attention pooling, and the head that a hybrid adds, by their weights', async () => {
    const model: GPTConfig = { ...tinyModel, mode: 'reward', reward_kind: 'head', reward_pooling: 'attention' };
    const { weights, names } = loud(model);
    const session = (await testRuntime()).createSession({ compiled: false });
    const parameters = createParameters(session, weights);
    const ids = tf.tensor2d(
      Array.from({ length: 2 * 16 }, (_, i) => (i * 5) % 8),
      [2, 16],
      'int32',
    );
    const hidden = tf.tidy(() => trunk(model, parameters, ids));
    const mask = tf.tensor2d(normals(6, 41, 0, 0, 32), [2, 16]);
    const pooled = () => tf.sum(tf.square(pooledHidden(model, parameters, hidden))) as tf.Scalar;
    expect(names).toContain('reward_head.query');
    await expectParameterGradient(session, parameters, 'reward_head.query', pooled);

    const hybrid: GPTConfig = { ...tinyModel, mode: 'reward', reward_kind: 'hybrid' };
    const learned = createParameters(session, loud(hybrid).weights);
    const loss = () => crossoverLoss(hybridEvidence(learned, hidden, mask), tf.tensor2d([4, 9], [2, 1], 'int32'));
    for (const name of ['reward_evidence.weight', 'reward_head.2.weight', 'reward_head.0.weight']) {
      await expectParameterGradient(session, learned, name, loss);
    }
    session.dispose();
  });
});

it('the pre-training mix is the training loss, with its gradient', async () => {
  const session = (await testRuntime()).createSession({ compiled: false });
  const policy = createParameters(session, loud(tinyModel).weights);
  const [x, y] = [3, 5].map((factor) =>
    tf.tensor2d(
      Array.from({ length: 32 }, (_, i) => (i * factor) % 8),
      [2, 16],
      'int32',
    ),
  ) as [tf.Tensor, tf.Tensor];
  const loss = () => pretrainingLoss(tinyModel, policy, x, y);
  await expectParameterGradient(session, policy, 'transformer.wte.weight', loss);
  await expectParameterGradient(session, policy, 'transformer.h.1.mlp.c_fc.weight', loss);
  session.dispose();
});

it('text that is learned from a critic costs what it differs by, and what the critic does not know', async () => {
  const session = (await testRuntime()).createSession({ compiled: false });
  const policy = createParameters(session, loud(tinyModel).weights);
  const wide: GPTConfig = { ...tinyModel, n_embd: 2 * tinyModel.n_embd };
  const critic = { model: wide, parameters: createParameters(session, loud(wide).weights, 'critic.') };
  const x = tf.tensor2d(
    Array.from({ length: 32 }, (_, i) => (i * 3) % 8),
    [2, 16],
    'int32',
  );
  const hidden = tf.tidy(() => trunk(wide, critic.parameters, x));
  const read = () => ({ model: tinyModel, parameters: policy, hidden: trunk(tinyModel, policy, x) });
  const loss = () => distillationLoss({ policy: read(), critic: { ...critic, hidden } });
  await expectParameterGradient(session, policy, 'transformer.wte.weight', loss);
  await expectParameterGradient(session, policy, 'transformer.h.1.mlp.c_fc.weight', loss);
  // Of itself it learns nothing: there the gradient is 0.
  const own = { model: tinyModel, parameters: policy };
  const states = tf.tidy(() => trunk(tinyModel, policy, x));
  const { gradients } = gradientsOf(() => distillationLoss({ policy: read(), critic: { ...own, hidden: states } }), {
    head: parameterOf(policy, 'transformer.h.1.mlp.c_fc.weight'),
  });
  expect(Math.max(...(gradients['head']?.dataSync() ?? [NaN]).map(Math.abs))).toBeLessThan(1e-6);
  session.dispose();
});

it('an average of weights moves by its share each time', async () => {
  const session = (await testRuntime()).createSession();
  const weights = { a: session.variable('a', [2], Float32Array.of(4, -4)) };
  const averages = { a: session.variable('average.a', [2], Float32Array.of(0, 0)) };
  const step = session.compile(
    () => {
      average(averages, weights, 0.75);
      return [tf.scalar(0)];
    },
    { name: 'average', xla: false },
  );
  tf.dispose([...step(), ...step()]);
  expect(Array.from(session.read(averages.a))).toEqual([1.75, -1.75]);
  session.dispose();
});

/** Larger weights than GPT-2's start, so that gradients are far from 0. */
function loud(model: GPTConfig): { readonly weights: NamedArrays; readonly names: readonly string[] } {
  const weights = Object.fromEntries(
    Object.entries(initialWeights(model, 5)).map(([name, { shape, data }]) => [
      name,
      { shape, data: shape.length === 2 ? data.map((value) => value * 10) : data },
    ]),
  );
  return { weights, names: Object.keys(weights) };
}

async function expectParameterGradient(
  session: ReturnType<Awaited<ReturnType<typeof testRuntime>>['createSession']>,
  parameters: ReturnType<typeof createParameters>,
  name: string,
  loss: () => tf.Scalar,
): Promise<void> {
  const variable = parameterOf(parameters, name);
  const start = Float32Array.from(session.read(variable));
  const gradient = tf.tidy(() => (gradientsOf(loss, { [name]: variable }).gradients[name] as tf.Tensor).dataSync());
  const at = (i: number, change: number) => {
    const values = start.slice();
    values[i] = (values[i] ?? 0) + change;
    session.write(variable, values);
    return tf.tidy(() => loss().dataSync()[0] ?? NaN);
  };
  const step = 5e-3;
  for (let i = 0; i < start.length; i += Math.ceil(start.length / 7)) {
    const measured = (at(i, step) - at(i, -step)) / (2 * step);
    expect(Math.abs((gradient[i] ?? NaN) - measured)).toBeLessThan(2e-3 + 0.02 * Math.abs(measured));
  }
  session.write(variable, start);
}
