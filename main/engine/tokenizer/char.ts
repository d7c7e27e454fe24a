/** One token per Unicode code point, as in nanoGPT's data/shakespeare_char/prepare.py: ids are places in `sorted(set(text))`. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { lazyLengths } from './token-lengths.js';
import { type StreamEncoder, type Tokenizer, UNKNOWN } from './types.js';

/** Token files hold 16-bit ids. */
export const MAX_VOCABULARY = 65536;
const CODE_POINTS = 0x110000;
const ASTRAL = 0x10000;
const utf8 = new TextEncoder();

export interface CharTokenizer extends Tokenizer {
  readonly method: 'char';
  /** The character of each id. */
  readonly characters: readonly string[];
}

/** Counts code points. */
export function countCharacters(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) pairs++;
  }
  return text.length - pairs;
}

/** The offset of code point number `count`, in UTF-16 units. */
export function characterOffset(text: string, count: number): number {
  let i = 0;
  for (let done = 0; done < count && i < text.length; done++) i += (text.codePointAt(i) ?? 0) >= ASTRAL ? 2 : 1;
  return i;
}

/** Counts the characters of a text in pieces, which end between characters, and lists those that occur. */
export class CharacterCensus {
  count = 0;
  private readonly seen = new Uint8Array(CODE_POINTS);

  add(text: string): void {
    let pairs = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0xd800 || unit > 0xdbff) {
        this.seen[unit] = 1;
      } else {
        const code = text.codePointAt(i) ?? unit;
        this.seen[code] = 1;
        if (code >= ASTRAL) {
          pairs++;
          i++;
        }
      }
    }
    this.count += text.length - pairs;
  }

  /** The characters that occurred, sorted by code point. */
  characters(): string[] {
    const found: string[] = [];
    for (let code = 0; code < CODE_POINTS; code++) if (this.seen[code] === 1) found.push(String.fromCodePoint(code));
    return found;
  }
}

/** @param characters one code point each, by id. @throws UserError `bad_input` if there are too many for 16-bit ids */
export function createCharTokenizer(characters: readonly string[]): CharTokenizer {
  if (characters.length > MAX_VOCABULARY) {
    throw new UserError({
      code: 'bad_input',
      message: localized('tokenizer.text_different_characters_most_can', {
        characters: characters.length,
        MAX_VOCABULARY,
      }),
      hint: localized('tokenizer.probably_ordinary_text_check_file'),
      field: 'tokenization',
    });
  }
  const basic = new Int32Array(ASTRAL).fill(-1);
  const astral = new Map<number, number>();
  characters.forEach((character, id) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < ASTRAL) basic[code] = id;
    else astral.set(code, id);
  });

  function encode(text: string): Uint16Array {
    const ids = new Uint16Array(text.length);
    let n = 0;
    for (let i = 0; i < text.length; i++) {
      let id = basic[text.charCodeAt(i)] ?? -1;
      if (id < 0) {
        // Half of a character beyond U+FFFF, or unknown.
        const code = text.codePointAt(i) ?? 0;
        id = code >= ASTRAL ? (astral.get(code) ?? -1) : -1;
        if (id < 0) throw unknownCharacter(String.fromCodePoint(code), positionOf(text, i));
        i++;
      }
      ids[n++] = id;
    }
    return n === text.length ? ids : ids.slice(0, n);
  }

  function decode(ids: ArrayLike<number>): string {
    let text = '';
    for (let i = 0; i < ids.length; i++) text += characters[ids[i] ?? -1] ?? UNKNOWN;
    return text;
  }

  return {
    method: 'char',
    vocabSize: characters.length,
    special: [],
    characters,
    encode,
    decode,
    createDecoder: () => ({ push: decode, flush: () => '' }),
    lengths: lazyLengths(characters.length, (id) => utf8.encode(characters[id])),
    // A character's id depends on nothing around it, so nothing is held back.
    createEncoder: (): StreamEncoder => ({ push: encode, flush: () => new Uint16Array(0) }),
  };
}

/** Line and column count from 1, the offset counts characters from 0. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

export const textStart: TextPosition = { line: 1, column: 1, offset: 0 };

/** The position of UTF-16 unit `end` in a text that starts at `from`. */
export function positionOf(text: string, end: number, from: TextPosition = textStart): TextPosition {
  const before = text.slice(0, end);
  const lastBreak = before.lastIndexOf('\n');
  let line = from.line;
  for (let i = before.indexOf('\n'); i !== -1; i = before.indexOf('\n', i + 1)) line++;
  const inLine = countCharacters(before.slice(lastBreak + 1));
  return {
    line,
    column: lastBreak === -1 ? from.column + inLine : inLine + 1,
    offset: from.offset + countCharacters(before),
  };
}

/** `"é" (U+00E9)`; invisible characters are escaped. */
export function nameCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const visible = /[\p{C}\p{Z}]/u.test(character) && character !== ' ' ? JSON.stringify(character) : `"${character}"`;
  return `${visible} (U+${code})`;
}

export function unknownCharacter(character: string, at: TextPosition): UserError {
  return new UserError({
    code: 'unknown_character',
    message: localized('tokenizer.character_vocabulary_line_column_character', {
      nameCharacter: nameCharacter(character),
      line: at.line,
      column: at.column,
      offset: at.offset,
    }),
    hint: localized('tokenizer.take_out_text_use_meta'),
  });
}
