// Tokenizers of pretrained models: the ids and the texts are those of Python's `tokenizers` (pretrained_cases.py), for
// every kind of tokenizer.json, whole or in pieces. Whole vocabularies and long texts: tools/parity.
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPretrainedTokenizer } from '../../../main/engine/tokenizer/index.js';
import { splitText } from '../../../main/engine/tokenizer/splits.js';
import { readTokenizerJson } from '../../../main/formats/tokenizer/tokenizer-json.js';
import { faultOf } from '../../storage/fault-of.js';

interface Kind {
  readonly tokenizer: { readonly model: { readonly vocab: Readonly<Record<string, number>> } };
  readonly cases: readonly (readonly [text: string, ids: readonly number[], decoded: string])[];
}
const kinds = JSON.parse(readFileSync(new URL('pretrained-cases.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Kind>
>;
const create = (json: object) => createPretrainedTokenizer(readTokenizerJson(JSON.stringify(json), 'tokenizer.json'));
const names = Object.keys(kinds);

describe.each(names)('%s', (name) => {
  const { tokenizer: json, cases } = kinds[name] ?? { tokenizer: {}, cases: [] };
  const tokenizer = create(json);

  it("gives the ids of Python's tokenizers", () => {
    expect(cases.length).toBeGreaterThan(20);
    for (const [text, ids] of cases) expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual(ids);
  });

  it('decodes them to the same text', () => {
    for (const [, ids, decoded] of cases) expect(tokenizer.decode(ids)).toBe(decoded);
  });

  it('gives the same ids for a text that comes in pieces', () => {
    const text = cases.map(([part]) => part).join(' and so on\n');
    const whole = [...tokenizer.encode(text)];
    const cuts = fc.uniqueArray(fc.nat(text.length), { maxLength: 12 }).map((places) => places.sort((a, b) => a - b));
    fc.assert(
      fc.property(cuts, (places) => {
        const encoder = tokenizer.createEncoder();
        const ids: number[] = [];
        [0, ...places].forEach((from, i) => ids.push(...encoder.push(text.slice(from, places[i] ?? text.length))));
        ids.push(...encoder.flush());
        expect(ids).toEqual(whole);
      }),
      { numRuns: 15 },
    );
    // What comes after the end of a text is a text of its own.
    const encoder = tokenizer.createEncoder();
    const twice = [1, 2].map(() => [...encoder.push('The ship'), ...encoder.flush()]);
    expect(twice[1]).toEqual(twice[0]);
    expect(twice[0]).toEqual([...tokenizer.encode('The ship')]);
  });

  it.each([
    'the whale and the ship in 1851 ',
    '他说：“好。”天气很好。\n',
    '第一章\n我们走吧！',
    'お茶。「はい」と言った。\n',
    'Привет, мир и ты\n',
    'שלום עולם\n',
    'สวัสดีชาวโลก\n',
  ])('lets go of what is certain of %j', (line) => {
    const encoder = tokenizer.createEncoder();
    const ids: number[] = [];
    for (let i = 0; i < 100; i++) ids.push(...encoder.push(line));
    const sure = ids.length;
    ids.push(...encoder.flush());
    expect(ids).toEqual([...tokenizer.encode(line.repeat(100))]);
    // A token of Gemma's may be made across a blank, so that a text without line ends is held to its end.
    if (name === 'gemma' && !line.includes('\n')) expect(sure).toBe(0);
    else expect(ids.length - sure).toBeLessThanOrEqual(ids.length / 20);
  });
});

describe('a vocabulary beyond 16 bits', () => {
  const base = kinds['gpt2']?.tokenizer ?? { model: { vocab: {} } };
  // The same tokens under other ids.
  const vocab = Object.fromEntries(Object.entries(base.model.vocab).map(([token, id]) => [token, 200_000 + id]));
  const large = create({ ...base, added_tokens: [], model: { ...base.model, vocab } });

  it('keeps its ids', () => {
    const [text, ids] = kinds['gpt2']?.cases[3] ?? ['', []];
    expect([...large.encode(text)]).toEqual(ids.map((id) => id + 200_000));
    expect(large.decode(large.encode(text))).toBe(text);
    expect(large.vocabSize).toBe(200_000 + Object.keys(vocab).length);
    expect(large.decode([7, 999_999])).toBe('\ufffd\ufffd');
  });
});

describe('a text without a place to cut', () => {
  it('is refused beyond two million units, with what to do', () => {
    const tokenizer = create(kinds['gpt2']?.tokenizer ?? {});
    const encoder = tokenizer.createEncoder();
    expect(faultOf(() => encoder.push('.'.repeat((1 << 21) + 1)))).toMatchObject({ code: 'bad_input' });
  });
});

describe('a token that takes the white space on its left', () => {
  it('takes no longer for a text with much of it elsewhere', () => {
    const added = { id: 999, content: '<mask>', lstrip: true, special: true };
    const tokenizer = create({ ...kinds['gpt2']?.tokenizer, added_tokens: [added] });
    const blanks = ' '.repeat(60_000);
    const took = process.cpuUsage();
    const ids = [...tokenizer.encode(`${blanks}a\u0085 \n<mask>`)];
    expect(process.cpuUsage(took).user).toBeLessThan(1e6);
    expect(ids).toEqual([...tokenizer.encode(`${blanks}a`), 999]);
  });
});

describe('what becomes of a match', () => {
  const cut = (behavior: 'Removed' | 'Isolated' | 'MergedWithPrevious' | 'MergedWithNext' | 'Contiguous') =>
    splitText('the-final--countdown', { pattern: /-/gu, behavior, invert: false });
  // The cases of the Rust crate's own documentation.
  it.each([
    ['Removed', ['the', 'final', 'countdown']],
    ['Isolated', ['the', '-', 'final', '-', '-', 'countdown']],
    ['MergedWithPrevious', ['the-', 'final-', '-', 'countdown']],
    ['MergedWithNext', ['the', '-final', '-', '-countdown']],
    ['Contiguous', ['the', '-', 'final', '--', 'countdown']],
  ] as const)('%s', (behavior, pieces) => {
    expect(cut(behavior)).toEqual(pieces);
  });
});
