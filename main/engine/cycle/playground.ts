/**
 * The playground's writing: token by token with probabilities and likely alternatives, and a reward model's score after each token.
 * It chooses tokens in double precision, with one forward pass for each: slower than generate.ts, but everything is known.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import { createParameters, lmLogits, trunk } from '../model/model.js';
import type { SamplingRule } from '../model/sampling-rule.js';
import type { RewardScorer } from '../reward/reward-scorer.js';
import { streams, uniforms } from '../rng.js';
import type { Environment, NamedArrays, TokenIds } from '../types.js';

const ALTERNATIVES = 5;

interface Likely {
  readonly id: number;
  readonly probability: number;
}

export interface WrittenId {
  readonly id: number;
  readonly logProb: number;
  /** The likeliest tokens, likeliest first. */
  readonly alternatives: readonly Likely[];
}

/**
 * Chooses a token from scores. A temperature of 0 takes the likeliest; probabilities are then those at 1.
 * @param u in [0, 1): selects the token by the inverse of the cumulative distribution
 */
export function chooseToken(
  logits: Float32Array,
  u: number,
  { temperature, topK, topP = 1, vocabLimit = logits.length, excluded = [] }: SamplingRule,
): WrittenId {
  const choices = logits.slice(0, vocabLimit);
  for (const id of excluded) choices[id] = -Infinity;
  const largest = choices.reduce((a, b) => Math.max(a, b), -Infinity);
  const scale = temperature > 0 ? temperature : 1;
  const weights = Float64Array.from(choices, (logit) => Math.exp((logit - largest) / scale));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const order = Array.from(weights.keys()).sort((a, b) => (choices[b] ?? 0) - (choices[a] ?? 0) || a - b);
  const likely = (id: number): Likely => ({ id, probability: (weights[id] ?? 0) / total });
  const among = temperature > 0 ? order.slice(0, topK ?? order.length) : order.slice(0, 1);
  const allowed = topP < 1 ? nucleus(among, weights, topP) : among;
  // In order of id, so that the same u gives a near token when probabilities change a little.
  const candidates = allowed.sort((a, b) => a - b);
  let left = u * candidates.reduce((sum, id) => sum + (weights[id] ?? 0), 0);
  const id = candidates.find((candidate) => (left -= weights[candidate] ?? 0) < 0) ?? candidates.at(-1) ?? 0;
  return { id, logProb: Math.log(likely(id).probability), alternatives: order.slice(0, ALTERNATIVES).map(likely) };
}

/** Returns the fewest of the first in `order` whose weights reach `share` of the total. */
function nucleus(order: readonly number[], weights: Float64Array, share: number): number[] {
  const weightOf = (id: number) => weights[id] ?? 0;
  let left = share * order.reduce((sum, id) => sum + weightOf(id), 0);
  const end = order.findIndex((id) => (left -= weightOf(id)) <= 0);
  return order.slice(0, end < 0 ? order.length : end + 1);
}

/** Continues a prompt of at least one token; when the context is full, its second half starts the next. */
export async function writeTokens(
  options: SamplingRule & {
    readonly model: GPTConfig;
    readonly weights: NamedArrays;
    readonly prompt: TokenIds;
    readonly count: number;
    readonly seed: number;
    /** Ids that the continuation cannot begin with. */
    readonly excludedFirst?: readonly number[];
    readonly env: Environment;
    onToken(token: WrittenId): void;
  },
): Promise<'length' | 'cancelled'> {
  const { weights, prompt, count, seed, env } = options;
  const model: GPTConfig = { ...options.model, dropout: 0 };
  const T = model.block_size;
  const session = env.runtime.createSession();
  try {
    const parameters = createParameters(session, weights);
    const scores = session.compile(
      (ids: tf.Tensor, last: tf.Tensor1D) => {
        const hidden: tf.Tensor2D = tf.reshape(trunk(model, parameters, ids), [T, model.n_embd]);
        return lmLogits(model, parameters, tf.gather(hidden, last)); // (1, V)
      },
      { name: 'playground_scores', xla: false },
    );
    let context = Array.from(prompt.slice(-T));
    for (let index = 0; index < count; index++) {
      if (env.stop.requested) return 'cancelled';
      if (context.length === T) context = context.slice(T - Math.max(1, Math.floor(T / 2)));
      const row = new Int32Array(T);
      row.set(context);
      const ids = tf.tensor2d(row, [1, T], 'int32');
      const last = tf.tensor1d([context.length - 1], 'int32');
      const output = scores(ids, last);
      const logits = output.dataSync<'float32'>();
      tf.dispose([ids, last, output]);
      const [u = 0] = uniforms(seed, streams.sample, index, 0, 1);
      const excluded = [...(options.excluded ?? []), ...(index === 0 ? (options.excludedFirst ?? []) : [])];
      const token = chooseToken(logits, u, { ...options, excluded });
      context.push(token.id);
      options.onToken(token);
      await env.yieldToEventLoop();
    }
    return 'length';
  } finally {
    session.dispose();
  }
}

/** Scores a text of any length after each token, in half-overlapping windows. (ids.length) */
export async function naturalAfterEach(scorer: RewardScorer, blockSize: number, ids: TokenIds): Promise<Float32Array> {
  const values = new Float32Array(ids.length);
  const half = Math.max(1, Math.floor(blockSize / 2));
  for (let first = 0, scored = 0; scored < ids.length; first += half) {
    const window = new Uint32Array(blockSize);
    const part = ids.subarray(first, first + blockSize);
    window.set(part);
    const natural = await scorer.scorePrefixes(window);
    values.set(natural.subarray(scored - first, part.length), scored);
    scored = first + part.length;
  }
  return values;
}
