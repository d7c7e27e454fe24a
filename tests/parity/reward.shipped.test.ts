/** The reward model against PyTorch: probabilities, the loss, and gradients of the head. */
import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import {
  createParameters,
  lastHidden,
  rewardProbabilities,
  trunk,
  type Parameters,
} from '../../main/engine/model/model.js';
import { gradientsOf } from '../../main/engine/train/gradients.js';
import { rewardLoss } from '../../main/engine/reward/reward-head.js';
import { isRewardHead } from '../../shared/architectures/index.js';
import { compileAs, floatTensor, intTensor, take, takeNumber, WAYS, withSession } from './engine.js';
import { expectClose, expectParity, readModelFixture } from './fixture.js';

const cases = (['bias', 'nobias'] as const).flatMap((name) =>
  WAYS.map((way) => ({ name, way, fixture: readModelFixture(name) })),
);

describe.each(cases)('$name, $way', ({ way, fixture }) => {
  const { facts, reward, rewardWeights } = fixture;

  /** Loss and gradients with a frozen trunk. */
  const gradients = () =>
    withSession(way, (session) => {
      const parameters = createParameters(session, rewardWeights);
      const names = Object.keys(parameters).filter(isRewardHead);
      const trained: Parameters = Object.fromEntries(
        Object.entries(parameters).filter(([name]) => names.includes(name)),
      );
      const run = session.compile(
        (ids: tf.Tensor, targets: tf.Tensor) => {
          const { value, gradients: found } = gradientsOf(
            () =>
              rewardLoss(
                rewardProbabilities(parameters, lastHidden(trunk(reward, parameters, ids))),
                targets as tf.Tensor2D,
              ),
            trained,
          );
          return [value, ...names.map((name) => found[name] ?? tf.scalar(Number.NaN))];
        },
        compileAs(way, 'reward_gradients'),
      );
      const [loss, ...tensors] = run(intTensor(facts.reward.ids), floatTensor(facts.reward.targets));
      return { loss: takeNumber(loss), gradients: take(names, tensors) };
    });

  it('probabilities of the last position', async () => {
    const found = await withSession(way, (session) => {
      const parameters = createParameters(session, rewardWeights);
      const run = session.compile(
        (ids: tf.Tensor) => [rewardProbabilities(parameters, lastHidden(trunk(reward, parameters, ids)))],
        compileAs(way, 'reward_probabilities'),
      );
      return take(['probabilities'], run(intTensor(facts.reward.ids)));
    });
    const { probabilities } = fixture.expected('reward.');
    expectParity(found, probabilities ? { probabilities } : {});
  });

  it('squared error, and gradients of the head', async () => {
    const found = await gradients();
    expectClose(found.loss, facts.reward.loss);
    const head = Object.entries(fixture.expected('reward.gradient.')).filter(([name]) =>
      name.startsWith('reward_head.'),
    );
    expect(head).toHaveLength(4);
    expectParity(found.gradients, Object.fromEntries(head));
  });
});
