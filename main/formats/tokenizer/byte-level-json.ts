/** Vocabularies over bytes as the tokenizer.json that other programs read: GPT-2's own, and those learned here. */
import { END_OF_TEXT } from '../../engine/tokenizer/bpe.js';
import type { WrittenVocabulary } from '../../engine/tokenizer/byte-alphabet.js';

/** Bytes as characters that can be seen, after GPT-2's own cut. */
export const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };

/** The steps are those of transformers' gpt2; the token that ends a text is found in a text too. */
export const gpt2TokenizerJson = ({ tokens, merges }: WrittenVocabulary): string =>
  byteLevelJson(
    tokens,
    '',
    merges.map((pair) => pair.join(' ')),
  );

/** As Hugging Face's `tokenizers` would save it. */
export const learnedTokenizerJson = ({ tokens, merges }: WrittenVocabulary): string =>
  byteLevelJson(tokens, null, merges);

/** @param affix what marks parts of words, of which there are none: the two ways to write that */
function byteLevelJson(tokens: readonly string[], affix: '' | null, merges: readonly unknown[]): string {
  const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return `${JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [{ id: tokens.indexOf(END_OF_TEXT), content: END_OF_TEXT, ...plain }],
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
