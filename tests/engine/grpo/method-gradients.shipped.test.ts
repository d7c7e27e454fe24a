/** The new losses against finite differences in the places where their gradients are used. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, expect, it } from 'vitest';
import { mixedTextLoss } from '../../../main/engine/grpo/text-mix.js';
import { distillationLoss } from '../../../main/engine/grpo/expected-evidence.js';
import { createParameters, initialWeights, parameterOf, trunk } from '../../../main/engine/model/model.js';
import { sequenceLogProbs } from '../../../main/engine/model/sequence-scores.js';
import { gradientsOf } from '../../../main/engine/train/gradients.js';
import { pairLoss } from '../../../main/engine/voice/pair-loss.js';
import { continuationLogProbs } from '../../../main/engine/voice/passages.js';
import type { NamedArrays } from '../../../main/engine/types.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { average } from '../../../main/engine/train/weight-average.js';
import { testRuntime } from '../../support/runtime.js';
import { tinyModel } from '../../support/engine.js';

beforeAll(testRuntime);

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
  const loss = () => mixedTextLoss({ model: tinyModel, policy, teachers: null }, { x, y });
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

it('pairs cost what DPO says, with its gradient', async () => {
  const session = (await testRuntime()).createSession({ compiled: false });
  const policy = createParameters(session, loud(tinyModel).weights);
  const ids = tf.tensor2d(
    Array.from({ length: 60 }, (_, i) => (i * 3 + (i >> 3)) % 8),
    [6, 10],
    'int32',
  );
  const own = { tokens: 6, shares: { chosen: 0.2, text: 0.5 }, beta: 0.7, reference: tf.tensor1d([-9, -14, -11, -12]) };
  const logProbs = () => continuationLogProbs(tinyModel, policy, ids, own.tokens);
  const loss = () => pairLoss({ ...own, logProbs: logProbs() });
  await expectParameterGradient(session, policy, 'transformer.wte.weight', loss);
  await expectParameterGradient(session, policy, 'transformer.h.1.mlp.c_fc.weight', loss);
  // Rafailov et al. 2023, equation 7, in float64: the chosen ones come first.
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = logProbs().dataSync();
  const cost = (chosen: number, rejected: number) => Math.log1p(Math.exp(-own.beta * (chosen - rejected)));
  const likely = (0.2 * (a + b) + 0.5 * (e + f)) / 2 / own.tokens;
  const expected = (cost(a + 9, c + 11) + cost(b + 14, d + 12)) / 2 - likely;
  expect(loss().dataSync()[0]).toBeCloseTo(expected, 4);
  // Only the continuation counts: an id of the prompt's own prediction changes nothing else.
  const all = tf.tidy(() => sequenceLogProbs(tinyModel, policy, ids, { temperature: 1 }).arraySync() as number[][]);
  expect(a).toBeCloseTo(
    (all[0] ?? []).slice(-own.tokens).reduce((sum, value) => sum + value, 0),
    3,
  );
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
