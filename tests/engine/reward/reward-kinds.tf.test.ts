/**
 * Reward models of both kinds on one small world: natural text follows a rule, the generator does not know it, the
 * critic does. Both answer for prefixes too, and resume to the byte; what the generator cannot imitate only a critic sees.
 */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createParameters } from '../../../main/engine/model/model.js';
import { createRewardParameters, createRewardScorer } from '../../../main/engine/reward/reward-scorer.js';
import { createRolloutScorer } from '../../../main/engine/reward/rollout-scorer.js';
import { type Drawing, samplingRule, type SamplingRule } from '../../../main/engine/model/sampling-rule.js';
import { sequenceLogProbs } from '../../../main/engine/model/sequence-scores.js';
import { trainRewardModel } from '../../../main/engine/reward/reward.js';
import { makeRewardData } from '../../../main/engine/reward/reward-data.js';
import type { LanguageModel, RewardSamples } from '../../../main/engine/types.js';
import { rewardKinds, usesCritic, type RewardKind } from '../../../shared/config/model.js';
import { hashOf, memorySlot, samplesInMemory, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';
import { patternModel, patternText } from './pattern-model.js';

type Samples = Readonly<Record<'train' | 'val', RewardSamples>>;

const T = tinyModel.block_size;
const tokens = patternText;
let generator: LanguageModel;
let critic: LanguageModel;
let samples: Samples;

beforeAll(async () => {
  generator = await patternModel(20);
  critic = await patternModel(150);
  samples = await drawn({ generation: { temperature: 1, top_k: null }, vocabLimit: 8 });
});

async function drawn(drawing: Drawing): Promise<Samples> {
  const rows = { train: { x: [] as number[][], y: [] as number[] }, val: { x: [] as number[][], y: [] as number[] } };
  await makeRewardData({
    ...{ ...generator, ...drawing, tokens, seed: 2, env: await testEnvironment() },
    config: tinyConfig({ reward_train_samples: 512, reward_val_samples: 128, samples_per_chunk: 4 }),
    append(split, x, y) {
      for (let row = 0; row < y.length / 2; row++) {
        rows[split].x.push(Array.from(x.subarray(row * T, (row + 1) * T)));
        rows[split].y.push(y[row * 2] ?? NaN);
      }
    },
  });
  return {
    train: samplesInMemory(T, rows.train.x, rows.train.y),
    val: samplesInMemory(T, rows.val.x, rows.val.y),
  };
}

const learning = { reward_max_iters: 200, reward_learning_rate: 3e-3 };

async function train(kind: RewardKind, slot = memorySlot(), stopAt?: number) {
  const config = tinyConfig({ ...learning, reward_kind: kind });
  return trainRewardModel({
    ...generator,
    ...(usesCritic(kind) ? { critic } : {}),
    trainSamples: samples.train,
    valSamples: samples.val,
    config,
    seed: 1,
    slot,
    env: await testEnvironment((event, stop) => {
      if (event.event === 'metrics' && event.step === stopAt) stop();
    }),
  });
}

const made = new Map<string, ReturnType<typeof train>>();
/** The same, made once: it comes out the same each time, which the last of each kind's tests holds it to. */
function trained(kind: RewardKind) {
  const known = made.get(kind) ?? train(kind);
  made.set(kind, known);
  return known;
}

async function scorerOf(kind: RewardKind) {
  const { model, weights, report } = await trained(kind);
  const env = await testEnvironment();
  const session = env.runtime.createSession();
  const wrote = {
    model: generator.model,
    parameters: createParameters(session, generator.weights, 'q.'),
    temperature: 1,
  };
  const scorer = createRewardScorer(session, model, createParameters(session, weights), env, wrote);
  return { scorer, report, close: () => session.dispose() };
}

it('a critic weighs a writer of few tokens by the rule that drew them', async () => {
  const drawing: Drawing = { generation: { temperature: 1, top_k: 2 }, vocabLimit: 8, excluded: [3] };
  const few = await drawn(drawing);
  for (let row = 0; row < few.val.numSamples; row++) {
    const written = few.val.x(row, 1).slice(Math.round((few.val.y(row, 1)[0] ?? 0) * T));
    expect(written).not.toContain(3);
  }
  // This critic knows no more than the writer: all that it can see is what the rule never draws.
  const fit = async (rule: SamplingRule) => {
    const config = tinyConfig({ ...learning, reward_kind: 'critic' });
    const [trainSamples, valSamples] = [few.train, few.val];
    const how = {
      ...generator,
      critic: generator,
      rule,
      trainSamples,
      valSamples,
      config,
      seed: 1,
      slot: memorySlot(),
    };
    return (await trainRewardModel({ ...how, env: await testEnvironment() })).report;
  };
  const [byRule, byAll] = [await fit(samplingRule(drawing)), await fit({ temperature: 1 })];
  expect(byRule.r2).toBeGreaterThan(0.8);
  expect(byAll.r2).toBeLessThan(0.1);
});

// Following the voice trains no reward model.
describe.each(rewardKinds.filter((kind) => kind !== 'voice'))('%s', (kind) => {
  it('reports an interval for every figure', async () => {
    const { report } = await trained(kind);
    expect(report.kind).toBe(kind);
    // A head on a frozen trunk is blind here (reward.test.ts has what it sees).
    if (usesCritic(kind)) expect(report.r2_interval?.low).toBeGreaterThan(0.3);
    for (const name of ['val_mse', 'val_mae', 'correlation'] as const) {
      const interval = report[`${name}_interval`];
      expect(interval?.low, name).toBeLessThanOrEqual(report[name] ?? NaN);
      expect(interval?.high, name).toBeGreaterThanOrEqual(report[name] ?? NaN);
    }
    expect(report.calibration.reduce((sum, { count }) => sum + count, 0)).toBe(128);
  });

  it('answers for every prefix; the whole is the last of them', async () => {
    const { scorer, close } = await scorerOf(kind);
    const ids = samples.val.x(0, 70);
    const whole = await scorer.score(ids);
    const prefixes = await scorer.scorePrefixes(ids);
    expect(whole).toHaveLength(70);
    expect(prefixes).toHaveLength(70 * T);
    whole.forEach((value, row) => expect(prefixes[(row + 1) * T - 1]).toBeCloseTo(value, 5));
    expect(prefixes.every((value) => value >= 0 && value <= 1)).toBe(true);
    expect(scorer.evidence !== null).toBe(usesCritic(kind));
    close();
  });

  it('scores rollouts together with the writer, and as either does alone', async () => {
    const { model, weights } = await train(kind);
    const env = await testEnvironment();
    const session = env.runtime.createSession();
    const parameters = createParameters(session, generator.weights, 'reference.');
    const wrote = { model: generator.model, parameters, temperature: 0.8 };
    const reward = createRewardParameters(session, model, weights, { ...generator, parameters });
    // A head on the generator's frozen trunk takes it from there.
    const shares = reward['transformer.wte.weight'] === parameters['transformer.wte.weight'];
    expect(shares).toBe(!usesCritic(kind));
    const ids = samples.val.x(0, 8);
    const { answers, referenceLogProbs } = await createRolloutScorer(session, model, reward, wrote, env)(ids);

    const alone = createRewardScorer(session, model, createParameters(session, weights), env, wrote);
    const expected = await alone.score(ids);
    answers.fractions().forEach((value, row) => expect(value).toBeCloseTo(expected[row] ?? NaN, 5));
    expect(answers.evidence !== null).toBe(usesCritic(kind));
    const x = tf.tensor2d(Int32Array.from(ids), [8, T], 'int32');
    const [logProbs] = session.compile(
      (x: tf.Tensor) => [sequenceLogProbs(tinyModel, parameters, x, { temperature: 0.8 })],
      {
        name: 'alone',
      },
    )(x);
    const wanted = logProbs.dataSync();
    referenceLogProbs.forEach((value, i) => expect(value).toBeCloseTo(wanted[i] ?? NaN, 4));
    tf.dispose([x, logProbs]);
    session.dispose();
  });

  it('resumes to the byte', async () => {
    const whole = await trained(kind);
    const slot = memorySlot();
    await expect(train(kind, slot, kind === 'critic' ? 0 : 100)).rejects.toMatchObject({ code: 'stopped' });
    const resumed = await train(kind, slot);
    expect(hashOf(resumed.weights)).toBe(hashOf(whole.weights));
    expect(resumed.report).toEqual(whole.report);
  });
});

it('a critic believes its evidence, and is an error without a model', async () => {
  const alone = await trained('critic');
  expect(alone.report.evidence_scale).toBeGreaterThan(0.3);
  const { critic: _critic, ...options } = { critic, ...generator };
  await expect(
    trainRewardModel({
      ...options,
      trainSamples: samples.train,
      valSamples: samples.val,
      config: tinyConfig({ reward_kind: 'critic' }),
      seed: 1,
      slot: memorySlot(),
      env: await testEnvironment(),
    }),
  ).rejects.toThrow('needs a critic');
});
