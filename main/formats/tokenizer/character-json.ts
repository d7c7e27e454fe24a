/** A vocabulary of characters as the tokenizer.json that `tokenizers` reads: each character is a token, as here. */

/** Ends no text of such a model, and is none of its tokens: programs want the name of one that does. */
const END = '<|endoftext|>';

/** @param chars by id @returns tokenizer.json and tokenizer_config.json; the end's id is one more than the last of the model */
export function characterTokenizer(chars: readonly string[]): { readonly json: string; readonly config: string } {
  const special = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  const json = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [{ id: chars.length, content: END, ...special }],
    normalizer: null,
    pre_tokenizer: { type: 'Split', pattern: { Regex: '[\\s\\S]' }, behavior: 'Isolated', invert: false },
    post_processor: null,
    decoder: { type: 'Fuse' },
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries([...chars.map((char, id) => [char, id] as const), [END, chars.length] as const]),
      unk_token: END,
    },
  };
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', eos_token: END, pad_token: END, padding_side: 'left' };
  return { json: `${JSON.stringify(json)}\n`, config: `${JSON.stringify(config, null, 2)}\n` };
}
