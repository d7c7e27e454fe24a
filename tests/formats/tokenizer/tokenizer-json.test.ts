// Which tokenizer.json is read, and the errors for others. (That it then gives the right ids:
// tests/engine/tokenizer/pretrained.test.ts; hostile files: ../hostile-files.test.ts.)
import { describe, expect, it } from 'vitest';
import { readTokenizerJson } from '../../../main/formats/tokenizer/tokenizer-json.js';
import { createPretrainedTokenizer } from '../../../main/engine/tokenizer/index.js';
import { LLAMA3, NANOCHAT, QWEN2 } from '../../../main/formats/tokenizer/known-patterns.js';
import { faultOf } from '../../storage/fault-of.js';

const model = { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: ['a b'], unk_token: null };
const byteLevel = { type: 'ByteLevel', add_prefix_space: false, use_regex: true };
const file = { version: '1.0', added_tokens: [], normalizer: null, pre_tokenizer: byteLevel, model };
const read = (changes: object) => readTokenizerJson(JSON.stringify({ ...file, ...changes }), 'tokenizer.json');
const fault = (changes: object) => faultOf(() => read(changes));

describe('a tokenizer.json', () => {
  it('is read, with merges in either form', () => {
    const spec = read({});
    expect(spec.tokens).toEqual(['a', 'b', 'ab']);
    expect([spec.alphabet, spec.cutsLikeGpt2]).toEqual(['bytes', true]);
    expect(read({ model: { ...model, merges: [['a', 'b']] } }).merges).toEqual(spec.merges);
  });

  it.each([
    [{ model: { ...model, type: 'WordPiece' } }, /of the kind "WordPiece", not a byte-pair encoding/],
    [{ model: { ...model, dropout: 0.1 } }, /dropout/],
    [{ model: { ...model, end_of_word_suffix: '</w>' } }, /prefix or suffix/],
    [{ normalizer: { type: 'Lowercase' } }, /normalises text by "Lowercase"/],
    [{ pre_tokenizer: { type: 'BertPreTokenizer' } }, /splits text by "BertPreTokenizer"/],
    [{ pre_tokenizer: { type: 'Sequence', pretokenizers: [byteLevel, byteLevel] } }, /comes after ByteLevel/],
    [{ pre_tokenizer: split('[') }, /cannot be translated/],
  ])('that is not supported is refused by name: %j', (changes, message) => {
    expect(fault(changes)).toMatchObject({ code: 'checkpoint', message: expect.stringMatching(message) });
  });

  it.each([
    [{ model: { ...model, vocab: [] } }, /no vocabulary/],
    [{ model: { ...model, vocab: {} } }, /no vocabulary/],
    [{ model: { ...model, vocab: { a: -1 } } }, /the token "a" cannot have the id -1/],
    [{ model: { ...model, vocab: { a: 2 ** 30 } } }, /cannot have the id 1073741824/],
    [{ model: { ...model, vocab: { a: 1, b: 1 } } }, /"a" and "b" have the same id/],
    [{ model: { ...model, merges: ['a c'] } }, /merge 0, of "a" and "c", is not a pair of its tokens/],
    [{ model: { ...model, merges: [['a', 'b', 'c']] } }, /merge 0.* is not a pair/],
    [{ model: { ...model, merges: 7 } }, /model\.merges is missing/],
    [{ added_tokens: [{ id: 'x', content: 'a' }] }, /added_tokens.0.id/],
    [
      { pre_tokenizer: { type: 'Split', pattern: {}, behavior: 'Isolated' } },
      /pre_tokenizer.Split.pattern is not valid/,
    ],
  ])('that is damaged is refused: %j', (changes, message) => {
    expect(fault(changes)).toMatchObject({ code: 'file_damaged', message: expect.stringMatching(message) });
  });
});

function split(pattern: string) {
  return { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
}

describe('a normalizer', () => {
  const longer = (times: number) => ({ type: 'Replace', pattern: { String: 'a' }, content: 'a'.repeat(times) });
  const sequence = (...normalizers: object[]) => read({ normalizer: { type: 'Sequence', normalizers } });

  it('that would fill the memory is refused when it begins to', () => {
    const { normalize } = sequence(longer(32), longer(32), longer(32), longer(32), longer(32));
    expect(faultOf(() => normalize('a'.repeat(1000)))).toMatchObject({
      code: 'checkpoint',
      message: 'tokenizer.json cannot be used: its normalizer makes a text more than 32 times as long',
    });
  });

  it('may write a text longer than it was', () => {
    expect(sequence(longer(4), longer(4)).normalize('xa')).toBe(`x${'a'.repeat(16)}`);
    expect(sequence({ type: 'NFKC' }).normalize('\ufdfa')).toHaveLength(18);
  });
});

describe('a pattern that takes too long for a text', () => {
  const dash = { type: 'Split', pattern: { String: '-' }, behavior: 'Isolated', invert: false };
  const blanks = ' '.repeat(50_000);
  it.each([
    ['twice as long for each character', '(?:a|a)*b', { pre_tokenizer: split('(?:a|a)*b') }, 'a'.repeat(60)],
    [
      'a power of its length, normalised',
      '\\s*\\s*\\s*$',
      { normalizer: { type: 'Replace', pattern: { Regex: '\\s*\\s*\\s*$' }, content: '' }, pre_tokenizer: dash },
      `${blanks}a`,
    ],
  ])(
    'is named: %s',
    (_how, pattern, changes, text) => {
      const tokenizer = createPretrainedTokenizer(read(changes));
      expect([...tokenizer.encode('ab-ba')].length).toBeGreaterThan(0);
      const took = process.cpuUsage();
      expect(faultOf(() => tokenizer.encode(text))).toMatchObject({
        code: 'checkpoint',
        message: `tokenizer.json cannot be used: its pattern ${JSON.stringify(pattern)} takes more than 3 seconds for a part of a text`,
      });
      expect(process.cpuUsage(took).user).toBeLessThan(12e6);
      // It has not harmed what comes after it.
      expect([...tokenizer.encode('ab-ba')].length).toBeGreaterThan(0);
    },
    30_000,
  );

  it('is refused as it is read where its compilation would, which nothing can end', () => {
    const pattern = `(?:${'\\w|'.repeat(250)}x)`.repeat(4);
    expect(fault({ pre_tokenizer: split(pattern) }).message).toMatch(/has more than 40 alternatives/);
  });

  it('is none of a known tokenizer', () => {
    for (const pattern of [LLAMA3, QWEN2, NANOCHAT]) {
      const tokenizer = createPretrainedTokenizer(read({ pre_tokenizer: split(pattern) }));
      for (const text of [`${blanks}a`, `${blanks}\n`, '\n'.repeat(50_000), '.'.repeat(50_000), `a${blanks}`]) {
        const took = process.cpuUsage();
        tokenizer.encode(text);
        expect(process.cpuUsage(took).user, pattern).toBeLessThan(1e6);
      }
    }
  });
});
