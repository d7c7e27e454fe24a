/** How much of the text a critic reads once, to be learned from in GRPO's updates, and what is kept of it. Pure. */

/** What it makes of the text is kept in memory, up to so much: 58,000 tokens at SmolLM2's width. */
const KEPT_BYTES = 2 ** 27;

interface Passages {
  readonly batchSize: number;
  readonly blockSize: number;
  /** The critic's. */
  readonly width: number;
}

const bytesOfBatch = ({ batchSize, blockSize, width }: Passages): number =>
  batchSize * blockSize * width * Float32Array.BYTES_PER_ELEMENT;

/** The most that is kept of any text, in bytes: each step reads a batch at most. */
export const textKept = (steps: number, passages: Passages): number =>
  Math.min(KEPT_BYTES, steps * bytesOfBatch(passages));

/**
 * Batches of passages side by side, none of them read twice as long as there are enough; of a longer text those that fit,
 * spread over all of it.
 */
export function textBatchesRead(textTokens: number, passages: Passages): number {
  const whole = Math.floor((textTokens - 1) / (passages.batchSize * passages.blockSize));
  return Math.max(1, Math.min(whole, Math.floor(KEPT_BYTES / bytesOfBatch(passages))));
}
