/**
 * The update of a team: each rank computes gradients of its completions and its part of the text, weighted by their share of the
 * whole mean; they are summed, and every rank takes the same step.
 */
import * as tf from '@tensorflow/tfjs';
import { createTeamUpdate } from '../parallel/team-step.js';
import { disposeTrees, mapTensors, takeScalars } from '../runtime/tree.js';
import type { Session } from '../runtime/types.js';
import { shareOf, type Team } from '../team.js';
import { gradientsOf } from '../train/gradients.js';
import type { CompletionBatch } from './completion-loss.js';
import type { UpdateNumbers } from './grpo-types.js';
import { applyGradients, completionGradients, type Learner, type UpdateInputs } from './learner.js';
import { mixedTextLoss, type TextTensors } from './text-mix.js';

/** The figures of a rank without completions. */
const NOTHING = { loss: 0, kl: 0, entropy: 0, clipLow: 0, clipHigh: 0 };

type Weighted<Inputs> = Inputs & { readonly weight: tf.Tensor };

/** @returns an update from this rank's inputs; `promptLengths` are those of all completions */
export function createSharedUpdate(session: Session, learner: Learner, team: Team) {
  const { trained, config, precision } = learner;
  const update = createTeamUpdate(session, {
    team,
    trained,
    precision: 'f32',
    applyGradients: (gradients, { scalars }: { readonly scalars: tf.Tensor }) =>
      applyGradients(learner, gradients, scalars),
  });
  const addCompletions = session.compile(
    ({ weight, ...batch }: Weighted<CompletionBatch>) => {
      const { value, gradients, outcome } = completionGradients(learner, batch);
      update.add(gradients, weight);
      return { loss: value, ...outcome };
    },
    { name: 'share_of_completions', precision },
  );
  const addText = session.compile(
    ({ weight, ...text }: Weighted<TextTensors>) => {
      const { value, gradients } = gradientsOf(() => mixedTextLoss(learner, text), trained);
      update.add(gradients, weight);
      return { ptx: value };
    },
    { name: 'share_of_text', precision },
  );

  /** @returns this rank's part of the text's mean loss */
  async function learnText(text: TextTensors): Promise<number> {
    const rows = text.x.shape[0] ?? 1;
    const { first, end } = shareOf(team, rows);
    const share = (end - first) / rows;
    if (share === 0) return 0;
    const part = tf.tidy(() => mapTensors(text, (all) => tf.slice(all, first, end - first)));
    const { ptx } = await withWeight(share * config.ptx_coef, (weight) => takeScalars(addText({ ...part, weight })));
    disposeTrees(part);
    return share * ptx;
  }

  return async (
    { scalars, text, ...batch }: UpdateInputs,
    promptLengths: readonly number[],
  ): Promise<UpdateNumbers> => {
    const { first, end } = shareOf(team, promptLengths.length);
    const T = batch.ids.shape[1] ?? 0;
    const writtenIn = (lengths: readonly number[]) => lengths.reduce((sum, length) => sum + T - length, 0);
    const ofTokens = writtenIn(promptLengths.slice(first, end)) / Math.max(1, writtenIn(promptLengths));
    const ofLoss = config.loss_type === 'dapo' ? ofTokens : (end - first) / promptLengths.length;
    const own =
      end > first ? await withWeight(ofLoss, (weight) => takeScalars(addCompletions({ ...batch, weight }))) : NOTHING;
    const ownText = text ? await learnText(text) : 0;
    const { loss, kl, entropy, clipLow, clipHigh } = own;
    const parts = [ofLoss * loss, ...[kl, entropy, clipLow, clipHigh].map((one) => ofTokens * one), ownText];
    const { numbers, gradNorm } = await update.learn(parts, { scalars });
    const [allLoss = NaN, allKl = NaN, allEntropy = NaN, allLow = NaN, allHigh = NaN, ptx = NaN] = numbers;
    const whole = text ? allLoss + config.ptx_coef * ptx : allLoss;
    return { loss: whole, gradNorm, kl: allKl, entropy: allEntropy, clipLow: allLow, clipHigh: allHigh, ptx };
  };
}

function withWeight<R>(weight: number, run: (weight: tf.Tensor) => R): R {
  const tensor = tf.scalar(weight);
  try {
    return run(tensor);
  } finally {
    tensor.dispose();
  }
}
