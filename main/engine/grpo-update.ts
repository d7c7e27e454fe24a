/** One GRPO update as a compiled function: loss, gradients and AdamW on the policy. */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../shared/config/model.js';
import type { Batch } from './dataset.js';
import type { GrpoConfig } from '../../shared/config/grpo.js';
import { lookAtGradients } from './divergence.js';
import { crossEntropy, tokenLogProbs } from './layers.js';
import { lmLogits, trunk, writeParameters, type Parameters } from './model.js';
import { createAdamW, gradientsOf, type Optimizer } from './optimizer.js';
import { meanEntropy, policyLoss, type PolicyLoss } from './policy-loss.js';
import type { Session } from './runtime/types.js';
import { nextTokenLogits, nextTokens, sequenceLogProbs } from './sequence-scores.js';
import type { NamedArrays } from './types.js';
import { average, createAverages } from './weight-average.js';

/** Completions of one step on the host: ids (N, T), where each prompt ends, and one advantage each. */
export interface Rollouts {
  readonly ids: Uint16Array;
  readonly promptLengths: readonly number[];
  /** (N): one for each completion; or (N, T − 1): one for each token that is predicted. */
  readonly advantages: Float64Array;
  /** (N, T − 1): log p of tokens 1 … T−1 under the frozen reference. */
  readonly referenceLogProbs: Float32Array;
}

/** What an update may read besides the completions. */
export interface UpdateExtras {
  /** In place of the configuration's β and learning rate. */
  readonly beta: number;
  readonly learningRate: number;
  /** Ordinary text for the pre-training mix: (ptx_batch_size, T) ids, and the token after each. */
  readonly text: Batch | null;
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

/**
 * The loss of a batch, and the entropy, inside a compiled function.
 * @param mask (N, T−1): 1 where the predicted token belongs to the completion
 */
export function grpoLoss(
  model: GPTConfig,
  policy: Parameters,
  temperature: number,
  batch: {
    readonly ids: tf.Tensor;
    readonly mask: tf.Tensor;
    readonly advantages: tf.Tensor;
    readonly referenceLogProbs: tf.Tensor;
    readonly oldLogProbs?: tf.Tensor;
    readonly beta?: tf.Tensor;
  },
  config: Pick<GrpoConfig, 'epsilon' | 'epsilon_high' | 'beta' | 'loss_type'>,
): PolicyLoss & { readonly entropy: tf.Scalar } {
  const { ids, mask } = batch;
  const logits = nextTokenLogits(model, policy, ids, temperature);
  const logProbs = tokenLogProbs(logits, nextTokens(ids));
  return {
    ...policyLoss({ ...batch, logProbs, maxCompletionLength: ids.shape[1] ?? 0 }, config),
    entropy: meanEntropy(logits, mask),
  };
}

/** Cross-entropy of ordinary text under the policy: PPO-ptx (Ouyang et al. 2022, section 3.5). x, y: (B, T). */
export function pretrainingLoss(model: GPTConfig, policy: Parameters, x: tf.Tensor, y: tf.Tensor): tf.Scalar {
  return crossEntropy(lmLogits(policy, trunk(model, policy, x)), y);
}

export interface PolicyUpdater {
  readonly optimizer: Optimizer;
  /** The running average of the policy's weights; null unless `policy_average` asks for one. */
  readonly averages: Parameters | null;
  /**
   * Learns once, or `num_iterations` times, from a batch; the metrics are those of the first pass (losses, KL and
   * entropy) and the last (clipping). Ends with the first pass whose loss or gradient is not finite, and gives these.
   */
  update(rollouts: Rollouts, step: number, extras?: UpdateExtras): UpdateMetrics;
  /**
   * Which tensor went wrong first in the update that was just made; null when none can be found. The policy is then as
   * it was before the pass that failed.
   * @param before the policy's weights before that update
   */
  explain(before: NamedArrays, rollouts: Rollouts, step: number, extras?: UpdateExtras): string | null;
}

export function createPolicyUpdater(
  session: Session,
  model: GPTConfig,
  policy: Parameters,
  config: GrpoConfig,
  temperature: number,
  saved: NamedArrays | undefined,
): PolicyUpdater {
  const T = model.block_size;
  const N = config.group_size * config.prompts_per_step;
  const { grpo_weight_decay: weightDecay, grpo_grad_clip: gradClip } = config;
  const optimizer = createAdamW(session, policy, { weightDecay, gradClip }, saved);
  const averages = config.policy_average > 0 ? createAverages(session, policy, saved) : null;
  const mixesText = config.ptx_coef > 0;

  const scorePolicy = session.compile((ids: tf.Tensor) => [sequenceLogProbs(model, policy, ids, temperature)], {
    name: 'policy_log_probs',
  });

  /** Compiles an update; its arguments are those of `names`, in that order. */
  const compileUpdate = (names: readonly (keyof UpdateInputs)[], name: string) =>
    session.compile<readonly tf.Tensor[], readonly tf.Tensor[]>((...args) => learn(asInputs(names, args)), { name });
  const asInputs = (names: readonly (keyof UpdateInputs)[], args: readonly tf.Tensor[]) =>
    Object.fromEntries(names.map((key, i) => [key, args[i]])) as unknown as UpdateInputs;

  const lossGradients = (inputs: UpdateInputs, onOutcome: (outcome: Readonly<Record<string, tf.Tensor>>) => void) => {
    const { scalars: _, x, y, ...batch } = inputs;
    return gradientsOf(() => {
      const { loss, ...rest } = grpoLoss(model, policy, temperature, batch, config);
      const mixed = x && y ? { ptx: pretrainingLoss(model, policy, x, y) } : {};
      onOutcome({ ...rest, ...mixed });
      return 'ptx' in mixed ? tf.add(loss, tf.mul(mixed.ptx, config.ptx_coef)) : loss;
    }, policy);
  };
  const learn = (inputs: UpdateInputs): readonly tf.Tensor[] => {
    let outcome: Readonly<Record<string, tf.Tensor>> = {};
    const { value, gradients } = lossGradients(inputs, (found) => {
      // What only the log needs must outlive the gradient's own tidy.
      outcome = found;
      for (const kept of Object.values(outcome)) tf.keep(kept);
    });
    const gradNorm = optimizer.apply(gradients, inputs.scalars);
    if (averages) average(averages, policy, config.policy_average);
    const logged = ['kl', 'entropy', 'clipLow', 'clipHigh', ...(mixesText ? ['ptx'] : [])].map((name) => {
      const kept = outcome[name];
      if (!kept) throw new Error(`the loss did not give ${name}`);
      return released(kept);
    });
    return [value, gradNorm, ...logged];
  };
  const given: readonly (keyof UpdateInputs)[] = [
    ...(['ids', 'mask', 'advantages', 'referenceLogProbs', 'scalars', 'beta'] as const),
    ...(mixesText ? (['x', 'y'] as const) : []),
  ];
  const learnFresh = compileUpdate(given, 'grpo_step');
  const withOld = [...given, 'oldLogProbs'] as const;
  const learnAgain = compileUpdate(withOld, 'grpo_step_again');
  /** Moments before the last update: what its later passes began from, should one of them fail. */
  let momentsBefore: NamedArrays | null = null;

  /** What every pass of an update reads; `pass` counts from 0. */
  const prepare = (
    { ids, promptLengths, advantages, referenceLogProbs }: Rollouts,
    step: number,
    extras: UpdateExtras | undefined,
  ) => {
    const text = mixesText ? extras?.text : null;
    if (mixesText && !text) throw new Error('ptx_coef needs text to mix in');
    const inputs = {
      ids: tf.tensor2d(Int32Array.from(ids), [N, T], 'int32'),
      mask: tf.tensor2d(completionMask(promptLengths, T), [N, T - 1]),
      advantages: tf.tensor2d(Float32Array.from(advantages), [N, advantages.length / N]),
      reference: tf.tensor2d(referenceLogProbs, [N, T - 1]),
    };
    const old = config.num_iterations > 1 ? scorePolicy(inputs.ids)[0] : undefined;
    const further = [
      tf.scalar(extras?.beta ?? config.beta),
      ...(text ? [text.x, text.y].map((each) => tf.tensor2d(each, [each.length / T, T], 'int32')) : []),
    ];
    const scalarsOf = (pass: number) => {
      const updates = step * config.num_iterations + pass + 1;
      return optimizer.scalars(updates, extras?.learningRate ?? config.grpo_learning_rate);
    };
    const learnOnce = (pass: number): readonly number[] =>
      withInputs(pass, (all) => {
        const outputs = old ? learnAgain(...all) : learnFresh(...all);
        const numbers = outputs.map((output) => output.dataSync()[0] ?? NaN);
        tf.dispose([...outputs]);
        return numbers;
      });
    const withInputs = <R>(pass: number, use: (all: readonly tf.Tensor[]) => R): R => {
      const scalars = scalarsOf(pass);
      const result = use([
        ...[inputs.ids, inputs.mask, inputs.advantages, inputs.reference, scalars],
        ...further,
        ...(old ? [old] : []),
      ]);
      scalars.dispose();
      return result;
    };
    return {
      learnOnce,
      withInputs,
      names: old ? withOld : given,
      dispose: () => tf.dispose([...Object.values(inputs), ...further, ...(old ? [old] : [])]),
    };
  };

  return {
    optimizer,
    averages,
    update(rollouts, step, extras) {
      if (config.num_iterations > 1) momentsBefore = optimizer.read();
      const prepared = prepare(rollouts, step, extras);
      let metrics: UpdateMetrics | undefined;
      for (let pass = 0; pass < config.num_iterations; pass++) {
        const [loss = NaN, gradNorm = NaN, kl = NaN, entropy = NaN, low = NaN, high = NaN, ptx = NaN] =
          prepared.learnOnce(pass);
        const failed = !Number.isFinite(loss) || !Number.isFinite(gradNorm);
        const first = failed ? undefined : metrics;
        metrics = {
          loss: first?.loss ?? loss,
          ...(mixesText ? { ptx_loss: first?.ptx_loss ?? ptx } : {}),
          kl: first?.kl ?? kl,
          entropy: first?.entropy ?? entropy,
          clip_ratio_low: low,
          clip_ratio_high: high,
          grad_norm: first?.grad_norm ?? gradNorm,
        };
        if (failed) break;
      }
      prepared.dispose();
      if (!metrics) throw new Error('num_iterations must be at least 1');
      return metrics;
    },
    explain(before, rollouts, step, extras) {
      writeParameters(session, policy, before);
      if (momentsBefore) optimizer.write(momentsBefore);
      const prepared = prepare(rollouts, step, extras);
      const look = {
        ...{ session, model, parameters: policy },
        lossGradients: (...args: readonly tf.Tensor[]) =>
          lossGradients(asInputs(prepared.names, args), () => undefined),
      };
      let words: string | null = null;
      for (let pass = 0; pass < config.num_iterations && words === null; pass++) {
        words = prepared.withInputs(pass, (all) => lookAtGradients(look, all));
        if (words === null) prepared.learnOnce(pass);
      }
      prepared.dispose();
      return words;
    },
  };
}

interface UpdateInputs {
  readonly ids: tf.Tensor;
  readonly mask: tf.Tensor;
  readonly advantages: tf.Tensor;
  readonly referenceLogProbs: tf.Tensor;
  /** The optimizer's, of the step. */
  readonly scalars: tf.Tensor;
  readonly beta?: tf.Tensor;
  readonly x?: tf.Tensor;
  readonly y?: tf.Tensor;
  readonly oldLogProbs?: tf.Tensor;
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
