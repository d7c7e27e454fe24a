/** GRPO against PyTorch on a fixed batch: log-probabilities, loss, KL, clipping, entropy, and every gradient. */
import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { groupAdvantages } from '../../main/engine/grpo/advantages.js';
import { grpoLossReference } from '../engine/grpo/loss-reference.js';
import { completionMask, sampledLoss } from '../../main/engine/grpo/completion-loss.js';
import { createParameters } from '../../main/engine/model/model.js';
import { gradientsOf } from '../../main/engine/train/gradients.js';
import { sequenceLogProbs } from '../../main/engine/model/sequence-scores.js';
import { compileAs, intTensor, take, takeNumber, WAYS, withSession, type Way } from './engine.js';
import { expectClose, expectParity, readModelFixture, relativeError, TOLERANCE, type ModelFixture } from './fixture.js';

const LOSS_TYPES = ['grpo', 'dapo', 'dr_grpo'] as const;
const STATISTICS = ['loss', 'kl', 'entropy', 'clip_low', 'clip_high'] as const;
const fixtures = [readModelFixture('bias'), readModelFixture('nobias')];

/** One loss of the fixture's batch with all reported numbers; `fresh` leaves the old log-probabilities out. */
function run(fixture: ModelFixture, way: Way, lossType: (typeof LOSS_TYPES)[number], fresh = false) {
  const { facts, generator, weights } = fixture;
  const { grpo } = facts;
  const T = generator.block_size;
  const shape: [number, number] = [grpo.ids.length, T - 1];
  const config = {
    epsilon: grpo.epsilon,
    epsilon_high: grpo.epsilon_high,
    beta: fresh ? 0 : grpo.beta,
    loss_type: lossType,
  };
  return withSession(way, (session) => {
    const policy = createParameters(session, weights);
    const names = Object.keys(policy);
    const step = session.compile(
      (ids: tf.Tensor, mask: tf.Tensor, advantages: tf.Tensor, referenceLogProbs: tf.Tensor, old: tf.Tensor) => {
        const batch = { ids, mask, advantages, referenceLogProbs, ...(fresh ? {} : { oldLogProbs: old }) };
        const { gradients } = gradientsOf(
          () => sampledLoss({ model: generator, policy, rule: { temperature: grpo.temperature } }, batch, config).loss,
          policy,
        );
        const { loss, kl, entropy, clipLow, clipHigh } = sampledLoss(
          { model: generator, policy, rule: { temperature: grpo.temperature } },
          batch,
          config,
        );
        return [loss, kl, entropy, clipLow, clipHigh, ...names.map((name) => gradients[name] ?? tf.scalar(Number.NaN))];
      },
      compileAs(way, `grpo_${lossType}`),
    );
    const { old, reference } = fixture.expected('grpo.');
    const outputs = step(
      intTensor(grpo.ids),
      tf.tensor2d(completionMask(grpo.prompt_lengths, T), shape),
      tf.tensor2d(Float32Array.from(grpo.advantages), [grpo.ids.length, 1]),
      tf.tensor2d(reference?.data ?? [], shape),
      tf.tensor2d(old?.data ?? [], shape),
    );
    const statistics = STATISTICS.map((name, i) => [name, takeNumber(outputs[i])] as const);
    return {
      statistics: Object.fromEntries(statistics) as Record<(typeof STATISTICS)[number], number>,
      gradients: take(names, outputs.slice(STATISTICS.length)),
    };
  });
}

async function expectLoss(fixture: ModelFixture, way: Way, lossType: (typeof LOSS_TYPES)[number]): Promise<void> {
  const { grpo } = fixture.facts;
  const { statistics, gradients } = await run(fixture, way, lossType);
  const { kl, entropy, clip_low, clip_high } = grpo;
  for (const [name, value] of Object.entries({ loss: grpo[lossType].loss, kl, entropy, clip_low, clip_high })) {
    expectClose(statistics[name as (typeof STATISTICS)[number]], value);
  }
  expectParity(gradients, fixture.expected(`grpo.${lossType}.gradient.`));
}

describe.each(fixtures)('$name', (fixture) => {
  const { grpo } = fixture.facts;

  it('advantages of the rewards', () => {
    const { advantages } = groupAdvantages(grpo.rewards, grpo.group_size, 'group');
    expect(relativeError(advantages, grpo.advantages)).toBeLessThan(1e-12);
  });

  it('the fixture clips on both sides, so that both are tested', () => {
    expect(Math.min(grpo.clip_low, grpo.clip_high)).toBeGreaterThan(0.05);
  });

  it.each(LOSS_TYPES)('the float64 reference agrees: %s', (lossType) => {
    const { log_probs: logProbs, old, reference } = fixture.expected('grpo.');
    const found = grpoLossReference(
      {
        logProbs: logProbs?.data ?? [],
        oldLogProbs: old?.data ?? [],
        referenceLogProbs: reference?.data ?? [],
        mask: completionMask(grpo.prompt_lengths, fixture.generator.block_size),
        advantages: grpo.advantages,
      },
      {
        epsilon: grpo.epsilon,
        epsilonHigh: grpo.epsilon_high,
        beta: grpo.beta,
        lossType,
        maxCompletionLength: fixture.generator.block_size,
      },
    );
    expectClose(found.loss, grpo[lossType].loss, 1e-6);
    expectClose(found.kl, grpo.kl, 1e-6);
    expectClose(found.clipLow, grpo.clip_low, 1e-12);
    expectClose(found.clipHigh, grpo.clip_high, 1e-12);
  });
});

describe.each(fixtures.flatMap((fixture) => WAYS.map((way) => ({ name: fixture.name, way, fixture }))))(
  '$name, $way',
  ({ way, fixture }) => {
    it('log-probabilities of every token but the first', async () => {
      const { log_probs: expected } = fixture.expected('grpo.');
      const found = await withSession(way, (session) => {
        const policy = createParameters(session, fixture.weights);
        const score = session.compile(
          (ids: tf.Tensor) => [
            sequenceLogProbs(fixture.generator, policy, ids, { temperature: fixture.facts.grpo.temperature }),
          ],
          compileAs(way, 'log_probs'),
        );
        return take(['logProbs'], score(intTensor(fixture.facts.grpo.ids)));
      });
      expect(relativeError(found['logProbs'] ?? [], expected?.data ?? [])).toBeLessThanOrEqual(TOLERANCE);
    });

    it.each(LOSS_TYPES)('loss, KL, entropy, clip ratios and every gradient: %s', (lossType) =>
      expectLoss(fixture, way, lossType),
    );
  },
);

describe.each(WAYS)('the first update on fresh samples, %s', (way) => {
  it('needs no old log-probabilities: the ratio is 1, its gradient is not 0', async () => {
    const fixture = readModelFixture('bias');
    const { statistics, gradients } = await run(fixture, way, 'grpo', true);
    expect(Math.abs(statistics.loss - fixture.facts.grpo.fresh.loss)).toBeLessThan(1e-6);
    expect([statistics.clip_low, statistics.clip_high]).toEqual([0, 0]);
    expectParity(gradients, fixture.expected('grpo.fresh.gradient.'));
  });
});

it('GRPO compiled by XLA, as in training', () => expectLoss(readModelFixture('bias'), 'xla', 'dapo'));
