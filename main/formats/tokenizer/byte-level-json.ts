/** Writes vocabularies of bytes (GPT-2's and learned ones) and of characters as the tokenizer.json of other programs. */
import { END_OF_TEXT } from '../../engine/tokenizer/bpe.js';
import type { WrittenVocabulary } from '../../engine/tokenizer/byte-alphabet.js';

/** Bytes as visible characters, after GPT-2's own split. */
export const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };

/** Has the steps of transformers' gpt2; the token that ends a text is found in a text too. */
export const gpt2TokenizerJson = ({ tokens, merges }: WrittenVocabulary): string =>
  byteLevelJson(
    tokens,
    '',
    merges.map((pair) => pair.join(' ')),
  );

/** As Hugging Face's `tokenizers` would save it. */
export const learnedTokenizerJson = ({ tokens, merges }: WrittenVocabulary): string =>
  byteLevelJson(tokens, null, merges);

const special = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };

/** @param affix the two ways to write that no affix marks parts of words */
function byteLevelJson(tokens: readonly string[], affix: '' | null, merges: readonly unknown[]): string {
  return `${JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [{ id: tokens.indexOf(END_OF_TEXT), content: END_OF_TEXT, ...special }],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: affix,
      end_of_word_suffix: affix,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  })}\n`;
}

/**
 * Each character is a token. Programs want a token that ends a text, which such a model has not: its id is one more than the last.
 * @param chars by id @returns tokenizer.json and tokenizer_config.json
 */
export function characterTokenizer(chars: readonly string[]): { readonly json: string; readonly config: string } {
  const json = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [{ id: chars.length, content: END_OF_TEXT, ...special }],
    normalizer: null,
    pre_tokenizer: { type: 'Split', pattern: { Regex: '[\\s\\S]' }, behavior: 'Isolated', invert: false },
    post_processor: null,
    decoder: { type: 'Fuse' },
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries([
        ...chars.map((char, id) => [char, id] as const),
        [END_OF_TEXT, chars.length] as const,
      ]),
      unk_token: END_OF_TEXT,
    },
  };
  const config = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    eos_token: END_OF_TEXT,
    pad_token: END_OF_TEXT,
    padding_side: 'left',
  };
  return { json: `${JSON.stringify(json)}\n`, config: `${JSON.stringify(config, null, 2)}\n` };
}
