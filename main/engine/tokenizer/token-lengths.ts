/**
 * How much text each token stands for, so that losses of different tokenizers can be compared. Tokens of bytes may hold
 * parts of characters: bytes are counted as they are, and a character with the byte that begins it, so that the sums over
 * a text are exact whatever its tokens cut.
 */
export interface TokenLengths {
  /** Bytes of UTF-8 of each id; 0 where there is no such token. */
  readonly bytes: Uint32Array;
  /** Characters (code points) that begin in each id: its bytes that continue none. */
  readonly characters: Uint32Array;
}

/** @param bytesOf the bytes of UTF-8 of an id, or null when there is no such token */
export function tokenLengths(vocabSize: number, bytesOf: (id: number) => ArrayLike<number> | null): TokenLengths {
  const bytes = new Uint32Array(vocabSize);
  const characters = new Uint32Array(vocabSize);
  for (let id = 0; id < vocabSize; id++) {
    const of = bytesOf(id) ?? [];
    let begun = 0;
    for (let i = 0; i < of.length; i++) if (((of[i] ?? 0) & 0xc0) !== 0x80) begun++;
    bytes[id] = of.length;
    characters[id] = begun;
  }
  return { bytes, characters };
}

/** The same counts at every call, made at the first. */
export function lazyLengths(...counted: Parameters<typeof tokenLengths>): () => TokenLengths {
  let lengths: TokenLengths | undefined;
  return () => (lengths ??= tokenLengths(...counted));
}
