/**
 * Writing with a generator: many passages at once, each continuing its own prefix, in one compiled loop with a
 * key-value cache (decode.ts). It runs in chunks of tokens, so that a person can watch and stop.
 */
import { localized } from '../../../shared/messages/message.js';
import * as tf from '@tensorflow/tfjs';
import { UserError } from '../../../shared/errors.js';
import { declarationOf } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { cacheLength, decodeUntil, lengthened, prefill, startState, type DecodeState, type Given } from './decode.js';
import type { KeysValues } from '../model/architecture.js';
import { architectureOf } from '../model/architectures.js';
import { createParameters, type Parameters } from '../model/parameters.js';
import { uniforms } from '../rng.js';
import { disposeTrees, mapTensors } from '../runtime/tree.js';
import type { Session } from '../runtime/types.js';
import { gatherNumbers, shareOf, type Team } from '../team.js';
import type { SamplingRule } from './sampling.js';
import type { Environment, NamedArrays, TokenIds } from '../types.js';

/** Where noise comes from: token t of passage `index` uses uniforms(seed, stream, index, t). */
export interface NoisePlace {
  readonly seed: number;
  readonly stream: number;
}

export interface Passage {
  /** The given beginning, 1 to block_size tokens. */
  readonly prefix: TokenIds;
  /** Its place in the noise: the same index writes the same passage, in any batch. */
  readonly index: number;
}

export interface Written {
  /** (block_size) ids, the prefix first. */
  readonly ids: TokenIds;
  /** (block_size): log-probability of each written token at the temperature; 0 for the prefix. */
  readonly logProbs: Float32Array;
}

export interface Writer {
  /**
   * Fills passages up to `length` tokens, at most `batchSize` of them. Null when the person asked to stop.
   * @param length left out: block_size; beyond it stand zeros
   * @param temperature in place of the rule's; a writer that is told it once is told it always, so that it is compiled once
   */
  complete(
    passages: readonly Passage[],
    noise: NoisePlace,
    length?: number,
    temperature?: number,
  ): Promise<Written[] | null>;
}

/**
 * A batch is written in parts that run side by side: what XLA makes of a token's small products keeps one thread busy. So
 * many passages to a part, at least; always the same, whatever the machine, and so are the numbers.
 */
const ROWS_OF_PART = 16;
const MAX_PARTS = 16;

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

/**
 * Where token by token begins: all up to it are computed at once, and it once more, for its scores. So many are few different
 * numbers, as each is a graph of its own.
 */
function firstPosition(given: number, blockSize: number): number {
  const unit = Math.max(1, Math.floor(blockSize / 4));
  return Math.max(0, given - (given % unit) - 1);
}

/** Compiles completion for a generator whose parameters live in `session`. Of a team, each rank writes its part of a batch. */
export function createWriter(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  batchSize: number,
  rule: SamplingRule,
  env: Environment,
): Writer {
  const { team } = env;
  const own = createOwnWriter(session, model, parameters, Math.ceil(batchSize / (team?.size ?? 1)), rule, env);
  return team ? { complete: (passages, ...how) => completeTogether(team, own, passages, how, model.block_size) } : own;
}

/** Each rank's part, gathered: all have all that was written. A part that could not be written is one everywhere. */
async function completeTogether(
  team: Team,
  writer: Writer,
  passages: readonly Passage[],
  how: [noise: NoisePlace, length?: number | undefined, temperature?: number | undefined],
  T: number,
): Promise<Written[] | null> {
  // What was asked for is known to all at the same exchange.
  if (team.stop.requested) return null;
  const { first, end } = shareOf(team, passages.length);
  let failure: unknown = new Error('another rank could not write its passages');
  const own = await writer.complete(passages.slice(first, end), ...how).catch((error: unknown) => {
    failure = error;
    return [];
  });
  if (!own) return null;
  const words = new Float32Array(own.length * 2 * T);
  own.forEach(({ ids, logProbs }, row) => {
    new Uint32Array(words.buffer).set(ids, row * 2 * T);
    words.set(logProbs, (row * 2 + 1) * T);
  });
  const all = await gatherNumbers(team, words);
  if (all.length !== passages.length * 2 * T) throw failure;
  return passages.map((_, row) => ({
    ids: new Uint32Array(all.buffer).slice(row * 2 * T, (row * 2 + 1) * T),
    logProbs: all.slice((row * 2 + 1) * T, (row + 1) * 2 * T),
  }));
}

function createOwnWriter(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  batchSize: number,
  rule: SamplingRule,
  env: Environment,
): Writer {
  const T = model.block_size;
  const parts = Math.min(MAX_PARTS, Math.ceil(batchSize / ROWS_OF_PART));
  const B = Math.ceil(batchSize / parts);
  const decode = session.compile(
    (state: DecodeState, given: Given, end: tf.Tensor) => decodeUntil(model, parameters, rule, state, given, end),
    { name: 'decode', copies: parts },
  );

  const lengths = cacheLengths(T);
  const lengthFor = (tokens: number) => lengths.find((length) => length >= tokens) ?? T;
  const fill = session.compile(
    (given: tf.Tensor) => prefill(model, parameters, given, lengthFor(given.shape[1] ?? 0)),
    { name: 'prefill', copies: parts },
  );

  /** The states from which writing begins at `position`: what stands before it is computed at once. */
  const begin = (tokens: readonly Int32Array[], position: number): DecodeState[] => {
    const start = (ids: Int32Array, layers: readonly KeysValues[]) =>
      startState(tf.tensor2d(ids, [B, T], 'int32'), layers, position);
    if (position === 0)
      return tokens.map((ids) => start(ids, architectureOf(model).emptyLayers(model, B, lengthFor(1))));
    const given = tokens.map((ids) => beginningsOf(ids, [B, T], position + 1));
    try {
      const caches = fill.together(given.map((ids) => [ids]));
      return tokens.map((ids, part) => start(ids, caches[part] ?? []));
    } finally {
      disposeTrees(given);
    }
  };

  return {
    async complete(passages, noise, wanted = T, temperature) {
      const last = Math.min(T, wanted) - 1;
      if (passages.length > batchSize) throw new Error(`${passages.length} passages for a batch of ${batchSize}`);
      if (passages.length === 0) return [];
      const groups = inGroups(passages, B);
      const inputs = groups.map((group) => inputOf(group, noise, [B, T], temperature));
      let position = firstPosition(Math.min(...passages.map(({ prefix }) => prefix.length)), T);
      let states: DecodeState[] = [];
      try {
        states = begin(
          inputs.map(({ tokens }) => tokens),
          position,
        );
        while (position < last && !env.stop.requested) {
          let length = cacheLength(stateAt(states, 0));
          if (position === length) {
            length = lengthFor(position + 1);
            states = states.map((state) => withLongerCache(state, length));
          }
          position = Math.min(position + TOKENS_PER_CHUNK, length, last);
          const end = tf.scalar(position, 'int32');
          const before = states;
          try {
            states = decode.together(inputs.map(({ given }, part) => [stateAt(before, part), given, end]));
          } finally {
            end.dispose();
          }
          disposeTrees(before);
          await env.yieldToEventLoop();
        }
        if (env.stop.requested) return null;
        return groups.flatMap((group, part) => writtenRows(group.length, stateAt(states, part), T));
      } finally {
        disposeTrees(
          inputs.map(({ given }) => given),
          states,
        );
      }
    },
  };
}

const inGroups = (passages: readonly Passage[], size: number) =>
  Array.from({ length: Math.ceil(passages.length / size) }, (_, part) =>
    passages.slice(part * size, (part + 1) * size),
  );

/**
 * What is written by one part of B rows; rows beyond its passages are given whole.
 * @returns tokens (B, T); given: (B) lengths of the prefixes and (B, T) uniform numbers, the caller's to dispose
 */
function inputOf(
  passages: readonly Passage[],
  noise: NoisePlace,
  [B, T]: readonly [number, number],
  temperature: number | undefined,
) {
  const tokens = new Int32Array(B * T);
  const lengths = new Int32Array(B).fill(T);
  const u = new Float32Array(B * T);
  passages.forEach(({ prefix, index }, row) => {
    tokens.set(prefix, row * T);
    lengths[row] = prefix.length;
    u.set(uniforms(noise.seed, noise.stream, index, 0, T), row * T);
  });
  const given = { prefixLengths: tf.tensor1d(lengths, 'int32'), uniform: tf.tensor2d(u, [B, T]) };
  return { tokens, given: temperature === undefined ? given : { ...given, temperature: tf.scalar(temperature) } };
}

/** The first `width` tokens of each row. (B, width) */
function beginningsOf(ids: Int32Array, [B, T]: readonly [number, number], width: number): tf.Tensor {
  const beginnings = new Int32Array(B * width);
  for (let row = 0; row < B; row++) beginnings.set(ids.subarray(row * T, row * T + width), row * width);
  return tf.tensor2d(beginnings, [B, width], 'int32');
}

/** The same state with room for `length` positions; the caches it had are gone. */
function withLongerCache(state: DecodeState, length: number): DecodeState {
  const layers = state.layers.map((layer) => mapTensors(layer, (x) => lengthened(x, length)));
  disposeTrees(state.layers);
  return { ...state, layers };
}

/** The first `count` rows of what a part has written, T tokens each. */
function writtenRows(count: number, state: DecodeState, T: number): Written[] {
  const tokenIds = state.tokens.dataSync<'int32'>();
  const logProbs = state.logProbs.dataSync<'float32'>();
  return Array.from({ length: count }, (_, row) => ({
    ids: Uint32Array.from(tokenIds.subarray(row * T, (row + 1) * T)),
    logProbs: logProbs.slice(row * T, (row + 1) * T),
  }));
}

function stateAt(states: readonly DecodeState[], part: number): DecodeState {
  const state = states[part];
  if (!state) throw new Error(`part ${part} is not written`);
  return state;
}

/** Passages of one length, end to end. */
export function joined(passages: readonly Written[]): TokenIds {
  const width = passages[0]?.ids.length ?? 0;
  const all = new Uint32Array(passages.length * width);
  passages.forEach(({ ids }, row) => all.set(ids, row * width));
  return all;
}

/**
 * Writes so many tokens after each prompt, window by window where they do not fit one: when it is full, its last half becomes
 * the beginning of the next.
 * @param T the writer's block
 * @returns prompts and what follows them; not `done` when the person asked to stop
 */
export async function writeOn(
  writer: Writer,
  prompts: readonly TokenIds[],
  newTokens: number,
  T: number,
  noise: NoisePlace,
): Promise<{ readonly texts: TokenIds[]; readonly done: boolean }> {
  const texts = prompts.map((prompt) => Array.from(prompt));
  const wanted = prompts.map((prompt) => prompt.length + newTokens);
  const missing = () => texts.map((text, row) => Math.max(0, (wanted[row] ?? 0) - text.length));
  const soFar = () => texts.map((text, row) => Uint32Array.from(text.slice(0, wanted[row])));
  for (let round = 0; missing().some((tokens) => tokens > 0); round++) {
    const prefixes = texts.map((text) => {
      const keep = text.length < T ? text.length : Math.max(1, Math.floor(T / 2));
      return Uint32Array.from(text.slice(text.length - keep));
    });
    // Each window has noise of its own, or every window would repeat the choices of the one before.
    const passages = prefixes.map((prefix, row) => ({ prefix, index: round * prompts.length + row }));
    const needed = Math.min(T, Math.max(...missing().map((tokens, row) => tokens + (prefixes[row]?.length ?? 0))));
    const windows = await writer.complete(passages, noise, needed);
    if (!windows) return { texts: soFar(), done: false };
    windows.forEach(({ ids }, row) => texts[row]?.push(...ids.subarray(prefixes[row]?.length, needed)));
  }
  return { texts: soFar(), done: true };
}

interface GenerateOptions extends SamplingRule, NoisePlace {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly prompts: readonly TokenIds[];
  /** How many tokens to write after each prompt; may exceed the context. */
  readonly newTokens: number;
  readonly env: Environment;
}

/** Writes on (writeOn) with a writer of its own, which is gone afterwards. */
export async function generate(options: GenerateOptions): Promise<TokenIds[]> {
  const { weights, prompts, newTokens, env } = options;
  if (prompts.some((prompt) => prompt.length === 0)) {
    throw new UserError({
      code: 'bad_input',
      message: localized('generate.prompt_must_least_one_token'),
      hint: localized('generate.give_prompt_one_character_more'),
      field: 'prompt',
    });
  }
  const model = noLongerThan(options.model, Math.max(...prompts.map(({ length }) => length)) + newTokens);
  const session = env.runtime.createSession();
  try {
    const parameters = createParameters(session, weights);
    const writer = createWriter(session, model, parameters, prompts.length, options, env);
    return (await writeOn(writer, prompts, newTokens, model.block_size, options)).texts;
  } finally {
    session.dispose();
  }
}

/**
 * A window is written to its end, so one of a thousand tokens for a hundred would be nine tenths waste. Where a model has no
 * table of positions, its window can be as short as what is written; GPT-2's stays what it was trained with.
 */
export function noLongerThan(model: GPTConfig, tokens: number): GPTConfig {
  return declarationOf(model).positions === 'rotary'
    ? { ...model, block_size: Math.max(2, Math.min(model.block_size, tokens)) }
    : model;
}
