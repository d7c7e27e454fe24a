/**
 * Batches of a long sequence of tokens: random ones for training, as nanoGPT's get_batch draws them, and all in order for
 * evaluation. A batch is a function of (seed, stream, step), so an interrupted run resumes with the same batches.
 */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { uniformInt } from '../rng.js';
import type { TokenSource } from '../types.js';

export interface Batch {
  /** (B, T) token ids, row by row. */
  readonly x: Int32Array;
  /** (B, T): the token that follows each of `x`. */
  readonly y: Int32Array;
}

interface Draw {
  readonly blockSize: number;
  readonly seed: number;
  readonly stream: number;
}

/**
 * Draws a batch of passages at uniformly random positions in [0, length − blockSize), like nanoGPT's randint.
 * @throws UserError `text_too_short` for fewer than blockSize + 1 tokens
 */
export function getBatch(
  source: TokenSource,
  { batchSize, step, ...draw }: Draw & { readonly batchSize: number; readonly step: number },
): Batch {
  const places = Array.from({ length: batchSize }, (_, row) => ({ step, row }));
  return getPassages(source, places, draw);
}

/** Draws single passages, each by its row in the batch of a step. */
export function getPassages(
  source: TokenSource,
  places: readonly { readonly step: number; readonly row: number }[],
  { blockSize: T, seed, stream }: Draw,
): Batch {
  requireBlock(source, T, 'text');
  const x = new Int32Array(places.length * T);
  const y = new Int32Array(places.length * T);
  places.forEach(({ step, row }, at) => {
    const ids = source.read(uniformInt(seed, stream, step, row, source.length - T), T + 1);
    x.set(ids.subarray(0, T), at * T);
    y.set(ids.subarray(1), at * T);
  });
  return { x, y };
}

interface EvaluationBatch extends Batch {
  /** (B, T): 1 for predictions that count, 0 for padding. */
  readonly weights: Float32Array;
  readonly count: number;
}

/**
 * Yields every batch of a split in order, all of one shape. Windows of `blockSize` do not overlap, so each token but the
 * first is predicted exactly once; the last window and the last batch may be padded.
 * @param maxWindows reads at most this many windows, spread evenly over the split and always the same
 */
export function* evaluationBatches(
  source: TokenSource,
  blockSize: number,
  batchSize: number,
  maxWindows = Infinity,
): Generator<EvaluationBatch, void, undefined> {
  const [B, T] = [batchSize, blockSize];
  const predictions = source.length - 1;
  const windows = Math.ceil(predictions / T);
  const used = Math.min(windows, maxWindows);
  for (let first = 0; first < used; first += B) {
    const batch = { x: new Int32Array(B * T), y: new Int32Array(B * T), weights: new Float32Array(B * T) };
    let count = 0;
    for (let row = 0; row < Math.min(B, used - first); row++) {
      const start = Math.floor(((first + row) * windows) / used) * T;
      const length = Math.min(T, predictions - start);
      const ids = source.read(start, length + 1);
      batch.x.set(ids.subarray(0, length), row * T);
      batch.y.set(ids.subarray(1), row * T);
      batch.weights.fill(1, row * T, row * T + length);
      count += length;
    }
    yield { ...batch, count };
  }
}

/**
 * Requires that a text has one block and the token after it.
 * @throws UserError `text_too_short`
 */
export function requireBlock(
  source: Pick<TokenSource, 'length'>,
  blockSize: number,
  split: 'train' | 'val' | 'text',
): void {
  if (source.length > blockSize) return;
  throw new UserError({
    code: 'text_too_short',
    message: localized('train.text_too_short', { split, tokens: source.length, blockSize, least: blockSize + 1 }),
    hint: localized('train.use_longer_text_smaller_block'),
    field: 'block_size',
  });
}

/** Wraps tokens in memory as a source. */
export function tokensInMemory(ids: ArrayLike<number>): TokenSource {
  const all = ids instanceof Uint16Array ? ids.slice() : Uint32Array.from(ids);
  return {
    length: all.length,
    read(position, count) {
      checkRange(position, count, all.length);
      return all.slice(position, position + count);
    },
  };
}

/** @throws RangeError if [position, position + count) is not inside [0, length) */
export function checkRange(position: number, count: number, length: number): void {
  const isWhole = Number.isInteger(position) && Number.isInteger(count);
  if (isWhole && position >= 0 && count >= 0 && position + count <= length) return;
  throw new RangeError(`[${position}, ${position + count}) is not within [0, ${length})`);
}
