/** Tokenizers of pretrained models: JSON with long lists, and patterns that a text is cut by. */
import { createPretrainedTokenizer } from '../../../main/engine/tokenizer/index.js';
import { readTokenizerJson } from '../../../main/formats/tokenizer/tokenizer-json.js';
import { readRepositoryFile } from '../places.js';
import { type Subject, unknown } from '../subject.js';

const kinds = JSON.parse(
  readRepositoryFile('tests/engine/tokenizer/pretrained-cases.json').toString('utf8'),
) as Readonly<Record<string, { readonly tokenizer: object }>>;

/** What is encoded with what was read: nothing that a hostile tokenizer says may make this take long. */
const text = 'The whale’s 1851 ship,   in 12 days.\n\n  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! é中😀';

const byteLevel = { type: 'ByteLevel', add_prefix_space: false, use_regex: true };
const small = {
  version: '1.0',
  added_tokens: [{ id: 3, content: '<|end|>', special: true }],
  normalizer: { type: 'NFC' },
  pre_tokenizer: byteLevel,
  model: { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: ['a b'], unk_token: null },
};
const changed = (changes: object): Buffer => Buffer.from(JSON.stringify({ ...small, ...changes }));
const withModel = (changes: object): Buffer => changed({ model: { ...small.model, ...changes } });
const withPattern = (pattern: string): Buffer =>
  changed({ pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated' } });
const nested = (depth: number): unknown => {
  let step: unknown = byteLevel;
  for (let i = 0; i < depth; i++) step = { type: 'Sequence', pretokenizers: [step] };
  return step;
};
const entries = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join();

export const tokenizerJson: Subject = {
  name: 'tokenizer-json',
  limits: { cpuMs: 4000, memory: 384 << 20 },
  samples: [
    { name: 'small.json', bytes: Buffer.from(JSON.stringify(small)) },
    ...['smollm', 'llama2', 'metaspace-first'].map((name) => ({
      name: `${name}.json`,
      bytes: Buffer.from(JSON.stringify(kinds[name]?.tokenizer)),
      onlyRandom: true,
    })),
  ],
  bombs: {
    'nothing but nesting': () => Buffer.from('['.repeat(1 << 20)),
    'steps within steps': () => changed({ pre_tokenizer: nested(1000) }),
    'steps doubled again and again': () => {
      let step: unknown = byteLevel;
      for (let i = 0; i < 5; i++) step = { type: 'Sequence', pretokenizers: Array.from({ length: 6 }, () => step) };
      return changed({ pre_tokenizer: step });
    },
    'three million values': () => Buffer.from(`{"model":{"vocab":{},"merges":[${entries(3_000_000, () => '0')}]}}`),
    'an id of 2^52': () => withModel({ vocab: { a: 2 ** 52 } }),
    'an added id of 2^31': () => changed({ added_tokens: [{ id: 2 ** 31, content: 'x' }] }),
    'one token a million times': () =>
      Buffer.from(`{"model":{"vocab":{"a":0},"merges":[${entries(700_000, () => '["a","a"]')}]}}`),
    'very many wrong merges': () => withModel({ merges: Array.from({ length: 200_000 }, () => 1) }),
    'a pattern that repeats repeats': () => withPattern('(?:(?:a+)+)+$'),
    'a pattern that doubles its time with each character': () => withPattern('(?:a|a)*b'),
    'a pattern that takes hours to compile': () => withPattern(`(?:${'\\w|'.repeat(250)}x)`.repeat(4)),
    'a pattern of a megabyte': () => withPattern('a'.repeat(1 << 20)),
    'a pattern of nothing but brackets': () => withPattern('['.repeat(4000)),
    'a pattern of nothing but groups': () => withPattern('('.repeat(4000)),
    'a token of a megabyte in an error': () => withModel({ vocab: { ['x'.repeat(1 << 20)]: -1 } }),
    'a content of a megabyte': () => changed({ added_tokens: [{ id: 1, content: 'x'.repeat(1 << 20) }] }),
    'a type of a megabyte': () => changed({ normalizer: { type: 'x'.repeat(1 << 20) } }),
  },
  burdens: {
    'a hundred thousand tokens': () =>
      Buffer.from(
        `{"pre_tokenizer":${JSON.stringify(byteLevel)},"model":{"vocab":{${entries(100_000, (i) => `"t${i}":${i}`)}},"merges":[]}}`,
      ),
    'tokens called as prototypes are': () =>
      Buffer.from(
        `{"pre_tokenizer":${JSON.stringify(byteLevel)},"model":{"vocab":{"__proto__":0,"constructor":1},"merges":[]}}`,
      ),
    'ids far apart': () => withModel({ vocab: { a: 0, b: (1 << 20) - 1 }, merges: [] }),
  },
  words: [
    '"__proto__":0,',
    '"constructor":1,',
    '{"type":"Sequence","pretokenizers":[]}',
    '{"type":"Metaspace","replacement":"▁","prepend_scheme":"first"}',
    '{"type":"Split","pattern":{"Regex":"(a*)*b"},"behavior":"Isolated"}',
    '{"type":"Prepend","prepend":"▁"}',
    '"byte_fallback":true,',
    'null',
    '-1',
    '1e400',
    '\\ud800',
    '[]',
    '{}',
  ],
  read(bytes) {
    const spec = readTokenizerJson(bytes.toString('utf8'), 'tokenizer.json');
    const tokenizer = createPretrainedTokenizer(spec);
    return `${tokenizer.vocabSize} ${tokenizer.encode(text).join()} ${tokenizer.decode([0, 1, 2, 3, 300, 419])}`;
  },
  // What another reading would give is held against Python's in the tests; here it is whether reading goes well.
  again: () => unknown,
};
