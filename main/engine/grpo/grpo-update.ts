/** One GRPO update as a compiled function: loss, gradients and AdamW on the policy. */
import * as tf from '@tensorflow/tfjs';
import { declarationOf } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Recomputation } from '../../../shared/config/train.js';
import type { Batch } from '../train/dataset.js';
import type { GrpoConfig } from '../../../shared/config/grpo.js';
import { trainedOf } from '../model/adapters.js';
import { nextTokenLoss, nextTokenScores } from '../model/token-losses.js';
import { trunk, type Parameters } from '../model/model.js';
import { createTeamUpdate } from '../parallel/team-step.js';
import { gradientsOf } from '../train/gradients.js';
import { createAdamW, updatesInPlace, type Optimizer } from '../train/optimizer.js';
import { averageLoss, maskedMean, policyLoss, type PolicyLoss } from './policy-loss.js';
import { disposeTrees, mapTensors, takeScalars } from '../runtime/tree.js';
import { after } from '../runtime/large.js';
import type { Precision, Session } from '../runtime/types.js';
import { alone, shareOf, type Team } from '../team.js';
import { readBefore, sequenceLogProbs } from '../model/sequence-scores.js';
import type { NamedArrays, TokenIds } from '../types.js';
import { average, createAverages } from '../train/weight-average.js';
import { distillationLoss, expectedEvidence, type Read } from './expected-evidence.js';
import type { ReadText } from './critic-reading.js';

/** Completions of one step on the host: ids (N, T), where each prompt ends, and one advantage each. */
interface Rollouts {
  readonly ids: TokenIds;
  readonly promptLengths: readonly number[];
  /** (N): one for each completion; or (N, T − 1): one for each token that is predicted. */
  readonly advantages: Float64Array;
  /** (N, T − 1): log p of tokens 1 … T−1 under the frozen reference. */
  readonly referenceLogProbs: Float32Array;
  /** What the teachers made of the completions, where the evidence is expected, not sampled. The updater's to dispose. */
  readonly read?: TeachersRead | undefined;
}

/** Hidden states of the tokens 0 … T−2, (N, T−1, C) each. */
export type TeachersRead = { readonly critic: tf.Tensor; readonly writer: tf.Tensor };

/** The networks that a policy learns from where the evidence is expected: the critic, and the generator the cycle began with. */
export type Teachers = Readonly<Record<keyof TeachersRead, Omit<Read, 'hidden'>>>;

export type MixedText = Batch | ReadText;

/** What an update may read besides the completions. */
interface UpdateExtras {
  /** In place of the configuration's β and learning rate. */
  readonly beta: number;
  readonly learningRate: number;
  /** Ordinary text for the pre-training mix: (ptx_batch_size, T) ids, with the token after each or what the critic makes of it. */
  readonly text: MixedText | null;
}

export interface UpdateMetrics {
  readonly loss: number;
  /** Of the text that is mixed in; only where some is. */
  readonly ptx_loss?: number;
  readonly kl: number;
  readonly entropy: number;
  readonly clip_ratio_low: number;
  readonly clip_ratio_high: number;
  readonly grad_norm: number;
}

/** What the loss of a batch of N completions of T tokens is made of. */
type LossInputs = {
  readonly ids: tf.Tensor;
  /** (N, T−1): 1 where the predicted token belongs to the completion. */
  readonly mask: tf.Tensor;
  readonly advantages: tf.Tensor;
  readonly referenceLogProbs: tf.Tensor;
  /** Of the policy that wrote, from the second pass on another one than the policy that learns. */
  readonly oldLogProbs?: tf.Tensor;
  /** In place of the configuration's. */
  readonly beta?: tf.Tensor;
  readonly read?: TeachersRead;
};

/** What the backward pass makes again rather than keep, where the architecture can: it costs nothing worth telling. */
const RECOMPUTATION: Recomputation = 'selective';

/** The loss of a batch, and the entropy, inside a compiled function. */
export function grpoLoss(
  model: GPTConfig,
  policy: Parameters,
  temperature: number,
  batch: LossInputs,
  config: Pick<GrpoConfig, 'epsilon' | 'beta' | 'loss_type'>,
): PolicyLoss & { readonly entropy: tf.Scalar } {
  const { ids, mask } = batch;
  const { logProbs, entropies } = nextTokenScores(readBefore(model, policy, ids, RECOMPUTATION), temperature);
  return {
    ...policyLoss({ ...batch, logProbs, maxCompletionLength: ids.shape[1] ?? 0 }, config),
    entropy: maskedMean(entropies, mask),
  };
}

/** Cross-entropy of ordinary text under the policy: PPO-ptx (Ouyang et al. 2022, section 3.5). x, y: (B, T). */
export function pretrainingLoss(model: GPTConfig, policy: Parameters, x: tf.Tensor, y: tf.Tensor): tf.Scalar {
  return nextTokenLoss({
    model,
    parameters: policy,
    hidden: trunk(model, policy, x, undefined, RECOMPUTATION),
    labels: y,
  });
}

/** The loss where each position is credited with all that could have been written there: β KL(π ‖ q) − E_π[log r − log q]. */
function expectedLoss(
  { model, policy, config, temperature }: Pick<Learner, 'model' | 'policy' | 'config' | 'temperature'>,
  teachers: Teachers,
  read: TeachersRead,
  { ids, mask, beta }: LossInputs,
): PolicyLoss & { readonly entropy: tf.Scalar } {
  const networks = {
    policy: readBefore(model, policy, ids, RECOMPUTATION),
    writer: { ...teachers.writer, hidden: read.writer },
    critic: { ...teachers.critic, hidden: read.critic },
  };
  const { evidence, kl, entropies } = expectedEvidence(networks, temperature, config.log_ratio_bound);
  const perToken = tf.sub(tf.mul(kl, beta ?? config.beta), evidence);
  return {
    loss: averageLoss(perToken, mask, config.loss_type, ids.shape[1] ?? 0),
    kl: maskedMean(kl, mask),
    entropy: maskedMean(entropies, mask),
    // Nothing is a ratio here.
    clipLow: tf.scalar(0),
    clipHigh: tf.scalar(0),
  };
}

type UpdateInputs = LossInputs & {
  /** The optimizer's, of the step. */
  readonly scalars: tf.Tensor;
  readonly text?: TextInputs;
};

/** Ordinary text, and the token after each; or, where it is learned from the critic, the critic's states. */
type TextInputs = { readonly [part in 'x' | 'y']: tf.Tensor } | { readonly [part in 'x' | 'hidden']: tf.Tensor };

/** What the log tells of an update, besides its loss. */
type Outcome = {
  readonly kl: tf.Tensor;
  readonly entropy: tf.Tensor;
  readonly clipLow: tf.Tensor;
  readonly clipHigh: tf.Tensor;
  readonly ptx?: tf.Tensor;
};

/** What learns, and how. */
interface Learner {
  readonly model: GPTConfig;
  readonly policy: Parameters;
  /** Those of the policy's that learn. */
  readonly trained: Parameters;
  readonly config: GrpoConfig;
  readonly temperature: number;
  readonly optimizer: Optimizer;
  readonly averages: Parameters | null;
  readonly precision: Precision;
  readonly teachers: Teachers | null;
}

function compileUpdate(session: Session, learner: Learner, name: string) {
  return session.compile(
    ({ scalars, text, ...batch }: UpdateInputs) => {
      const atOnce = text && !updatesInPlace(learner.model) ? text : undefined;
      const { outcome, ...first } = ofCompletions(learner, batch, () => atOnce && lossOfText(learner, atOnce));
      const { value, gradients, ...rest } = text && !atOnce ? withText(learner, first, text) : first;
      return { loss: value, gradNorm: learnFrom(learner, gradients, scalars), ...outcome, ...rest };
    },
    { name, precision: learner.precision },
  );
}

/** Makes the step that these gradients ask for. @returns their length */
function learnFrom(
  { optimizer, averages, trained, config }: Learner,
  gradients: Gradients['gradients'],
  told: tf.Tensor,
) {
  const gradNorm = optimizer.apply(gradients, told);
  if (averages) average(averages, trained, config.policy_average);
  return gradNorm;
}

/** Gradients of the loss of completions, and what the log tells of it. @param text the loss of text that is read along */
function ofCompletions(learner: Learner, batch: LossInputs, text: () => tf.Scalar | undefined = () => undefined) {
  const { model, policy, trained, config, temperature, teachers } = learner;
  const outcomes: Outcome[] = [];
  const gradients = gradientsOf(() => {
    const { read } = batch;
    const { loss, ...outcome } =
      teachers && read
        ? expectedLoss(learner, teachers, read, batch)
        : grpoLoss(model, policy, temperature, batch, config);
    const ptx = text();
    // What only the log needs must outlive the gradient's own tidy.
    outcomes.push(mapTensors({ ...outcome, ...(ptx ? { ptx } : {}) }, tf.keep));
    return ptx ? tf.add(loss, tf.mul(ptx, config.ptx_coef)) : loss;
  }, trained);
  const [outcome] = outcomes;
  if (!outcome) throw new Error('the loss gave no outcome');
  return { ...gradients, outcome: mapTensors(outcome, released) };
}

type Gradients = ReturnType<typeof gradientsOf>;

/** Of the text that is mixed in, as it is learned from. */
function lossOfText({ model, policy, teachers }: Learner, text: TextInputs): tf.Scalar {
  if ('y' in text) return pretrainingLoss(model, policy, text.x, text.y);
  if (!teachers) throw new Error('text is learned from a critic where the evidence is expected');
  const hidden = trunk(model, policy, text.x, undefined, RECOMPUTATION);
  return distillationLoss({
    policy: { model, parameters: policy, hidden },
    critic: { ...teachers.critic, hidden: text.hidden },
  });
}

/** The mix after the completions, so that what the one keeps for its derivative is gone when the other begins. */
function withText(
  learner: Learner,
  { value, gradients }: Gradients,
  mixed: TextInputs,
): Gradients & { readonly ptx: tf.Tensor } {
  const { model, trained, config } = learner;
  const { blockOf } = declarationOf(model);
  const last = Object.entries(gradients).flatMap(([name, gradient]) => (blockOf(model, name) === 0 ? [gradient] : []));
  const waiting = { ...mixed, x: after(mixed.x, value, ...last) };
  const text = gradientsOf(() => tf.mul(lossOfText(learner, waiting), config.ptx_coef), trained);
  const sums = Object.entries(gradients).map(([name, gradient]) => [name, tf.add(gradient, text.gradients[name] ?? 0)]);
  return {
    value: tf.add(value, text.value),
    gradients: Object.fromEntries(sums) as Gradients['gradients'],
    ptx: tf.div(text.value, config.ptx_coef),
  };
}

interface PolicyUpdater {
  readonly optimizer: Optimizer;
  /** The running average of the policy's weights; null unless `policy_average` asks for one. */
  readonly averages: Parameters | null;
  /**
   * Learns once, or `num_iterations` times, from a batch; the metrics are those of the first pass (losses, KL and
   * entropy) and the last (clipping). Ends with the first pass whose loss or gradient is not finite, and gives these.
   */
  update(rollouts: Rollouts, step: number, extras?: UpdateExtras): Promise<UpdateMetrics>;
}

interface UpdaterOptions {
  readonly temperature: number;
  /** Of matrix products. */
  readonly precision: Precision;
  /** From a checkpoint. */
  readonly saved?: NamedArrays | undefined;
  /** Where the evidence is expected over all tokens. */
  readonly teachers?: Teachers | null;
  /** Those with whom it learns, each from its part of the completions and the text. */
  readonly team?: Team | undefined;
}

/** PyTorch's β, without weight decay. */
const ADAM = { weightDecay: 0, gradClip: 1 } as const;

export function createPolicyUpdater(
  session: Session,
  model: GPTConfig,
  policy: Parameters,
  config: GrpoConfig,
  { temperature, precision, saved, teachers = null, team }: UpdaterOptions,
): PolicyUpdater {
  const T = model.block_size;
  const N = config.group_size * config.prompts_per_step;
  const own = shareOf(team ?? alone, N);
  const trained = trainedOf(model, policy);
  const optimizer = createAdamW(session, trained, { ...ADAM, inPlace: updatesInPlace(model) }, saved);
  const averages = config.policy_average > 0 ? createAverages(session, trained, saved) : null;
  const mixesText = config.ptx_coef > 0;

  const scorePolicy = session.compile((ids: tf.Tensor) => sequenceLogProbs(model, policy, ids, temperature), {
    name: 'policy_log_probs',
    precision,
  });

  const learner = { model, policy, trained, config, temperature, optimizer, averages, precision, teachers };
  const learnFresh = compileUpdate(session, learner, 'grpo_step');
  const learnAgain = compileUpdate(session, learner, 'grpo_step_again');
  const together = team && createSharedUpdate(session, learner, team);

  const scalarsOf = (step: number, pass: number, extras: UpdateExtras | undefined): tf.Tensor => {
    const updates = step * config.num_iterations + pass + 1;
    return optimizer.scalars(updates, extras?.learningRate ?? config.grpo_learning_rate);
  };

  return {
    optimizer,
    averages,
    async update(rollouts, step, extras) {
      const inputs = inputsOf(rollouts, own, T, config, extras);
      if (config.num_iterations > 1)
        inputs.oldLogProbs = own.end > own.first ? scorePolicy(inputs.ids) : tf.zeros([0, T - 1]);
      let metrics: UpdateMetrics | undefined;
      for (let pass = 0; pass < config.num_iterations; pass++) {
        const scalars = scalarsOf(step, pass, extras);
        const learn = inputs.oldLogProbs ? learnAgain : learnFresh;
        const told = together
          ? await together({ ...inputs, scalars }, rollouts.promptLengths)
          : takeScalars(learn({ ...inputs, scalars }));
        scalars.dispose();
        const { loss, gradNorm, kl, entropy, clipLow, clipHigh, ptx = NaN } = told;
        const failed = !Number.isFinite(loss) || !Number.isFinite(gradNorm);
        const first = failed ? undefined : metrics;
        metrics = {
          loss: first?.loss ?? loss,
          ...(mixesText ? { ptx_loss: first?.ptx_loss ?? ptx } : {}),
          kl: first?.kl ?? kl,
          entropy: first?.entropy ?? entropy,
          clip_ratio_low: clipLow,
          clip_ratio_high: clipHigh,
          grad_norm: first?.grad_norm ?? gradNorm,
        };
        if (failed) break;
      }
      disposeTrees(inputs);
      if (!metrics) throw new Error('num_iterations must be at least 1');
      return metrics;
    },
  };
}

/**
 * The same update of a team: each rank has the gradients of its part of the completions and of the text, weighed by how much
 * of the whole mean they are; they are added up, and every rank learns the same from them.
 */
function createSharedUpdate(session: Session, learner: Learner, team: Team) {
  const { trained, config, precision } = learner;
  const update = createTeamUpdate(session, {
    team,
    trained,
    precision: 'f32',
    applyGradients: (gradients, { told }: { readonly told: tf.Tensor }) => learnFrom(learner, gradients, told),
  });
  const ofShare = session.compile(
    ({ weight, ...batch }: LossInputs & { readonly weight: tf.Tensor }) => {
      const { value, gradients, outcome } = ofCompletions(learner, batch);
      update.add(gradients, weight);
      return { loss: value, ...outcome };
    },
    { name: 'share_of_completions', precision },
  );
  const ofText = session.compile(
    ({ weight, ...text }: TextInputs & { readonly weight: tf.Tensor }) => {
      const { value, gradients } = gradientsOf(() => lossOfText(learner, text), trained);
      update.add(gradients, weight);
      return { ptx: value };
    },
    { name: 'share_of_text', precision },
  );
  const weighed = <R>(weight: number, run: (weight: tf.Tensor) => R): R => {
    const tensor = tf.scalar(weight);
    try {
      return run(tensor);
    } finally {
      tensor.dispose();
    }
  };

  /** @param promptLengths of all completions */
  return async ({ scalars, text, ...batch }: UpdateInputs, promptLengths: readonly number[]) => {
    const { first, end } = shareOf(team, promptLengths.length);
    const T = batch.ids.shape[1] ?? 0;
    const written = (lengths: readonly number[]) => lengths.reduce((sum, length) => sum + T - length, 0);
    const ofTokens = written(promptLengths.slice(first, end)) / Math.max(1, written(promptLengths));
    const ofLoss = config.loss_type === 'dapo' ? ofTokens : (end - first) / promptLengths.length;
    const told = end > first ? weighed(ofLoss, (weight) => takeScalars(ofShare({ ...batch, weight }))) : nothingTold;
    let ptx = 0;
    if (text) {
      const rows = text.x.shape[0] ?? 1;
      const share = shareOf(team, rows);
      const ofAll = (share.end - share.first) / rows;
      const part = tf.tidy(() => mapTensors(text, (all) => tf.slice(all, share.first, share.end - share.first)));
      if (ofAll > 0)
        ptx = ofAll * weighed(ofAll * config.ptx_coef, (weight) => takeScalars(ofText({ ...part, weight })).ptx);
      disposeTrees(part);
    }
    const { loss, kl, entropy, clipLow, clipHigh } = told;
    const own = [ofLoss * loss, ...[kl, entropy, clipLow, clipHigh].map((one) => ofTokens * one), ptx];
    const { numbers, gradNorm } = await update.learn(own, { told: scalars });
    const [allLoss = NaN, ...rest] = numbers;
    const [allKl = NaN, allEntropy = NaN, allLow = NaN, allHigh = NaN, allPtx = NaN] = rest;
    return {
      loss: text ? allLoss + config.ptx_coef * allPtx : allLoss,
      gradNorm,
      kl: allKl,
      entropy: allEntropy,
      clipLow: allLow,
      clipHigh: allHigh,
      ptx: allPtx,
    };
  };
}

/** Of a rank that has no completions. */
const nothingTold = { loss: 0, kl: 0, entropy: 0, clipLow: 0, clipHigh: 0 };

/**
 * What every pass of an update reads, the optimizer's scalars and the old probabilities aside. The caller's to dispose.
 * @param own the completions that are this process's to learn from
 */
function inputsOf(
  { ids, promptLengths, advantages, referenceLogProbs, read }: Rollouts,
  own: { readonly first: number; readonly end: number },
  T: number,
  { ptx_coef, beta }: GrpoConfig,
  extras: UpdateExtras | undefined,
): Omit<UpdateInputs, 'scalars' | 'oldLogProbs'> & { oldLogProbs?: tf.Tensor } {
  const N = promptLengths.length;
  const rows = own.end - own.first;
  const ofOwn = <A extends { slice(from: number, to: number): A; readonly length: number }>(all: A) =>
    all.slice((own.first * all.length) / N, (own.end * all.length) / N);
  const text = ptx_coef > 0 ? extras?.text : null;
  if (ptx_coef > 0 && !text) throw new Error('ptx_coef needs text to mix in');
  const tokens = (flat: Int32Array): tf.Tensor => tf.tensor2d(flat, [flat.length / T, T], 'int32');
  return {
    ids: tokens(ofOwn(Int32Array.from(ids))),
    mask: tf.tensor2d(ofOwn(completionMask(promptLengths, T)), [rows, T - 1]),
    advantages: tf.tensor2d(ofOwn(Float32Array.from(advantages)), [rows, advantages.length / N]),
    referenceLogProbs: tf.tensor2d(ofOwn(referenceLogProbs), [rows, T - 1]),
    beta: tf.scalar(extras?.beta ?? beta),
    ...(text ? { text: textInputs(text, T) } : {}),
    ...(read ? { read } : {}),
  };
}

function textInputs(text: MixedText, T: number): TextInputs {
  const rows = text.x.length / T;
  const x = tf.tensor2d(text.x, [rows, T], 'int32');
  if ('y' in text) return { x, y: tf.tensor2d(text.y, [rows, T], 'int32') };
  return { x, hidden: tf.tensor3d(text.hidden, [rows, T, text.hidden.length / text.x.length]) };
}

/** A kept tensor, handed over to the tidy around. */
function released(kept: tf.Tensor): tf.Tensor {
  const copy = kept.clone();
  kept.dispose();
  return copy;
}

/** 1 where the token that is predicted at a position was written by the policy. (N, T−1), flat. */
export function completionMask(promptLengths: readonly number[], T: number): Float32Array {
  const mask = new Float32Array(promptLengths.length * (T - 1));
  promptLengths.forEach((length, row) => mask.fill(1, row * (T - 1) + length - 1, (row + 1) * (T - 1)));
  return mask;
}
