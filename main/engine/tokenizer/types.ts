/**
 * A tokenizer turns text into token ids and back. Two exist: `char`, one id per character as in nanoGPT's
 * shakespeare_char, and `bpe`, GPT-2's byte-pair encoding. (specification 2.1.)
 */
export type TokenizationMethod = 'bpe' | 'char';

export interface Tokenizer {
  readonly method: TokenizationMethod;
  /** Ids are in [0, vocabSize). */
  readonly vocabSize: number;
  /**
   * The ids of a text. What looks like a special token is treated as plain text.
   * @throws UserError `unknown_character` (char), `bad_input` for a piece without any break that is too long (bpe)
   */
  encode(text: string): Uint16Array;
  /** The text of some ids; an id that is in no vocabulary shows as U+FFFD, so that any sample can be shown. */
  decode(ids: ArrayLike<number>): string;
  /** Encodes a text that comes in pieces; the ids are those of the whole text. */
  createEncoder(): StreamEncoder;
}

export interface StreamEncoder {
  /** Takes the next piece and returns the ids that are certain by now. */
  push(text: string): Uint16Array;
  /** Ends the text so far and returns the rest of its ids; the next piece begins a new text. */
  flush(): Uint16Array;
}

/** A tokenizer as a few words in a file: what a dataset says it was made with. */
export interface TokenizationInfo {
  readonly method: TokenizationMethod;
  readonly vocabSize: number;
  /** Where the vocabulary is, for `char`. */
  readonly metaPath?: string | null;
}

/** What an id without a token shows as. */
export const UNKNOWN = '\ufffd';
