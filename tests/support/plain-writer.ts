/** The plain way of writing, which recomputes the whole passage for every token: the reference for the cached one. */
import * as tf from '@tensorflow/tfjs';
import type { Passage } from '../../main/engine/generate/generate.js';
import { lmLogits, trunk, type Parameters } from '../../main/engine/model/model.js';
import { uniforms } from '../../main/engine/rng.js';
import { sampleTokens } from '../../main/engine/generate/sampling.js';
import { logProbsUnder, type SamplingRule } from '../../main/engine/model/sampling-rule.js';
import type { GPTConfig } from '../../shared/config/model.js';

/** Completes passages with tfjs as it is, eagerly; tokens of passage `index` use uniforms(seed, stream, index, …). */
export function completePlainly(
  model: GPTConfig,
  parameters: Parameters,
  rule: SamplingRule,
  noise: { readonly seed: number; readonly stream: number },
  passages: readonly Passage[],
): { readonly tokens: number[][]; readonly logProbs: number[][] } {
  const T = model.block_size;
  const B = passages.length;
  const tokens = passages.map(({ prefix }) => Array.from(prefix));
  const logProbs = tokens.map((row) => row.map(() => 0));
  const u = passages.map(({ index }) => uniforms(noise.seed, noise.stream, index, 0, T));
  for (let position = 1; position < T; position++) {
    tf.tidy(() => {
      const known = tokens.map((row) => row.slice(0, position));
      const hidden = trunk(model, parameters, tf.tensor2d(known, [B, position], 'int32'));
      const last = tf.slice(hidden, [0, position - 1, 0], [B, 1, model.n_embd]);
      const logits = tf.reshape(lmLogits(model, parameters, last), [B, model.vocab_size]) as tf.Tensor2D;
      const seen = tf.tensor2d(
        known.map((row) => Array.from({ length: model.vocab_size }, (_, id) => row.includes(id))),
        [B, model.vocab_size],
        'bool',
      );
      const drawn = sampleTokens(logits, tf.tensor1d(u.map((row) => row[position] ?? 0)), rule, seen);
      const scores = logProbsUnder(logits, drawn, rule, seen).dataSync();
      drawn.dataSync().forEach((token, row) => {
        if ((tokens[row]?.length ?? T) > position) return;
        tokens[row]?.push(token);
        logProbs[row]?.push(scores[row] ?? NaN);
      });
    });
  }
  return { tokens, logProbs };
}
