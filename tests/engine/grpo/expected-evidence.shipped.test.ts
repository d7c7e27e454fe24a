/** The expectation over all tokens against what it is the expectation of, and GRPO with it. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { distillationLoss, expectedEvidence } from '../../../main/engine/grpo/expected-evidence.js';
import { trainGrpo } from '../../../main/engine/grpo/grpo.js';
import { architectureOf } from '../../../main/engine/model/architectures.js';
import { createParameters, initialWeights, parameterOf } from '../../../main/engine/model/model.js';
import type { LogitsInput } from '../../../main/engine/model/chunked-logits.js';
import { readBefore } from '../../../main/engine/model/sequence-scores.js';
import { gradientsOf } from '../../../main/engine/train/gradients.js';
import type { Message } from '../../../shared/messages/message.js';
import type { NamedArrays } from '../../../main/engine/types.js';
import {
  boundedModern,
  hashOf,
  memorySlot,
  patternTokens,
  testEnvironment,
  tinyConfig,
  tinyLlama,
  tinyModel,
} from '../../support/engine.js';
import { counting } from '../../support/counting.js';
import { inEnglish } from '../../support/messages.js';
import { difference, taken, testRuntime, ways, withSession } from '../../support/runtime.js';

beforeAll(testRuntime);

type Network = Omit<LogitsInput, 'hidden'>;

/** Weights so large that networks differ clearly in what they expect. */
const loud = (seed: number): NamedArrays =>
  Object.fromEntries(
    Object.entries(initialWeights(tinyModel, seed)).map(([name, { shape, data }]) => [
      name,
      { shape, data: shape.length === 2 ? data.map((value) => value * 8) : data },
    ]),
  );

describe('expected evidence', () => {
  it('has the mean and the mean gradient of the evidence of tokens drawn from the policy', async () => {
    const session = (await testRuntime()).createSession({ compiled: false });
    const [policy, writer, critic] = [1, 2, 3].map((seed) => createParameters(session, loud(seed), `${seed}.`)) as [
      ReturnType<typeof createParameters>,
      ReturnType<typeof createParameters>,
      ReturnType<typeof createParameters>,
    ];
    const ids = tf.tensor2d(
      Array.from({ length: 3 * 16 }, (_, i) => (i * 5) % 8),
      [3, 16],
      'int32',
    );
    const [temperature, bound, beta] = [0.9, 0.7, 0.4];
    const networks = () => ({
      policy: readBefore(tinyModel, policy, ids),
      writer: readBefore(tinyModel, writer, ids),
      critic: readBefore(tinyModel, critic, ids),
    });
    const logProbs = ({ model, parameters, hidden }: LogitsInput, at: number) =>
      tf.logSoftmax(tf.div(architectureOf(model).network(model, parameters).logits(hidden), at));

    const closed = gradientsOf(() => {
      const { evidence, kl } = expectedEvidence(networks(), { temperature }, bound);
      return tf.mean(tf.sub(evidence, tf.mul(kl, beta))) as tf.Scalar;
    }, policy);
    // Every token of the vocabulary in turn, as often as the policy draws it: REINFORCE without chance.
    const [weights, gains] = tf.tidy(() => {
      const read = networks();
      const p = logProbs(read.policy, temperature);
      const q = logProbs(read.writer, temperature);
      const clipped = tf.clipByValue(tf.sub(logProbs(read.critic, 1), q), -bound, bound);
      return [tf.exp(p), tf.sub(clipped, tf.mul(tf.sub(p, q), beta))];
    });
    const sampled = gradientsOf(() => {
      const p = logProbs(networks().policy, temperature);
      return tf.mean(tf.sum(tf.mul(tf.mul(weights, gains), p), -1)) as tf.Scalar;
    }, policy);
    for (const [name, gradient] of Object.entries(closed.gradients)) {
      const other = sampled.gradients[name]?.dataSync() ?? [];
      gradient.dataSync().forEach((value, i) => expect(value).toBeCloseTo(other[i] ?? NaN, 5));
    }
    const expected = tf.tidy(() => tf.mean(tf.sum(tf.mul(weights, gains), -1)).dataSync()[0]);
    expect(closed.value.dataSync()[0]).toBeCloseTo(expected ?? NaN, 5);
    expect(Math.max(...(closed.gradients['transformer.wte.weight']?.dataSync() ?? []))).toBeGreaterThan(1e-4);
    session.dispose();
  });
});

describe.each(ways)('a vocabulary too large for all scores at once, %s', (way) => {
  it.each([
    { name: 'Llama’s family', model: tinyLlama },
    { name: 'bounded scores', model: boundedModern },
  ])('has the same values and derivatives in four parts: $name', ({ model }) =>
    withSession(way, (session, xla) => {
      const [B, T, C] = [2, 5, model.n_embd];
      const networks = (['policy', 'writer', 'critic'] as const).map((name, i) => {
        const weights = initialWeights(model, i + 1);
        const own = weights['lm_head.weight']?.data;
        own?.forEach((_, at) => (own[at] = Math.sin(i + 0.7 * at)));
        return { model, parameters: createParameters(session, weights, `${name}.`) };
      }) as [Network, Network, Network];
      const [policy, writer, critic] = networks;
      const head = parameterOf(policy.parameters, 'lm_head.weight');
      const dy = [1, 2].map((i) => Float32Array.from({ length: B * T }, (_, at) => Math.cos(i * at)));
      const weighed = (x: tf.Tensor, i: number) => tf.sum(tf.mul(x, tf.tensor2d(dy[i] ?? [], [B, T])));
      const slopes = (f: () => tf.Tensor, x: tf.Tensor) =>
        tf.grads(f as unknown as (...args: tf.Tensor[]) => tf.Tensor)([x, head]);
      const run = session.compile(
        ({ x, ofWriter, ofCritic }: Record<'x' | 'ofWriter' | 'ofCritic', tf.Tensor>) => {
          const all = (scoresAtOnce?: number) => {
            const read = { ...policy, hidden: x, ...(scoresAtOnce === undefined ? {} : { scoresAtOnce }) };
            const teacher = { ...critic, hidden: ofCritic };
            const expected = () =>
              expectedEvidence(
                { policy: read, writer: { ...writer, hidden: ofWriter }, critic: teacher },
                { temperature: 0.7 },
                0.9,
              );
            const text = () => distillationLoss({ policy: read, critic: teacher });
            const { evidence, kl, entropies } = expected();
            const sum = () => tf.add(weighed(expected().evidence, 0), weighed(expected().kl, 1));
            return [evidence, kl, entropies, text(), ...slopes(sum, x), ...slopes(text, x)];
          };
          return { parts: all(3 * model.vocab_size), whole: all() };
        },
        { name: 'expected', xla },
      );
      const states = [1, 2, 3].map((i) =>
        tf.tensor3d(
          Float32Array.from({ length: B * T * C }, (_, at) => Math.sin(i + 1.3 * at)),
          [B, T, C],
        ),
      ) as [tf.Tensor, tf.Tensor, tf.Tensor];
      const [x, ofWriter, ofCritic] = states;
      const { parts, whole } = run({ x, ofWriter, ofCritic });
      const [actual, expected] = [taken(parts), taken(whole)];
      expect(actual.map(({ shape }) => shape)).toEqual(expected.map(({ shape }) => shape));
      actual.forEach(({ values }, i) => {
        expect(Math.max(...Array.from(values, Math.abs)), `number ${i}`).toBeGreaterThan(1e-3);
        expect(difference(values, expected[i]?.values ?? []), `number ${i}`).toBeLessThan(2e-6);
      });
      tf.dispose(states);
    }),
  );
});

describe('GRPO on expected evidence', () => {
  const critic: NamedArrays = { ...loud(9), 'reward_evidence.weight': { shape: [1], data: Float32Array.of(1) } };
  const run = async (changes: Parameters<typeof tinyConfig>[0] = {}, slot = memorySlot(), stopAt?: number) => {
    const called: string[] = [];
    const config = tinyConfig({
      ...{ reward_kind: 'critic', reward_shape: 'expected_log_ratio', scale_rewards: 'none', beta: 1, kl_cap: 100 },
      ...{ grpo_max_steps: 6, grpo_learning_rate: 3e-3, ...changes },
    });
    const plain = await testEnvironment((event, stop) => {
      if (event.event === 'metrics' && event.step === stopAt) stop();
    });
    const env = { ...plain, runtime: counting(plain.runtime, (name) => called.push(name)) };
    const outcome = await trainGrpo({
      model: tinyModel,
      policy: loud(5),
      rewardModel: { ...tinyModel, mode: 'reward', reward_kind: 'critic' },
      rewardWeights: critic,
      trainTokens: patternTokens(2000),
      valTokens: patternTokens(400),
      ...{ config, generation: config, tokenization: 'char', vocabLimit: 8, seed: 3, slot, env },
    });
    const rows = env.events.flatMap((event) => (event.event === 'metrics' ? [event.values] : []));
    const details = env.events.flatMap((event) =>
      event.event === 'progress' && event.detail ? [inEnglish(event.detail as Message)] : [],
    );
    return { ...outcome, rows, details, called };
  };

  it('comes nearer to the critic with every few steps, and leaves no tensor behind', async () => {
    const before = tf.memory().numTensors;
    const { rows, details } = await run({ grpo_max_steps: 30 });
    expect(tf.memory().numTensors).toBe(before);
    const losses = rows.map(({ loss }) => loss ?? NaN);
    // β KL(π ‖ q) − E[log r − log q] is KL(π ‖ r) where nothing is clipped.
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? NaN) - 0.1);
    expect(rows.at(-1)?.['reward']).toBeGreaterThan((rows[0]?.['reward'] ?? NaN) + 0.1);
    // In nats, as it is no share of one.
    expect(details.filter((one) => one.startsWith('reward')).at(-1)).toMatch(/^reward -?\d+\.\d{3}, KL \d/);
  });

  const mix = { num_iterations: 2, ptx_coef: 0.5, ptx_batch_size: 4 };
  const ofCritic = { ...mix, ptx_targets: 'critic' as const };

  it('learns the text from the critic, which reads each part of it once', async () => {
    const before = tf.memory().numTensors;
    const { rows, called } = await run({ ...ofCritic, grpo_max_steps: 30 });
    expect(tf.memory().numTensors).toBe(before);
    const losses = rows.map(({ ptx_loss }) => ptx_loss ?? NaN);
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? NaN) - 0.1);
    // 2,000 tokens are 14 segments of 136; 120 passages come from them.
    expect(called.filter((name) => name === 'read_text')).toHaveLength(14);
  });

  it.each([{}, { ...mix, policy_average: 0.9 }, ofCritic])('resumes to the byte: %o', async (changes) => {
    const whole = await run(changes);
    const slot = memorySlot();
    await expect(run(changes, slot, 3)).rejects.toMatchObject({ code: 'stopped' });
    expect(hashOf((await run(changes, slot)).weights)).toBe(hashOf(whole.weights));
  });
});
