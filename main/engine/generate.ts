/**
 * Writing with a generator: many passages at once, each going on from its own prefix, in one compiled loop with a
 * key-value cache (decode.ts). It runs in chunks of tokens, so that a person can watch and stop.
 */
import * as tf from '@tensorflow/tfjs';
import { UserError } from '../../shared/errors.js';
import type { GPTConfig } from '../../shared/config/model.js';
import {
  cacheLength,
  decodeUntil,
  lengthened,
  prefill,
  startState,
  stateList,
  stateOf,
  type DecodeState,
} from './decode.js';
import { createParameters, type Parameters } from './model.js';
import { uniforms } from './rng.js';
import type { Session } from './runtime/types.js';
import type { SamplingRule } from './sampling.js';
import type { Environment, NamedArrays } from './types.js';

/** Where noise comes from: token t of passage `index` uses uniforms(seed, stream, index, t). */
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

export interface Written {
  /** (block_size) ids, the prefix first. */
  readonly ids: Uint16Array;
  /** (block_size): log-probability of each written token at the temperature; 0 for the prefix. */
  readonly logProbs: Float32Array;
}

export interface Writer {
  /** Fills passages up to block_size tokens, at most `batchSize` of them. Null when the person asked to stop. */
  complete(passages: readonly Passage[], noise: NoisePlace): Promise<Written[] | null>;
}

/** Tokens between two looks at the world outside. */
const TOKENS_PER_CHUNK = 64;

/**
 * Every token attends over the whole cache, so a cache no longer than needed saves most of the reading: it begins with
 * a part of the block and grows. Each length is a graph of its own to compile, which blocks below 256 do not repay.
 */
function cacheLengths(blockSize: number): readonly number[] {
  if (blockSize < 256) return [blockSize];
  return [Math.ceil(blockSize / 4), Math.ceil(blockSize / 2), blockSize];
}

/** How many of the given tokens are computed at once: few different numbers, as each is a graph of its own. */
function prefillWidth(given: number, blockSize: number): number {
  const unit = Math.max(1, Math.floor(blockSize / 4));
  return given - (given % unit);
}

/** Compiles completion for a generator whose parameters live in `session`. */
export function createWriter(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  batchSize: number,
  rule: SamplingRule,
  env: Environment,
): Writer {
  const B = batchSize;
  const T = model.block_size;
  const decode = session.compile<readonly tf.Tensor[], readonly tf.Tensor[]>(
    (...args) => {
      const [end, prefixLengths, u, ...list] = args as readonly [tf.Tensor, tf.Tensor, tf.Tensor, ...tf.Tensor[]];
      return stateList(decodeUntil(model, parameters, rule, stateOf(list), prefixLengths, u, end));
    },
    { name: 'decode' },
  );

  const lengths = cacheLengths(T);
  const lengthFor = (tokens: number) => lengths.find((length) => length >= tokens) ?? T;
  const fill = session.compile<readonly [tf.Tensor], readonly tf.Tensor[]>(
    (given) => prefill(model, parameters, given, lengthFor(given.shape[1] ?? 0)),
    { name: 'prefill' },
  );

  /** The state from which writing begins, with the longest beginning that all passages have computed at once. */
  const begin = (passages: readonly Passage[]): { readonly state: DecodeState; readonly position: number } => {
    const tokens = new Int32Array(B * T);
    passages.forEach(({ prefix }, row) => tokens.set(prefix, row * T));
    const start = (length: number) => startState(model, tf.tensor2d(tokens, [B, T], 'int32'), length);
    const width = prefillWidth(Math.min(...passages.map(({ prefix }) => prefix.length)), T);
    if (width < 2) return { state: start(lengthFor(1)), position: 0 };
    const given = new Int32Array(B * width);
    for (let row = 0; row < B; row++) given.set(tokens.subarray(row * T, row * T + width), row * width);
    const empty = start(0);
    const x = tf.tensor2d(given, [B, width], 'int32');
    const cache = fill(x);
    tf.dispose([x, empty.position, [...empty.cache]]);
    // The last of them once more, for its scores.
    const position = width - 1;
    return { state: { ...empty, position: tf.scalar(position, 'int32'), cache }, position };
  };

  return {
    async complete(passages, noise) {
      if (passages.length > B) throw new Error(`${passages.length} passages for a batch of ${B}`);
      const prefixes = new Int32Array(B).fill(T);
      const u = new Float32Array(B * T);
      passages.forEach(({ prefix, index }, row) => {
        prefixes[row] = prefix.length;
        u.set(uniforms(noise.seed, noise.stream, index, 0, T), row * T);
      });
      const prefixLengths = tf.tensor1d(prefixes, 'int32');
      const uniform = tf.tensor2d(u, [B, T]);
      let { state, position } = begin(passages);
      try {
        while (position < T - 1 && !env.stop.requested) {
          if (position === cacheLength(state.cache)) {
            const short = state.cache;
            state = { ...state, cache: short.map((x) => lengthened(x, lengthFor(position + 1))) };
            tf.dispose([...short]);
          }
          position = Math.min(position + TOKENS_PER_CHUNK, cacheLength(state.cache), T - 1);
          const end = tf.scalar(position, 'int32');
          const before = stateList(state);
          try {
            state = stateOf(decode(end, prefixLengths, uniform, ...before));
          } finally {
            tf.dispose(end);
          }
          tf.dispose(before);
          await env.breathe();
        }
        const tokenIds = state.tokens.dataSync();
        const logProbs = state.logProbs.dataSync() as Float32Array;
        if (env.stop.requested) return null;
        return passages.map((_, row) => ({
          ids: Uint16Array.from(tokenIds.subarray(row * T, (row + 1) * T)),
          logProbs: logProbs.slice(row * T, (row + 1) * T),
        }));
      } finally {
        tf.dispose([prefixLengths, uniform, ...stateList(state)]);
      }
    },
  };
}

/** Passages of one length, end to end. */
export function joined(passages: readonly Written[]): Uint16Array {
  const width = passages[0]?.ids.length ?? 0;
  const all = new Uint16Array(passages.length * width);
  passages.forEach(({ ids }, row) => all.set(ids, row * width));
  return all;
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
    const writer = createWriter(session, model, parameters, prompts.length, options, env);
    const texts = prompts.map((prompt) => Array.from(prompt));
    const wanted = prompts.map((prompt) => prompt.length + newTokens);
    for (let round = 0; texts.some((text, row) => text.length < (wanted[row] ?? 0)); round++) {
      const prefixes = texts.map((text) => {
        const keep = text.length < T ? text.length : Math.max(1, Math.floor(T / 2));
        return Uint16Array.from(text.slice(text.length - keep));
      });
      // Each window has noise of its own, or every window would repeat the choices of the one before.
      const passages = prefixes.map((prefix, row) => ({ prefix, index: round * prompts.length + row }));
      const windows = await writer.complete(passages, { seed, stream });
      if (!windows) break;
      windows.forEach(({ ids }, row) => texts[row]?.push(...ids.subarray(prefixes[row]?.length)));
    }
    return texts.map((text, row) => Uint16Array.from(text.slice(0, wanted[row])));
  } finally {
    session.dispose();
  }
}
