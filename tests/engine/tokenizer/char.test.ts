// One token per character, in Python's order.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CharacterCensus,
  characterOffset,
  countCharacters,
  createCharTokenizer,
  positionOf,
} from '../../../main/engine/tokenizer/char.js';
import { faultOf } from '../../storage/fault-of.js';

const vocabularyOf = (text: string): string[] => {
  const census = new CharacterCensus();
  census.add(text);
  return census.characters();
};
const text = fc.string({ unit: 'binary', maxLength: 60 });

describe('the vocabulary', () => {
  it('is sorted by code point, so that characters beyond U+FFFF come after U+FFFD, unlike in UTF-16', () => {
    expect(vocabularyOf('b\u{1f600}a\ufffd\ue000\n')).toEqual(['\n', 'a', 'b', '\ue000', '\ufffd', '\u{1f600}']);
  });

  it('does not depend on how the text is cut into pieces', () => {
    fc.assert(
      fc.property(text, text, (first, second) => {
        const census = new CharacterCensus();
        census.add(first);
        census.add(second);
        expect(census.characters()).toEqual(vocabularyOf(first + second));
        expect(census.count).toBe([...first, ...second].length);
      }),
    );
  });

  it('of more than 65,536 characters is refused', () => {
    const characters = Array.from({ length: 65537 }, (_, i) => String.fromCodePoint(0x20000 + i));
    const fault = faultOf(() => createCharTokenizer(characters));
    expect(fault).toMatchObject({ code: 'bad_input', field: 'tokenization' });
    expect(fault.message).toContain('65537 different characters');
    const most = createCharTokenizer(characters.slice(0, 65536));
    expect(most.encode(characters[65535] ?? '')).toEqual(Uint16Array.of(65535));
  });
});

describe('encoding', () => {
  it('gives each character its place in the vocabulary, and decodes back', () => {
    fc.assert(
      fc.property(text, (value) => {
        const characters = vocabularyOf(value);
        const tokenizer = createCharTokenizer(characters);
        const ids = tokenizer.encode(value);
        expect(Array.from(ids)).toEqual([...value].map((character) => characters.indexOf(character)));
        expect(tokenizer.decode(ids)).toBe(value);
      }),
    );
  });

  it('names an unknown character and its position', () => {
    const tokenizer = createCharTokenizer(['\n', 'a', 'b', '\u{1f600}']);
    const fault = faultOf(() => tokenizer.encode('ab\n\u{1f600}aé'));
    expect(fault.code).toBe('unknown_character');
    expect(fault.message).toBe(
      'The character "é" (U+00E9) is not in the vocabulary: line 2, column 3 (character 5 of the text, counted from 0)',
    );
    expect(faultOf(() => tokenizer.encode('\u{1f601}')).message).toContain('(U+1F601)');
    expect(faultOf(() => tokenizer.encode('\u0007')).message).toContain('"\\u0007" (U+0007)');
    expect(faultOf(() => tokenizer.encode('a\ud83d')).message).toContain('(U+D83D)');
  });

  it('shows an id outside the vocabulary as U+FFFD', () => {
    expect(createCharTokenizer(['a']).decode([0, 7])).toBe('a\ufffd');
  });
});

describe('places in a text', () => {
  it('count characters as Python does', () => {
    fc.assert(
      fc.property(text, fc.nat(60), (value, n) => {
        const characters = [...value];
        expect(countCharacters(value)).toBe(characters.length);
        expect(value.slice(0, characterOffset(value, n))).toBe(characters.slice(0, n).join(''));
      }),
    );
  });

  it('go on from piece to piece', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab\n]{0,20}$/), fc.stringMatching(/^[ab\n]{0,20}$/), (first, second) => {
        const middle = positionOf(first, first.length);
        expect(positionOf(second, second.length, middle)).toEqual(positionOf(first + second, (first + second).length));
      }),
    );
  });
});
