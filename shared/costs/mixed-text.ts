/** How much of the text a critic reads for GRPO's updates (main/engine/grpo/critic-reading.ts), in windows that overlap by half. */

const WINDOWS_PER_SEGMENT = 16;
/** Hidden states held in memory: 58,000 tokens at SmolLM2's width. */
const KEPT_BYTES = 2 ** 27;

interface Reader {
  readonly blockSize: number;
  /** Width of the critic. */
  readonly width: number;
}

/** Segments of a text: all of it, or as many as fit into memory. @param textTokens more than a block */
export function segmentsOf(textTokens: number, { blockSize, width }: Reader) {
  const stride = Math.ceil(blockSize / 2);
  const windows = Math.max(1, Math.min(WINDOWS_PER_SEGMENT, Math.floor((textTokens - blockSize) / stride) + 1));
  const length = blockSize + (windows - 1) * stride;
  const fitting = Math.floor(KEPT_BYTES / (length * width * Float32Array.BYTES_PER_ELEMENT));
  return { count: Math.max(1, Math.min(Math.floor(textTokens / length), fitting)), windows, length };
}

/** Tokens that the critic reads for at most so many passages. */
export function textTokensRead(textTokens: number, passages: number, reader: Reader): number {
  const { count, windows } = segmentsOf(textTokens, reader);
  return Math.min(count, passages) * windows * reader.blockSize;
}

/** Upper bound of the bytes held for so many passages, whatever the text. */
export function textKept(passages: number, { blockSize, width }: Reader): number {
  const length = blockSize + (WINDOWS_PER_SEGMENT - 1) * Math.ceil(blockSize / 2);
  return Math.min(KEPT_BYTES, passages * length * width * Float32Array.BYTES_PER_ELEMENT);
}
