/** Generates many passages at once, each from its prefix, in one compiled loop with a key-value cache (decode.ts). */
import { localized } from '../../../shared/messages/message.js';
import * as tf from '@tensorflow/tfjs';
import { UserError } from '../../../shared/errors.js';
import { declarationOf, parameterCount } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import {
  adjustmentOf,
  cacheLength,
  decodeUntil,
  lengthened,
  prefill,
  startState,
  type DecodeState,
  type Given,
  type WritingRules,
} from './decode.js';
import type { KeysValues } from '../model/architecture.js';
import { architectureOf } from '../model/architectures.js';
import { createParameters, type Parameters } from '../model/parameters.js';
import type { AdjustableRule, SamplingRule } from '../model/sampling-rule.js';
import { uniforms } from '../rng.js';
import { valuesOf } from '../runtime/reading.js';
import { withSession } from '../runtime/session.js';
import { disposeTrees, mapTensors } from '../runtime/tree.js';
import type { Compiled, Session } from '../runtime/types.js';
import { gatherNumbers, shareOf, type Team } from '../team.js';
import type { Environment, NamedArrays, TokenIds } from '../types.js';

/** Token t of passage `index` uses uniforms(seed, stream, index, t). */
export interface NoisePlace {
  readonly seed: number;
  readonly stream: number;
}

export interface Passage {
  /** 1 to block_size tokens. */
  readonly prefix: TokenIds;
  /** Of the noise: the same index gives the same passage in any batch. */
  readonly index: number;
}

export interface Written {
  /** (block_size) ids, the prefix first. */
  readonly ids: TokenIds;
  /** (block_size): log-probability of each generated token; 0 for the prefix. */
  readonly logProbs: Float32Array;
}

export interface Writer {
  /**
   * Completes at most `batchSize` passages. @param length tokens, block_size by default; zeros follow
   * @returns null if the user stopped
   */
  complete(
    passages: readonly Passage[],
    noise: NoisePlace,
    length?: number,
    reader?: Reader,
  ): Promise<Written[] | null>;
}

/** Someone who reads along, every few tokens. In a team there is none. */
export interface Reader {
  /** Receives all passages as far as they are written. */
  onTokens(texts: readonly Written[]): void;
  /** Replaces numbers of the writer's rule for this call. */
  readonly rule?: AdjustableRule;
}

/** Passages of a part. Parts run in parallel, since XLA computes a token's small products on one thread; they fix the numbers. */
const ROWS_OF_PART = 16;
const MAX_PARTS = 16;

/** Tokens of all rows of a part between two checks for a stop or a pause, */
const TOKENS_PER_CHUNK = 1024;
/** and weights that all rows are multiplied with meanwhile: 3 to 5 s of 135 million on two busy cores. */
const WEIGHTS_PER_CHUNK = 4e10;
/** The same for a reader who sees them appear. */
const TOKENS_SHOWN = 8;

/** Positions between two checks, of some parts with so many rows each. */
export function positionsPerChunk(model: GPTConfig, rows: number, parts: number): number {
  const bound = Math.floor(WEIGHTS_PER_CHUNK / (parameterCount(model) * rows * parts));
  return Math.max(TOKENS_SHOWN, Math.min(bound, Math.ceil(TOKENS_PER_CHUNK / rows)));
}

/** Lengths of a growing cache, all of which each token reads. Each is compiled, which does not pay for blocks below 256. */
function cacheLengths(blockSize: number): readonly number[] {
  if (blockSize < 256) return [blockSize];
  return [Math.ceil(blockSize / 4), Math.ceil(blockSize / 2), blockSize];
}

/** Widths of what is computed at once are multiples of this: few, since each is compiled. */
const widthUnit = (blockSize: number) => Math.max(1, Math.floor(blockSize / 4));

/**
 * The first position of the decoding loop: after as many whole units as all have, so that the same numbers are computed as ever.
 * Who reads along is not to wait for given tokens one by one.
 */
function firstPosition(passages: readonly Passage[], blockSize: number, isRead: boolean): number {
  const given = Math.min(...passages.map(({ prefix }) => prefix.length));
  return Math.max(0, (isRead ? given : given - (given % widthUnit(blockSize))) - 1);
}

/** What is computed at once for a position; what is beyond it is overwritten before it is read. */
const widthFor = (position: number, blockSize: number): number =>
  Math.min(blockSize, Math.ceil((position + 1) / widthUnit(blockSize)) * widthUnit(blockSize));

interface WriterOptions {
  /** The rule of log-probabilities; that of drawing by default. */
  readonly scored?: SamplingRule;
  /** Large parts read the weights less often, and take more memory for scores. */
  readonly rowsOfPart?: number;
}

/** Compiles generation with parameters of `session`. In a team, each rank generates its part of a batch. */
export function createWriter(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  batchSize: number,
  rule: SamplingRule,
  env: Environment,
  options: WriterOptions = {},
): Writer {
  const { team } = env;
  const rows = Math.ceil(batchSize / (team?.size ?? 1));
  const own = createOwnWriter(session, model, parameters, rows, { rule, ...options }, env);
  if (!team) return own;
  return { complete: (passages, ...how) => completeInTeam(team, own, passages, [how[0], how[1]], model.block_size) };
}

/** Generates this rank's part and gathers all; a part that fails on one rank fails on all. */
async function completeInTeam(
  team: Team,
  writer: Writer,
  passages: readonly Passage[],
  how: [noise: NoisePlace, length?: number | undefined],
  T: number,
): Promise<Written[] | null> {
  // All ranks learn of a stop at the same exchange.
  if (team.stop.requested) return null;
  const { first, end } = shareOf(team, passages.length);
  let failure: unknown = new Error('another rank failed to generate its passages');
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
  { rowsOfPart = ROWS_OF_PART, ...rules }: WritingRules & WriterOptions,
  env: Environment,
): Writer {
  const T = model.block_size;
  const parts = Math.min(MAX_PARTS, Math.ceil(batchSize / rowsOfPart));
  const B = Math.ceil(batchSize / parts);
  const chunk = positionsPerChunk(model, B, parts);
  const decode = session.compile(
    (state: DecodeState, given: Given, end: tf.Tensor) => decodeUntil(model, parameters, rules, state, given, end),
    { name: 'decode', copies: parts },
  );

  const lengthFor = (tokens: number) => cacheLengths(T).find((length) => length >= tokens) ?? T;
  const fill = session.compile(
    (given: tf.Tensor) => prefill(model, parameters, given, lengthFor(given.shape[1] ?? 0)),
    { name: 'prefill', copies: parts },
  );

  /** Initial states at `position`, with the cache of previous tokens. */
  const begin = (tokens: readonly Int32Array[], position: number, keepsSeen: boolean): DecodeState[] => {
    const seenIn = (ids: Int32Array) => (keepsSeen ? seenUntil(position, ids, [B, T], model.vocab_size) : undefined);
    const start = (ids: Int32Array, layers: readonly KeysValues[]) =>
      startState(tf.tensor2d(ids, [B, T], 'int32'), layers, position, seenIn(ids));
    if (position === 0)
      return tokens.map((ids) => start(ids, architectureOf(model).emptyLayers(model, B, lengthFor(1))));
    const given = tokens.map((ids) => beginningsOf(ids, [B, T], widthFor(position, T)));
    try {
      const caches = fill.together(given.map((ids) => [ids]));
      return tokens.map((ids, part) => start(ids, caches[part] ?? []));
    } finally {
      disposeTrees(given);
    }
  };

  return {
    async complete(passages, noise, wanted = T, reader = undefined) {
      const last = Math.min(T, wanted) - 1;
      if (passages.length > batchSize) throw new Error(`${passages.length} passages for a batch of ${batchSize}`);
      if (passages.length === 0) return [];
      const groups = inGroups(passages, B);
      const inputs = groups.map((group) => inputOf(group, noise, [B, T], reader?.rule));
      let position = firstPosition(passages, T, reader !== undefined);
      let states: DecodeState[] = [];
      try {
        states = begin(
          inputs.map(({ tokens }) => tokens),
          position,
          reader?.rule !== undefined,
        );
        while (position < last && !env.stop.requested) {
          let length = cacheLength(stateAt(states, 0));
          if (position === length) {
            length = lengthFor(position + 1);
            states = states.map((state) => withLongerCache(state, length));
          }
          position = Math.min(position + (reader ? TOKENS_SHOWN : chunk), length, last);
          states = decodeTo(position, decode, states, inputs);
          if (reader) reader.onTokens(await writtenUntil(position + 1, groups, states, T));
          await env.yieldToEventLoop();
        }
        if (env.stop.requested) return null;
        return await writtenUntil(T, groups, states, T);
      } finally {
        disposeTrees(
          inputs.map(({ given }) => given),
          states,
        );
      }
    },
  };
}

/** Decodes all parts up to `position`, and disposes their earlier states. */
function decodeTo(
  position: number,
  decode: Compiled<[DecodeState, Given, tf.Tensor], DecodeState>,
  before: readonly DecodeState[],
  inputs: readonly { readonly given: Given }[],
): DecodeState[] {
  const end = tf.scalar(position, 'int32');
  try {
    const states = decode.together(inputs.map(({ given }, part) => [stateAt(before, part), given, end]));
    disposeTrees(before);
    return states;
  } finally {
    end.dispose();
  }
}

const inGroups = (passages: readonly Passage[], size: number) =>
  Array.from({ length: Math.ceil(passages.length / size) }, (_, part) =>
    passages.slice(part * size, (part + 1) * size),
  );

/** Inputs of a part of B rows, the spare ones complete: tokens (B, T), and `given`, which the caller disposes. */
function inputOf(
  passages: readonly Passage[],
  noise: NoisePlace,
  [B, T]: readonly [number, number],
  rule?: AdjustableRule,
) {
  const tokens = new Int32Array(B * T);
  const lengths = new Int32Array(B).fill(T);
  const u = new Float32Array(B * T);
  passages.forEach(({ prefix, index }, row) => {
    tokens.set(prefix, row * T);
    lengths[row] = prefix.length;
    u.set(uniforms(noise.seed, noise.stream, index, 0, T), row * T);
  });
  const adjustment = rule && tf.tensor1d(adjustmentOf(rule));
  const given = { prefixLengths: tf.tensor1d(lengths, 'int32'), uniform: tf.tensor2d(u, [B, T]), adjustment };
  return { tokens, given };
}

/** Marks the tokens of each row up to `position`. bool (B, V) */
function seenUntil(position: number, ids: Int32Array, [B, T]: readonly [number, number], V: number): tf.Tensor {
  const seen = new Uint8Array(B * V);
  for (let row = 0; row < B; row++)
    for (const id of ids.subarray(row * T, row * T + position + 1)) seen[row * V + id] = 1;
  return tf.tensor2d(seen, [B, V], 'bool');
}

/** The first `width` tokens of each row. (B, width) */
function beginningsOf(ids: Int32Array, [B, T]: readonly [number, number], width: number): tf.Tensor {
  const beginnings = new Int32Array(B * width);
  for (let row = 0; row < B; row++) beginnings.set(ids.subarray(row * T, row * T + width), row * width);
  return tf.tensor2d(beginnings, [B, width], 'int32');
}

/** Extends the caches of a state, whose own are disposed. */
function withLongerCache(state: DecodeState, length: number): DecodeState {
  const layers = state.layers.map((layer) => mapTensors(layer, (x) => lengthened(x, length)));
  disposeTrees(state.layers);
  return { ...state, layers };
}

/** Reads the first `length` tokens of all passages. */
async function writtenUntil(
  length: number,
  groups: readonly (readonly Passage[])[],
  states: readonly DecodeState[],
  T: number,
): Promise<Written[]> {
  const written: Written[] = [];
  for (const [part, group] of groups.entries()) {
    const { tokens, logProbs } = stateAt(states, part);
    const [ids, values] = [await valuesOf<'int32'>(tokens), await valuesOf(logProbs)];
    for (let row = 0; row < group.length; row++)
      written.push({
        ids: Uint32Array.from(ids.subarray(row * T, row * T + length)),
        logProbs: values.slice(row * T, row * T + length),
      });
  }
  return written;
}

function stateAt(states: readonly DecodeState[], part: number): DecodeState {
  const state = states[part];
  if (!state) throw new Error(`there is no part ${part}`);
  return state;
}

/** Joins passages of one length. */
export function joined(passages: readonly Pick<Written, 'ids'>[]): TokenIds {
  const width = passages[0]?.ids.length ?? 0;
  const all = new Uint32Array(passages.length * width);
  passages.forEach(({ ids }, row) => all.set(ids, row * width));
  return all;
}

/**
 * Generates `newTokens` after each prompt; the last half of a full window becomes the prefix of the next.
 * @param T the writer's block size
 * @returns prompts and completions, with log-probabilities; not `done` if the user stopped
 */
export async function writeOn(
  writer: Writer,
  prompts: readonly TokenIds[],
  newTokens: number,
  T: number,
  noise: NoisePlace,
  reader?: Reader,
): Promise<{ readonly texts: TokenIds[]; readonly logProbs: Float32Array[]; readonly done: boolean }> {
  let texts: readonly Written[] = prompts.map((ids) => ({ ids, logProbs: new Float32Array(ids.length) }));
  const wanted = prompts.map((prompt) => prompt.length + newTokens);
  const missing = () => texts.map(({ ids }, row) => Math.max(0, (wanted[row] ?? 0) - ids.length));
  const soFar = () => ({
    texts: texts.map(({ ids }, row) => Uint32Array.from(ids.subarray(0, wanted[row]))),
    logProbs: texts.map(({ logProbs }, row) => logProbs.slice(0, wanted[row])),
  });
  for (let round = 0; missing().some((tokens) => tokens > 0); round++) {
    const prefixes = texts.map(({ ids }) => {
      const keep = ids.length < T ? ids.length : Math.max(1, Math.floor(T / 2));
      return Uint32Array.from(ids.subarray(ids.length - keep));
    });
    // Windows must not repeat each other's noise.
    const passages = prefixes.map((prefix, row) => ({ prefix, index: round * prompts.length + row }));
    const needed = Math.min(T, Math.max(...missing().map((tokens, row) => tokens + (prefixes[row]?.length ?? 0))));
    const before = texts;
    const withWindow = (window: readonly Written[]) =>
      window.map(({ ids, logProbs }, row) => {
        const [known = { ids: [], logProbs: [] }, from = 0] = [before[row], prefixes[row]?.length];
        return {
          ids: Uint32Array.of(...known.ids, ...ids.subarray(from, needed)),
          logProbs: Float32Array.of(...known.logProbs, ...logProbs.subarray(from, needed)),
        };
      });
    const onTokens = (window: readonly Written[]) => reader?.onTokens(withWindow(window));
    const windows = await writer.complete(passages, noise, needed, reader && { ...reader, onTokens });
    if (!windows) return { ...soFar(), done: false };
    texts = withWindow(windows);
  }
  return { ...soFar(), done: true };
}

interface GenerateOptions extends SamplingRule, NoisePlace {
  readonly model: GPTConfig;
  readonly weights: NamedArrays;
  readonly prompts: readonly TokenIds[];
  /** After each prompt; may exceed the context. */
  readonly newTokens: number;
  readonly env: Environment;
}

/** `writeOn` with a temporary writer. */
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
  return withSession(env.runtime, async (session) => {
    const parameters = createParameters(session, weights);
    const writer = createWriter(session, model, parameters, prompts.length, options, env);
    return (await writeOn(writer, prompts, newTokens, model.block_size, options)).texts;
  });
}

/** Shortens the window to what is generated, since windows are completed; a table of positions (GPT-2) fixes it. */
export function noLongerThan(model: GPTConfig, tokens: number): GPTConfig {
  return declarationOf(model).positions === 'rotary'
    ? { ...model, block_size: Math.max(2, Math.min(model.block_size, tokens)) }
    : model;
}
