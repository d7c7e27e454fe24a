/**
 * Measures the text of each token, to compare losses of different tokenizers. A character counts with its first byte, so that sums
 * are exact.
 */
export interface TokenLengths {
  /** Bytes of UTF-8 of each id. */
  readonly bytes: Uint32Array;
  /** Characters (code points) that start in each id. */
  readonly characters: Uint32Array;
}

/** @param bytesOf the UTF-8 of an id, or null without a token */
export function tokenLengths(vocabSize: number, bytesOf: (id: number) => ArrayLike<number> | null): TokenLengths {
  const bytes = new Uint32Array(vocabSize);
  const characters = new Uint32Array(vocabSize);
  for (let id = 0; id < vocabSize; id++) {
    const of = bytesOf(id) ?? [];
    let starts = 0;
    for (let i = 0; i < of.length; i++) if (((of[i] ?? 0) & 0xc0) !== 0x80) starts++;
    bytes[id] = of.length;
    characters[id] = starts;
  }
  return { bytes, characters };
}

/** Measures at the first call. */
export function lazyLengths(...counted: Parameters<typeof tokenLengths>): () => TokenLengths {
  let lengths: TokenLengths | undefined;
  return () => (lengths ??= tokenLengths(...counted));
}
