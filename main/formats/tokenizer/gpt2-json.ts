/** GPT-2's tokenizer as the tokenizer.json that other programs read. */
import { type WrittenVocabulary } from '../../engine/tokenizer/index.js';

/** The steps are those of transformers' gpt2; the token that ends a text is found in a text too. */
export function gpt2TokenizerJson({ tokens, merges }: WrittenVocabulary): string {
  const id = tokens.length - 1;
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return `${JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [{ id, content: tokens[id], ...plain }],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, place) => [token, place])),
      merges: merges.map((pair) => pair.join(' ')),
    },
  })}\n`;
}
