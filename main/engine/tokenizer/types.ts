/**
 * A tokenizer turns text into token ids and back. `char` has one id per character as in nanoGPT's shakespeare_char, `bpe`
 * is GPT-2's byte-pair encoding (specification 2.1), and `pretrained` is whatever a pretrained model brings with it.
 */
import type { TokenIds } from '../types.js';
import type { TokenLengths } from './token-lengths.js';

export type TokenizationMethod = 'bpe' | 'char' | 'pretrained';

export interface Tokenizer {
  readonly method: TokenizationMethod;
  /** Ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /**
   * The ids of a text. What looks like a special token is plain text to `char` and `bpe`; a pretrained tokenizer finds the
   * tokens that were added to it, as its makers' own does.
   * @throws UserError `unknown_character` (char), `bad_input` for a piece without any break that is too long
   */
  encode(text: string): TokenIds;
  /** The text of some ids; an id that is in no vocabulary shows as U+FFFD, so that any sample can be shown. */
  decode(ids: ArrayLike<number>): string;
  /** Returns the length of each id's text. */
  lengths(): TokenLengths;
  /** Encodes a text that comes in pieces; the ids are those of the whole text. */
  createEncoder(): StreamEncoder;
}

/** What is needed to read tokens, not to make them. */
export type Vocabulary = Pick<Tokenizer, 'vocabSize' | 'decode' | 'lengths'>;

export interface StreamEncoder {
  /** Takes the next piece and returns the ids that are certain by now. */
  push(text: string): TokenIds;
  /** Ends the text so far and returns the rest of its ids; the next piece begins a new text. */
  flush(): TokenIds;
}

/** The tokenizer of a dataset, as its files record it. */
export interface TokenizationInfo {
  readonly method: TokenizationMethod;
  readonly vocabSize: number;
  /** Where the vocabulary is, for `char`. */
  readonly metaPath?: string | null;
}

/** In token files and in memory ids take two bytes as in nanoGPT's, or four where the vocabulary needs them. */
export const bytesPerId = (vocabSize: number): 2 | 4 => (vocabSize > 1 << 16 ? 4 : 2);

/** What an id without a token shows as. */
export const UNKNOWN = '\ufffd';
