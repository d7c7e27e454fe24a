/** Bytes as text: a visible character for each byte (GPT-2's encoder.py, `bytes_to_unicode`), or SentencePiece's `<0x0A>`. */

/** SentencePiece's blank. */
export const METASPACE = '\u2581';

/** A vocabulary over bytes in files. */
export interface WrittenVocabulary {
  /** By id, in the characters of bytes, with the end of a text. */
  readonly tokens: readonly string[];
  /** In order of application. */
  readonly merges: readonly (readonly [left: string, right: string])[];
}

/** The character of each byte: itself if it is visible, the others from U+0100 on. */
export const characterOfByte: readonly string[] = charactersOfBytes();

const byteOfCharacter = new Map(characterOfByte.map((character, byte) => [character, byte]));

function charactersOfBytes(): string[] {
  const isSeen = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isSeen(byte) ? byte : 0x100 + others++));
}

/** The bytes of a token of a byte-level vocabulary; null if it has other characters. */
export function bytesOfWritten(token: string): number[] | null {
  const bytes: number[] = [];
  for (const character of token) {
    const byte = byteOfCharacter.get(character);
    if (byte === undefined) return null;
    bytes.push(byte);
  }
  return bytes;
}

/** The byte of SentencePiece's `<0x0A>`; null for other tokens. */
export function byteOfFallback(token: string): number | null {
  return /^<0x[0-9A-F]{2}>$/.test(token) ? Number.parseInt(token.slice(3, 5), 16) : null;
}
