/**
 * The rival that has the same teacher without any writing: the critic reads the person's text once, and the base model is
 * trained on towards the critic's whole distribution at each place (word-level distillation, Hinton et al. 2015; Kim and Rush
 * 2016), with the weights of the evaluation where the held-out text was likeliest.
 */
import * as tf from '@tensorflow/tfjs';
import { trunk, createParameters, readParameters } from '../../../main/engine/model/model.js';
import { distillationLoss } from '../../../main/engine/grpo/expected-evidence.js';
import { dropoutNoise } from '../../../main/engine/model/dropout.js';
import { readingPrecision, trainingPrecision } from '../../../main/engine/model/precision.js';
import { concatArrays } from '../../../shared/bytes.js';
import type { LanguageModel } from '../../../main/engine/reward/reward.js';
import { streams, uniformInt } from '../../../main/engine/rng.js';
import { createEvaluator, stoppedMeasuring } from '../../../main/engine/train/perplexity.js';
import { gradientsOf } from '../../../main/engine/train/gradients.js';
import { createOptimizer } from '../../../main/engine/train/optimizer.js';
import { learningRateAt } from '../../../main/engine/train/schedule.js';
import { disposeTrees, takeScalars } from '../../../main/engine/runtime/tree.js';
import type { Environment, NamedArrays, TokenSource } from '../../../main/engine/types.js';
import { settingsToTrainOn } from '../../../main/engine/cycle/training-on.js';
import { rivalPlan, stepsFor, type Parts, type Rival } from './rivals.js';
import { secondsOfAll, type PhaseSeconds } from './seconds.js';

const SEED_OFFSET = 2 ** 44;
/** Windows that the critic reads at once. */
const ROWS = 8;

/** The critic's seconds are spent; what its reading of the text leaves is for learning. */
export async function distilledText(seconds: PhaseSeconds, parts: Parts): Promise<Rival> {
  const { config, tokens, base, critic, env } = parts;
  const began = env.now();
  const read = await readText(critic, tokens.train, env);
  const left = secondsOfAll(seconds) - (seconds.critic ?? 0) - (env.now() - began) / 1000;
  const steps = stepsFor(left, parts);
  const train = settingsToTrainOn(config, { pace: 'as_before', ...rivalPlan(steps) });
  const { model } = base;
  const [B, T, C] = [train.batch_size, model.block_size, critic.model.n_embd];
  const seed = config.seed + SEED_OFFSET;
  const session = env.runtime.createSession();
  try {
    const parameters = createParameters(session, base.weights);
    const teacher = createParameters(session, critic.weights, 'critic.');
    const optimizer = createOptimizer(session, model, parameters, train);
    const evaluator = createEvaluator(session, model, parameters, env);
    const step = session.compile(
      ({ x, hidden, key }: Batch, told: tf.Tensor) => {
        const loss = (): tf.Scalar =>
          distillationLoss({
            policy: { model, parameters, hidden: trunk(model, parameters, x, dropoutNoise(key)) },
            critic: { model: critic.model, parameters: teacher, hidden },
          });
        const { value, gradients } = gradientsOf(loss, parameters);
        return { loss: value, gradNorm: optimizer.apply(gradients, told) };
      },
      { name: 'distill_text', precision: trainingPrecision(env.runtime, model) },
    );
    let best: { val_loss: number; weights: NamedArrays } = {
      val_loss: (await evaluator.evaluate(tokens.val)).loss,
      weights: base.weights,
    };
    for (let taken = 0; taken < steps; taken++) {
      if (env.stop.requested) throw stoppedMeasuring();
      await env.yieldToEventLoop();
      const places = Array.from({ length: B }, (_, row) =>
        uniformInt(seed, streams.trainBatch, taken, row, tokens.train.length - T),
      );
      const batch: Batch = {
        x: tf.tensor2d(Int32Array.from(places.flatMap((at) => [...tokens.train.read(at, T)])), [B, T]),
        hidden: tf.tensor3d(
          concatArrays(
            places.map((at) => read.subarray(at * C, (at + T) * C)),
            (length) => new Float32Array(length),
          ),
          [B, T, C],
        ),
        key: tf.tensor1d(
          [0, 1].map((index) => uniformInt(seed, streams.dropout, taken, index, 2 ** 31)),
          'int32',
        ),
      };
      const told = optimizer.scalars(taken + 1, learningRateAt(taken, train));
      takeScalars(step(batch, told));
      disposeTrees(batch, told);
      if ((taken + 1) % train.eval_interval !== 0 && taken + 1 !== steps) continue;
      const { loss } = await evaluator.evaluate(tokens.val);
      if (loss < best.val_loss) best = { val_loss: loss, weights: readParameters(session, parameters) };
    }
    return { model: { model, weights: best.weights }, val_loss: best.val_loss, steps };
  } finally {
    session.dispose();
  }
}

/** x: int32 (B, T); hidden: the critic's states there (B, T, C); key: of dropout's noise, int32 (2). */
interface Batch {
  readonly [name: string]: tf.Tensor;
  readonly x: tf.Tensor;
  readonly hidden: tf.Tensor;
  readonly key: tf.Tensor;
}

/**
 * The critic's hidden state at each token of the text, (tokens, width) flat. It reads windows that lie half over each other,
 * and of each the later half counts, where it has seen the more; of the first, all of it.
 */
async function readText({ model, weights }: LanguageModel, text: TokenSource, env: Environment): Promise<Float32Array> {
  const [T, C] = [model.block_size, model.n_embd];
  const all = new Float32Array(text.length * C);
  const session = env.runtime.createSession();
  try {
    const parameters = createParameters(session, weights);
    const read = session.compile((x: tf.Tensor) => trunk(model, parameters, x), {
      ...{ name: 'text_hidden', precision: readingPrecision(env.runtime, model) },
    });
    const starts = windowStarts(text.length, T);
    for (let first = 0; first < starts.length; first += ROWS) {
      // The last batch is filled up with the last window.
      const rows = Array.from({ length: ROWS }, (_, row) => starts[Math.min(first + row, starts.length - 1)] ?? 0);
      const x = tf.tensor2d(Int32Array.from(rows.flatMap((start) => [...text.read(start, T)])), [ROWS, T]);
      const hidden = read(x);
      const values = hidden.dataSync<'float32'>();
      tf.dispose([x, hidden]);
      rows.forEach((start, row) => {
        const from = start === 0 ? 0 : Math.floor(T / 2);
        all.set(values.subarray((row * T + from) * C, (row + 1) * T * C), (start + from) * C);
      });
      await env.yieldToEventLoop();
    }
    return all;
  } finally {
    session.dispose();
  }
}

/** Each half a window after the one before; the last ends with the text. */
function windowStarts(length: number, T: number): readonly number[] {
  const last = length - T;
  const starts: number[] = [];
  for (let start = 0; start < last; start += Math.ceil(T / 2)) starts.push(start);
  return [...starts, last];
}
