/** tokenizer.json of word pieces that were learned here, as Hugging Face's `tokenizers` would save it. */
import { END_OF_TEXT } from '../../engine/tokenizer/bpe.js';
import type { LearnedPieces } from '../../engine/tokenizer/learned/learn-merges.js';

export function learnedTokenizerJson({ tokens, merges }: LearnedPieces): string {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  const endOfText = { id: 0, content: END_OF_TEXT, single_word: false, lstrip: false, rstrip: false };
  return `${JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [{ ...endOfText, normalized: false, special: true }],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  })}\n`;
}
