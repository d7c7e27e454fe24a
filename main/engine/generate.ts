/**
 * Writing with a generator: many passages at once, each going on from its own prefix. This is the plain way, which
 * recomputes the whole passage for every token; it is the reference that faster ways are tested against.
 */
import * as tf from '@tensorflow/tfjs';
import { UserError } from '../../shared/errors.js';
import type { GPTConfig } from '../../shared/config/model.js';
import { createParameters, lmLogits, trunk, type Parameters } from './model.js';
import { uniforms } from './rng.js';
import type { Session } from './runtime/types.js';
import { sampleTokens, type SamplingRule } from './sampling.js';
import type { Environment, NamedArrays } from './types.js';

/** Where a passage's noise comes from: token t of passage `index` uses uniforms(seed, stream, index, t). */
export interface NoisePlace {
  readonly seed: number;
  readonly stream: number;
}

export interface Passage {
  /** The given beginning, 1 to block_size tokens. */
  readonly prefix: Uint16Array;
  /** Its place in the noise: the same index writes the same passage, in any batch. */
  readonly index: number;
}

export interface Writer {
  /** Fills passages up to block_size tokens. At most `batchSize` passages; result: one (block_size) array each. */
  complete(passages: readonly Passage[]): Promise<Uint16Array[]>;
}

/** Compiles completion for a generator whose parameters live in `session`. */
export function createWriter(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  batchSize: number,
  rule: SamplingRule,
  noise: NoisePlace,
  env: Environment,
): Writer {
  const B = batchSize;
  const T = model.block_size;
  const nextTokens = session.compile(
    (tokens: tf.Tensor, position: tf.Tensor, u: tf.Tensor) => {
      const hidden = trunk(model, parameters, tokens); // (B, T, C)
      const last = tf.gather(hidden, tf.reshape(position, [1]) as tf.Tensor1D, 1); // (B, 1, C)
      const logits = tf.reshape(lmLogits(parameters, last), [B, model.vocab_size]) as tf.Tensor2D;
      return [sampleTokens(logits, u as tf.Tensor1D, rule)];
    },
    { name: 'next_tokens' },
  );

  return {
    async complete(passages) {
      if (passages.length > B) throw new Error(`${passages.length} passages for a batch of ${B}`);
      const tokens = new Int32Array(B * T);
      const u = passages.map(({ index }) => uniforms(noise.seed, noise.stream, index, 0, T));
      passages.forEach(({ prefix }, row) => tokens.set(prefix, row * T));
      const shortest = Math.min(...passages.map(({ prefix }) => prefix.length));
      for (let position = shortest; position < T; position++) {
        const here = tf.tensor1d(Float32Array.from({ length: B }, (_, row) => u[row]?.[position] ?? 0));
        const inputs = [tf.tensor2d(tokens, [B, T], 'int32'), tf.scalar(position - 1, 'int32'), here] as const;
        const [drawn] = nextTokens(...inputs);
        const values = drawn?.dataSync() ?? [];
        tf.dispose([...inputs, drawn]);
        passages.forEach(({ prefix }, row) => {
          if (position >= prefix.length) tokens[row * T + position] = values[row] ?? 0;
        });
        await env.breathe();
      }
      return passages.map((_, row) => Uint16Array.from(tokens.subarray(row * T, (row + 1) * T)));
    },
  };
}

export interface GenerateOptions extends SamplingRule, NoisePlace {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly prompts: readonly Uint16Array[];
  /** How many tokens to write after each prompt; may exceed the context. */
  readonly newTokens: number;
  readonly env: Environment;
}

/**
 * Writes `newTokens` after each prompt; returns prompts and what follows them. What does not fit the context is
 * written window by window: when a window is full, its last half becomes the beginning of the next.
 */
export async function generate(options: GenerateOptions): Promise<Uint16Array[]> {
  const { model, weights, prompts, newTokens, seed, stream, env } = options;
  if (prompts.some((prompt) => prompt.length === 0)) {
    throw new UserError({
      code: 'bad_input',
      message: 'A prompt must have at least one token.',
      hint: 'Give a prompt of one character or more.',
      field: 'prompt',
    });
  }
  const T = model.block_size;
  const session = env.runtime.createSession();
  try {
    const parameters = createParameters(session, weights);
    const writer = createWriter(session, model, parameters, prompts.length, options, { seed, stream }, env);
    const texts = prompts.map((prompt) => Array.from(prompt));
    const wanted = prompts.map((prompt) => prompt.length + newTokens);
    for (let round = 0; texts.some((text, row) => text.length < (wanted[row] ?? 0)); round++) {
      const prefixes = texts.map((text) => {
        const keep = text.length < T ? text.length : Math.max(1, Math.floor(T / 2));
        return Uint16Array.from(text.slice(text.length - keep));
      });
      // Each window has noise of its own, or every window would repeat the choices of the one before.
      const passages = prefixes.map((prefix, row) => ({ prefix, index: round * prompts.length + row }));
      const windows = await writer.complete(passages);
      windows.forEach((window, row) => texts[row]?.push(...window.subarray(prefixes[row]?.length)));
      if (env.stop.requested) break;
    }
    return texts.map((text, row) => Uint16Array.from(text.slice(0, wanted[row])));
  } finally {
    session.dispose();
  }
}
