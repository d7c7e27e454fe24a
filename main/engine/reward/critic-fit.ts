/** Fits a critic as a reward model: only the scale of its evidence is learned. */
import { localized } from '../../../shared/messages/message.js';
import { createSharedParameters } from '../model/adapters.js';
import { createParameters, parameterOf } from '../model/model.js';
import { stopped } from '../train/phase.js';
import { createProgress } from '../train/progress.js';
import { crossoversOf, fitEvidenceScale } from './crossover.js';
import { judgeRewardModel } from './reward-report.js';
import { createRewardScorer, EVIDENCE_SCALE } from './reward-scorer.js';
import { truthOf, type RewardModelOptions, type RewardModelResult } from './reward-types.js';
import type { LanguageModel } from '../types.js';
import { withSession } from '../runtime/session.js';

/** Passages between two checks for a stop. */
const FITTING_CHUNK = 1024;

/** Stores the fit as a checkpoint, so that a cycle that resumes in GRPO does not read all samples again. */
export async function fitCritic(
  options: RewardModelOptions,
  { model, weights }: LanguageModel,
): Promise<RewardModelResult> {
  const { valSamples, seed, slot } = options;
  const saved = await slot.latest();
  const fitted = saved?.state['scale'];
  const stored = saved?.optimizer?.['predictions'];
  // Marks the place in the log, so that a row logged before the second checkpoint is not logged twice.
  if (saved === null) await slot.save({ weights: {}, state: { step: 0 } }, 0);
  const { scale, predictions } =
    typeof fitted === 'number' && stored
      ? { scale: fitted, predictions: stored.data }
      : await fitScale(options, { model, weights });
  const report = judgeRewardModel(predictions, truthOf(valSamples), seed, {
    kind: 'critic',
    evidence_scale: scale,
    iterations: 0,
    best_iteration: 0,
    stopped_because: 'fitted',
  });
  const fittedScale = { shape: weights[EVIDENCE_SCALE]?.shape ?? [], data: Float32Array.of(scale) };
  return { model, weights: { ...weights, [EVIDENCE_SCALE]: fittedScale }, report, predictions };
}

/** Fits the scale on the training samples, and predicts the validation samples with it. */
async function fitScale(options: RewardModelOptions, { model, weights }: LanguageModel) {
  const { trainSamples, valSamples, slot, env, rule = { temperature: 1 } } = options;
  const T = model.block_size;
  return withSession(env.runtime, async (session) => {
    const parameters = createParameters(session, weights);
    const writer = {
      model: { ...options.model, dropout: 0 },
      parameters: createSharedParameters(session, options.model, options.weights, 'generator.', {
        weights,
        parameters,
      }),
      ...rule,
    };
    const scorer = createRewardScorer(session, model, parameters, env, writer);
    const { numSamples } = trainSamples;
    const evidence = new Float32Array(numSamples * T);
    const progress = createProgress(env, 'reward_model', 'samples', numSamples);
    for (let first = 0; first < numSamples; first += FITTING_CHUNK) {
      if (env.stop.requested) throw stopped(0);
      const count = Math.min(FITTING_CHUNK, numSamples - first);
      evidence.set((await scorer.evidence?.(trainSamples.x(first, count))) ?? [], first * T);
      progress.update(first + count, localized('reward.progress.fit'));
    }
    const scale = fitEvidenceScale(evidence, crossoversOf(trainSamples.y(0, numSamples), T));
    session.write(parameterOf(parameters, EVIDENCE_SCALE), Float32Array.of(scale));
    const predictions = await scorer.score(valSamples.x(0, valSamples.numSamples));
    env.emit({ event: 'metrics', phase: 'reward_model', step: 0, values: { evidence_scale: scale } });
    const arrays = { predictions: { shape: [predictions.length], data: predictions } };
    await slot.save({ weights: {}, optimizer: arrays, state: { step: 0, scale } }, 0);
    if (env.stop.requested) throw stopped(0);
    return { scale, predictions };
  });
}
