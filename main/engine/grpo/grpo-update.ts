/** The update of a GRPO step: `num_iterations` passes over its completions, by one process or a team. */
import * as tf from '@tensorflow/tfjs';
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { trainedOf } from '../model/adapters.js';
import type { Parameters } from '../model/model.js';
import { sequenceLogProbs } from '../model/sequence-scores.js';
import type { SamplingRule } from '../model/sampling-rule.js';
import { disposeTrees, takeScalars } from '../runtime/tree.js';
import type { Precision, Session } from '../runtime/types.js';
import { alone, shareOf, type Team } from '../team.js';
import { createAdamW, updatesInPlace } from '../train/optimizer.js';
import { createAverages } from '../train/weight-average.js';
import type { NamedArrays } from '../types.js';
import { completionBatch } from './completion-loss.js';
import type { Rollouts, Teachers, UpdateExtras, UpdateNumbers } from './grpo-types.js';
import { addTextGradients, applyGradients, completionGradients, type Learner, type UpdateInputs } from './learner.js';
import { createSharedUpdate } from './team-update.js';
import { mixedTextLoss, textTensors } from './text-mix.js';

interface UpdaterOptions {
  readonly rule: SamplingRule;
  readonly precision: Precision;
  /** A checkpoint's arrays. */
  readonly saved?: NamedArrays | undefined;
  /** For expected evidence. */
  readonly teachers?: Teachers | null;
  readonly team?: Team | undefined;
}

/** With PyTorch's β. */
const ADAM = { weightDecay: 0, gradClip: 1 } as const;

export function createPolicyUpdater(
  session: Session,
  model: GPTConfig,
  policy: Parameters,
  config: GrpoConfig,
  { rule, precision, saved, teachers = null, team }: UpdaterOptions,
) {
  const T = model.block_size;
  const own = shareOf(team ?? alone, config.group_size * config.prompts_per_step);
  const trained = trainedOf(model, policy);
  const optimizer = createAdamW(session, trained, { ...ADAM, inPlace: updatesInPlace(model) }, saved);
  const averages = config.policy_average > 0 ? createAverages(session, trained, saved) : null;
  const scorePolicy = session.compile((ids: tf.Tensor) => sequenceLogProbs(model, policy, ids, rule), {
    name: 'policy_log_probs',
    precision,
  });
  const learner = { model, policy, trained, config, rule, optimizer, averages, precision, teachers };
  const learn = team ? createSharedUpdate(session, learner, team) : createOwnUpdate(session, learner);

  return {
    optimizer,
    /** Running averages of the policy's weights; null unless `policy_average` is set. */
    averages,
    /**
     * Learns `num_iterations` times from a batch. The metrics are those of the first pass (losses, KL, entropy) and of the last
     * (clipping), or of the first that is not finite, which ends the update.
     */
    async update(rollouts: Rollouts, step: number, { beta, learningRate, text }: UpdateExtras) {
      const batch = completionBatch(rollouts, own, beta);
      const hasOwn = own.end > own.first;
      const old = config.num_iterations > 1 ? (hasOwn ? scorePolicy(batch.ids) : tf.zeros([0, T - 1])) : null;
      const inputs = {
        ...batch,
        ...(text ? { text: textTensors(text, T) } : {}),
        ...(old ? { oldLogProbs: old } : {}),
      };
      const passes: UpdateNumbers[] = [];
      for (let pass = 0; pass < config.num_iterations; pass++) {
        const scalars = optimizer.scalars(step * config.num_iterations + pass + 1, learningRate);
        const numbers = await learn({ ...inputs, scalars }, rollouts.promptLengths);
        scalars.dispose();
        passes.push(numbers);
        if (!isHealthy(numbers)) break;
      }
      disposeTrees(inputs);
      return metricsOf(passes, text !== null);
    },
  };
}

/** Creates the update of one process, a compiled function. */
function createOwnUpdate(session: Session, learner: Learner) {
  const learn = session.compile(
    ({ scalars, text, ...batch }: UpdateInputs) => {
      const atOnce = text && !updatesInPlace(learner.model) ? text : undefined;
      const { outcome, ...first } = completionGradients(learner, batch, () => atOnce && mixedTextLoss(learner, atOnce));
      const { value, gradients, ...rest } = text && !atOnce ? addTextGradients(learner, first, text) : first;
      return { loss: value, gradNorm: applyGradients(learner, gradients, scalars), ...outcome, ...rest };
    },
    { name: 'grpo_step', precision: learner.precision },
  );
  return (inputs: UpdateInputs): Promise<UpdateNumbers> => takeScalars(learn(inputs));
}

const isHealthy = ({ loss, gradNorm }: UpdateNumbers): boolean => Number.isFinite(loss) && Number.isFinite(gradNorm);

export type UpdateMetrics = ReturnType<typeof metricsOf>;

/** @param passes the last may not be finite */
function metricsOf(passes: readonly UpdateNumbers[], mixesText: boolean) {
  const last = passes.at(-1);
  if (!last) throw new Error('num_iterations must be at least 1');
  const first = isHealthy(last) ? (passes[0] ?? last) : last;
  return {
    loss: first.loss,
    ...(mixesText ? { ptx_loss: first.ptx ?? NaN } : {}),
    kl: first.kl,
    entropy: first.entropy,
    clip_ratio_low: last.clipLow,
    clip_ratio_high: last.clipHigh,
    grad_norm: first.gradNorm,
  };
}
