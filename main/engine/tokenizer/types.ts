/**
 * A tokenizer converts text to ids and back. `char` has one id per character as in nanoGPT's shakespeare_char, `bpe` is GPT-2's
 * byte-pair encoding (specification 2.1), `pretrained` is a pretrained model's.
 */
import type { TokenIds } from '../types.js';
import type { TokenLengths } from './token-lengths.js';

export type TokenizationMethod = 'bpe' | 'char' | 'pretrained';

export interface Tokenizer {
  readonly method: TokenizationMethod;
  /** Ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /** Ids that are not part of a text, such as its end; no model may draw them. */
  readonly special: readonly number[];
  /**
   * Encodes a text. Special tokens are plain text to `char` and `bpe`; pretrained tokenizers find their added tokens.
   * @throws UserError `unknown_character` (char), `bad_input` for too long a piece
   */
  encode(text: string): TokenIds;
  /** Decodes ids; unknown ones become U+FFFD. */
  decode(ids: ArrayLike<number>): string;
  /** Decodes ids in pieces to the text of the whole. */
  createDecoder(): StreamDecoder;
  lengths(): TokenLengths;
  /** Encodes a text in pieces to the ids of the whole. */
  createEncoder(): StreamEncoder;
}

export type Vocabulary = Pick<Tokenizer, 'vocabSize' | 'special' | 'decode' | 'createDecoder' | 'lengths'>;

export interface StreamEncoder {
  /** Returns the ids that are certain by now. */
  push(text: string): TokenIds;
  /** Ends the text and returns the other ids. */
  flush(): TokenIds;
}

export interface StreamDecoder {
  /** Returns the whole characters that these ids complete. */
  push(ids: ArrayLike<number>): string;
  /** Ends the text; a character that is not whole becomes U+FFFD. */
  flush(): string;
}

/** Decodes consecutive parts of a text: a character belongs to the part that completes it, and only the text's start is trimmed. */
export function decodeInPlace(
  { createDecoder }: Pick<Tokenizer, 'createDecoder'>,
  parts: readonly ArrayLike<number>[],
): string[] {
  const decoder = createDecoder();
  return parts.map((part, at) => decoder.push(part) + (at === parts.length - 1 ? decoder.flush() : ''));
}

/** Decodes a prompt and its continuation. @param length tokens of the prompt */
export function decodeContinued(vocabulary: Pick<Tokenizer, 'createDecoder'>, ids: TokenIds, length: number) {
  const [prompt = '', completion = ''] = decodeInPlace(vocabulary, [ids.subarray(0, length), ids.subarray(length)]);
  return { prompt, completion };
}

/** Decodes each token in its place; the last token of a character has all of it. */
export const tokenTexts = (vocabulary: Pick<Tokenizer, 'createDecoder'>, ids: ArrayLike<number>): string[] =>
  decodeInPlace(
    vocabulary,
    Array.from(ids, (id) => [id]),
  );

/** Returns the most tokens, up to `wanted`, that end with a whole character; `wanted` if none do. */
export function cutAtCharacter(
  { createDecoder }: Pick<Tokenizer, 'createDecoder'>,
  ids: TokenIds,
  wanted: number,
): number {
  for (let end = wanted; end > 0; end--) {
    const decoder = createDecoder();
    decoder.push(ids.subarray(0, end));
    if (decoder.flush() === '') return end;
  }
  return wanted;
}

/** The tokenizer of a dataset, as its files record it. */
export interface TokenizationInfo {
  readonly method: TokenizationMethod;
  readonly vocabSize: number;
  /** The vocabulary of `char`. */
  readonly metaPath?: string | null;
}

/** Bytes of an id in token files and in memory: two as in nanoGPT, or four. */
export const bytesPerId = (vocabSize: number): 2 | 4 => (vocabSize > 1 << 16 ? 4 : 2);

/** The text of an id without a token. */
export const UNKNOWN = '\ufffd';
