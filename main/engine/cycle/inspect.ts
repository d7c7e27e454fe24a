/** Reads a text token by token: how likely each was, which others were likely, and how natural the text is up to it. */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import { tokenLogProbs } from '../model/layers.js';
import { createParameters, lmLogits, trunk } from '../model/model.js';
import { type SamplingRule, scoresUnder } from '../model/sampling-rule.js';
import type { RewardScorer } from '../reward/reward-scorer.js';
import { valuesOf } from '../runtime/reading.js';
import type { Environment, NamedArrays, TokenIds } from '../types.js';
import { withSession } from '../runtime/session.js';

const ALTERNATIVES = 5;

export interface LikelyToken {
  readonly id: number;
  readonly logProb: number;
  /** The likeliest tokens at its place, likeliest first. */
  readonly alternatives: readonly { readonly id: number; readonly probability: number }[];
}

/**
 * Reads tokens in windows that overlap by half.
 * @param first the first token that is looked at; the ones before it are its context, at least one
 */
export async function likelyTokens(options: {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly ids: TokenIds;
  readonly first: number;
  readonly rule: SamplingRule;
  readonly env: Environment;
}): Promise<LikelyToken[]> {
  const { weights, ids, first, rule, env } = options;
  const model: GPTConfig = { ...options.model, dropout: 0 };
  const { block_size: T, n_embd, vocab_size } = model;
  const count = Math.min(ALTERNATIVES, vocab_size);
  return withSession(env.runtime, async (session) => {
    const parameters = createParameters(session, weights);
    const read = session.compile(
      (window: tf.Tensor, next: tf.Tensor1D) => {
        const hidden = tf.reshape(trunk(model, parameters, window), [T, n_embd]);
        const scores = scoresUnder(lmLogits(model, parameters, hidden), rule); // (T, V)
        const { values, indices } = tf.topk(tf.softmax(scores), count, true);
        return [tokenLogProbs(scores, next), values, indices];
      },
      { name: 'likely_tokens', xla: false },
    );
    const found: LikelyToken[] = [];
    for (let next = first; next < ids.length; next = first + found.length) {
      const from = Math.max(0, next - Math.ceil(T / 2));
      const length = Math.min(T, ids.length - 1 - from);
      const row = (shift: number) => {
        const padded = new Int32Array(T);
        padded.set(ids.subarray(from + shift, from + shift + length));
        return padded;
      };
      const given = [tf.tensor2d(row(0), [1, T], 'int32'), tf.tensor1d(row(1), 'int32')] as const;
      const outputs = read(...given);
      const [logProbs, probabilities, likeliest] = await Promise.all(outputs.map((output) => valuesOf(output)));
      tf.dispose([...given, ...outputs]);
      for (let at = next - from - 1; at < length; at++) {
        const alternatives = Array.from({ length: count }, (_, rank) => ({
          id: likeliest?.[at * count + rank] ?? 0,
          probability: probabilities?.[at * count + rank] ?? 0,
        }));
        found.push({ id: ids[from + at + 1] ?? 0, logProb: logProbs?.[at] ?? 0, alternatives });
      }
      await env.yieldToEventLoop();
    }
    return found;
  });
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
