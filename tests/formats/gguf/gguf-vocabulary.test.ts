// Tokenizers as GGUF keeps them, and back: what llama.cpp was shown to cut as Python's `tokenizers` does
// (tests/parity/check_gguf.py), read again, gives the same ids; what it has no name for is refused.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createPretrainedTokenizer } from '../../../main/engine/tokenizer/index.js';
import { tokenizerConfigOf, tokenizerJsonOf } from '../../../main/formats/gguf/gguf-tokenizer.js';
import { characterVocabulary, tokenizerVocabulary } from '../../../main/formats/gguf/gguf-vocabulary.js';
import { encodeGguf } from '../../../main/formats/gguf/gguf-write.js';
import { openGguf } from '../../../main/formats/gguf/gguf.js';
import { modelfile } from '../../../main/formats/gguf/modelfile.js';
import { noSpecialIds, specialIds } from '../../../main/formats/tokenizer/special-tokens.js';
import { readTokenizerJson } from '../../../main/formats/tokenizer/tokenizer-json.js';
import { sourceOf } from './places.js';
import { faultOf } from '../../storage/fault-of.js';

const kinds = JSON.parse(
  readFileSync(new URL('../../engine/tokenizer/pretrained-cases.json', import.meta.url), 'utf8'),
) as Readonly<
  Record<
    string,
    {
      readonly tokenizer: { readonly added_tokens: readonly { readonly content: string }[] };
      readonly cases: readonly (readonly [string, readonly number[], string])[];
    }
  >
>;

function vocabularyOf(name: string, rows = 1000) {
  const kind = kinds[name];
  if (kind === undefined) throw new Error(`no tokenizer ${name}`);
  const json = JSON.stringify(kind.tokenizer);
  const spec = readTokenizerJson(json, name);
  const config = JSON.stringify({
    eos_token: { content: kind.tokenizer.added_tokens[0]?.content },
    add_bos_token: true,
  });
  const special = specialIds(
    { 'tokenizer_config.json': config, 'generation_config.json': '{"bos_token_id":[1]}' },
    spec,
  );
  return { special, cases: kind.cases, vocabulary: tokenizerVocabulary({ json, spec }, special, { rows, what: name }) };
}

describe('a tokenizer in a GGUF file', () => {
  it.each([
    ['only its post-processor adds one', {}, [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: {} }], true],
    ['a step of its post-processor does', {}, 'sequence', true],
    ['its configuration says no', { add_bos_token: false }, [{ SpecialToken: { id: '<s>', type_id: 0 } }], false],
    ['nothing adds one', {}, [{ Sequence: { id: 'A', type_id: 0 } }], false],
  ])('begins a text with its first token or not: %s', (_, config, single, addBos) => {
    const template = { type: 'TemplateProcessing', single: [{ SpecialToken: { id: '<s>' } }] };
    const post_processor =
      single === 'sequence' ? { type: 'Sequence', processors: [{ type: 'ByteLevel' }, template] } : { single };
    const spec = { tokens: ['a', '<s>'], addedTokens: [] } as unknown as Parameters<typeof specialIds>[1];
    const files = {
      'tokenizer_config.json': JSON.stringify(config),
      'tokenizer.json': JSON.stringify({ post_processor }),
    };
    expect(specialIds(files, spec)).toMatchObject({ addBos, ...(addBos && { bos: 1 }) });
  });

  it.each([
    ['gpt2', 'gpt-2'],
    ['smollm', 'smollm'],
    ['qwen', 'qwen2'],
    ['llama3', 'llama-bpe'],
    ['llama2', 'default'],
  ])('of the kind %s is called %s, and gives the same ids when it is read again', (name, pre) => {
    const { vocabulary, special, cases } = vocabularyOf(name);
    expect(special).toEqual({ bos: 1, eos: 0, pad: null, addBos: true });
    const { metadata } = openGguf(sourceOf(Buffer.concat([...encodeGguf(vocabulary.metadata, [])])), 'x.gguf');
    expect(metadata.get('tokenizer.ggml.pre')).toBe(pre);
    expect(metadata.get('tokenizer.ggml.eos_token_id')).toBe(0);
    expect(metadata.get('tokenizer.ggml.add_bos_token')).toBe(true);
    const again = createPretrainedTokenizer(readTokenizerJson(tokenizerJsonOf(metadata, 'x.gguf'), 'x.gguf'));
    expect(again.vocabSize).toBe(vocabulary.size);
    for (const [text, ids] of cases) expect([...again.encode(text)], JSON.stringify(text)).toEqual(ids);
    expect(JSON.parse(tokenizerConfigOf(metadata))).toMatchObject({ add_bos_token: true });
  });

  it('has no more tokens than the model has rows', () => {
    expect(vocabularyOf('smollm', 100).vocabulary.size).toBe(100);
  });

  it.each(['gemma', 'no-fallback', 'prefix'])('is refused where llama.cpp would cut otherwise: %s', (name) => {
    expect(faultOf(() => vocabularyOf(name))).toMatchObject({ code: 'checkpoint', hint: /huggingface/ as unknown });
  });

  it('must have a token that ends a text, which llama.cpp would else take from Falcon', () => {
    const { added_tokens: _, ...tokenizer } = kinds['smollm']?.tokenizer ?? { added_tokens: [] };
    const json = JSON.stringify(tokenizer);
    const spec = readTokenizerJson(json, 'x');
    const fault = faultOf(() => tokenizerVocabulary({ json, spec }, noSpecialIds, { rows: 9, what: 'x' }));
    expect(fault.message).toMatch(/no token that ends a text/);
  });

  it('of characters escapes what llama.cpp reads as escapes', () => {
    const { metadata } = characterVocabulary(['\n', '\\', 'é', '\t']);
    expect(metadata.get('tokenizer.ggml.tokens')).toMatchObject({ value: ['\\n', '\\\\', 'é', '\\t'] });
  });
});

it('a Modelfile names the end of a text', () => {
  const text = modelfile({ file: 'a.gguf', temperature: 0.8, topP: 0.9, context: 64, stop: '<|end|>' });
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'FROM ./a.gguf',
      'PARAMETER temperature 0.8',
      'PARAMETER top_p 0.9',
      'PARAMETER num_ctx 64',
      'PARAMETER num_predict 64',
      'PARAMETER stop "<|end|>"',
    ]),
  );
});
