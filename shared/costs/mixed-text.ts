/**
 * How much of the text a critic reads, once, to be learned from in GRPO's updates (main/engine/grpo/critic-reading.ts): segments
 * of it, each in one call, by windows of a block that lie half over each other. Pure.
 */

/** Windows of a segment. */
const WINDOWS = 16;
/** What is kept of a text in memory: 58,000 tokens at SmolLM2's width. */
const KEPT_BYTES = 2 ** 27;

interface Reader {
  readonly blockSize: number;
  /** The critic's. */
  readonly width: number;
}

interface Segments {
  readonly count: number;
  /** Of each. */
  readonly windows: number;
  /** Of each, in tokens. */
  readonly length: number;
}

/** All of a text that fits into what is kept; of a longer one, segments spread over it. @param textTokens more than a block */
export function segmentsOf(textTokens: number, { blockSize, width }: Reader): Segments {
  const stride = Math.ceil(blockSize / 2);
  const windows = Math.max(1, Math.min(WINDOWS, Math.floor((textTokens - blockSize) / stride) + 1));
  const length = blockSize + (windows - 1) * stride;
  const fitting = Math.floor(KEPT_BYTES / (length * width * Float32Array.BYTES_PER_ELEMENT));
  return { count: Math.max(1, Math.min(Math.floor(textTokens / length), fitting)), windows, length };
}

/** Tokens that the critic reads of a text for so many passages at most. */
export function textTokensRead(textTokens: number, passages: number, reader: Reader): number {
  const { count, windows } = segmentsOf(textTokens, reader);
  return Math.min(count, passages) * windows * reader.blockSize;
}

/** The most that is kept of any text for so many passages, in bytes. */
export function textKept(passages: number, { blockSize, width }: Reader): number {
  const length = blockSize + (WINDOWS - 1) * Math.ceil(blockSize / 2);
  return Math.min(KEPT_BYTES, passages * length * width * Float32Array.BYTES_PER_ELEMENT);
}
