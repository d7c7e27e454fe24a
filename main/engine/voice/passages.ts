/**
 * Passages of one shape, prompts of the text with continuations, and how likely these are for several networks. They are short, so that
 * a group of them is cheap. Shapes: N passages of L tokens, of which the last C are continued.
 */
import * as tf from '@tensorflow/tfjs';
import type { GPTConfig } from '../../../shared/config/model.js';
import { SCORING_BATCHES } from '../../../shared/config/reward-model.js';
import type { Recomputation } from '../../../shared/config/train.js';
import { passageShape, type PassageShape } from '../../../shared/config/voice.js';
import { createWriter, joined, noLongerThan, type NoisePlace, type Written } from '../generate/generate.js';
import { createParameters, type Parameters } from '../model/model.js';
import { readingPrecision } from '../model/precision.js';
import type { SamplingRule } from '../model/sampling-rule.js';
import { readBefore } from '../model/sequence-scores.js';
import { nextTokenLogProbs } from '../model/token-losses.js';
import { scoreRows } from '../reward/score-rows.js';
import { streams, uniformInt } from '../rng.js';
import { withSession } from '../runtime/session.js';
import type { Session } from '../runtime/types.js';
import { stoppedMeasuring } from '../train/perplexity.js';
import type { Environment, LanguageModel, TokenIds, TokenSource } from '../types.js';

/** Passages of a part of a batch (generate.ts): a third less time than parts of 16 on two cores. */
const ROWS_OF_PART = 80;

/** Natural text leaves the nucleus now and then; a writer that does reads worse than it is. */
const TOP_P = 0.9;

/** The settings of a writer and what it may draw. */
export interface Drawn {
  readonly vocabLimit: number;
  readonly excluded?: readonly number[];
}

/** Takes passages of the text that start where `startOf` says. (count, L) flat */
function passagesAt(tokens: TokenSource, count: number, { length }: PassageShape, startOf: (row: number) => number) {
  const all = new Uint32Array(count * length);
  for (let row = 0; row < count; row++) all.set(tokens.read(startOf(row), length), row * length);
  return all;
}

/** Draws passages of the text; passage i is a function of (seed, step, i). (count, L) flat */
export const drawPassages = (
  tokens: TokenSource,
  count: number,
  shape: PassageShape,
  { seed, step }: { readonly seed: number; readonly step: number },
): TokenIds =>
  passagesAt(tokens, count, shape, (row) =>
    uniformInt(seed, streams.voicePrompt, step, row, tokens.length - shape.length + 1),
  );

/** Takes passages at equal distances in the text, which overlap only in a short one. (count, L) flat */
export const spreadPassages = (tokens: TokenSource, count: number, shape: PassageShape): TokenIds =>
  passagesAt(tokens, count, shape, (row) =>
    Math.floor((row * (tokens.length - shape.length)) / Math.max(1, count - 1)),
  );

/** The continuations alone. (N, L) flat */
export const continuationsOf = (ids: TokenIds, { prompt, length }: PassageShape): TokenIds[] =>
  Array.from({ length: ids.length / length }, (_, row) => ids.subarray(row * length + prompt, (row + 1) * length));

const ruleOf = ({ vocabLimit, excluded = [] }: Drawn): SamplingRule => ({
  temperature: 1,
  topP: TOP_P,
  vocabLimit,
  excluded,
});

/** Passages (N, L), and log p of each one's continuation under the network that wrote it (N). */
export interface Continued {
  readonly ids: TokenIds;
  readonly logProbs: Float32Array;
}

/**
 * Compiles writing with parameters of `session`.
 * @returns a function of passages (N, L), whose prompts are continued `times` times each, next to each other; null if the user stopped
 */
export function createContinuer(
  session: Session,
  model: GPTConfig,
  parameters: Parameters,
  env: Environment,
  { rows, ...drawn }: Drawn & { readonly rows: number },
) {
  const shape = passageShape(model);
  const short = noLongerThan({ ...model, dropout: 0 }, shape.length);
  const writer = createWriter(session, short, parameters, rows, ruleOf(drawn), env, {
    scored: { temperature: 1 },
    rowsOfPart: ROWS_OF_PART,
  });
  return async (
    passages: TokenIds,
    noise: NoisePlace & { readonly first: number },
    times = 1,
  ): Promise<Continued | null> => {
    const places = Array.from({ length: (passages.length / shape.length) * times }, (_, row) => {
      const from = Math.floor(row / times) * shape.length;
      return { prefix: passages.slice(from, from + shape.prompt), index: noise.first + row };
    });
    const written: Written[] = [];
    for (let first = 0; first < places.length; first += rows) {
      const some = await writer.complete(places.slice(first, first + rows), noise, shape.length);
      if (!some) return null;
      written.push(...some.map(({ ids, logProbs }) => ({ ids: ids.subarray(0, shape.length), logProbs })));
    }
    const logProbs = Float32Array.from(written, (one) => one.logProbs.reduce((sum, each) => sum + each, 0));
    return { ids: joined(written), logProbs };
  };
}

/** Continues passages in a session of its own. @throws UserError `stopped` */
export const continued = (
  { model, weights }: LanguageModel,
  passages: TokenIds,
  noise: NoisePlace & { readonly first: number },
  { env, ...drawing }: Drawn & { readonly rows: number; readonly env: Environment },
  times = 1,
): Promise<Continued> =>
  withSession(env.runtime, async (session) => {
    const write = createContinuer(session, model, createParameters(session, weights), env, drawing);
    const written = await write(passages, noise, times);
    if (!written) throw stoppedMeasuring();
    return written;
  });

/** A network that is only read. */
export interface Reader {
  readonly model: GPTConfig;
  readonly parameters: Parameters;
}

/** Compiles reading. @returns a function of passages (N, L) to log p of each one's continuation under each network, (N, networks) flat */
export function createReader(session: Session, readers: readonly Reader[], env: Environment) {
  const [first] = readers;
  if (!first) throw new Error('there is no model to score with');
  const { length, continuation } = passageShape(first.model);
  const read = session.compile(
    (ids: tf.Tensor) =>
      tf.stack(
        readers.map(({ model, parameters }) =>
          continuationLogProbs({ ...model, dropout: 0 }, parameters, ids, continuation),
        ),
        1,
      ),
    { name: 'voice_read', precision: readingPrecision(env.runtime, first.model) },
  );
  const size = SCORING_BATCHES[0] * length;
  return async (passages: TokenIds): Promise<Float32Array> => {
    const all = new Float32Array((passages.length / length) * readers.length);
    // The larger batch would read many rows of nothing.
    for (let first = 0; first < passages.length; first += size) {
      const some = await scoreRows(passages.subarray(first, first + size), length, readers.length, read, env);
      all.set(some, (first / length) * readers.length);
    }
    return all;
  };
}

/** log p of the last `count` tokens of each passage. ids: (N, L); result: (N) */
export function continuationLogProbs(
  model: GPTConfig,
  parameters: Parameters,
  ids: tf.Tensor,
  count: number,
  recomputation?: Recomputation,
): tf.Tensor1D {
  const { hidden, labels } = readBefore(model, parameters, ids, recomputation);
  const [N = 0, before = 0] = labels.shape;
  const last = {
    hidden: tf.slice(hidden, [0, before - count, 0], [N, count, model.n_embd]),
    labels: tf.slice(labels, [0, before - count], [N, count]),
  };
  return tf.sum(nextTokenLogProbs({ model, parameters, ...last }, { temperature: 1 }), 1);
}

/** By how many nats per token each passage is likelier for its writer than for the network that `read` reads with. (N) */
export async function logRatiosOf(
  { ids, logProbs }: Continued,
  read: ReturnType<typeof createReader>,
  { continuation }: PassageShape,
): Promise<Float32Array> {
  const others = await read(ids);
  return logProbs.map((own, row) => (own - (others[row] ?? NaN)) / continuation);
}
