/**
 * Text of every kind that a tokenizer can meet, the same for the same seed: many scripts, emoji, program code, runs of
 * white space, control characters, any code point at all. What `npm run bench:data` compares the ids of.
 */
import { uniforms } from '../../../main/engine/rng.js';

/** Random numbers one at a time; the engine's generator gives them by position. */
class Draws {
  private next = 0;
  private block: Float32Array = new Float32Array(0);
  private blocks = 0;

  constructor(private readonly seed: number) {}

  /** In [0, 1). */
  unit(): number {
    if (this.next === this.block.length) {
      this.block = uniforms(this.seed, 0, this.blocks++, 0, 4096);
      this.next = 0;
    }
    return this.block[this.next++] ?? 0;
  }

  /** A whole number in [from, to]. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.unit() * (to - from + 1));
  }

  one<T>(items: readonly T[]): T {
    return items[Math.floor(this.unit() * items.length)] as T;
  }
}

/** Blocks of letters: first and last code point. Unassigned ones in between are welcome. */
const scripts: readonly (readonly [number, number])[] = [
  ...([
    [0x61, 0x7a],
    [0x41, 0x5a],
    [0xc0, 0x24f],
    [0x370, 0x3ff],
    [0x400, 0x52f],
    [0x531, 0x58f],
  ] as const), // Latin to Armenian
  ...([
    [0x590, 0x5ff],
    [0x600, 0x6ff],
    [0x700, 0x74f],
    [0x780, 0x7bf],
    [0x900, 0x97f],
    [0x980, 0x9ff],
  ] as const), // Hebrew to Bengali
  ...([
    [0xa00, 0xaff],
    [0xb80, 0xbff],
    [0xc00, 0xd7f],
    [0xe00, 0xe7f],
    [0xe80, 0xeff],
    [0xf00, 0xfff],
  ] as const), // Gurmukhi to Tibetan
  ...([
    [0x1000, 0x109f],
    [0x10a0, 0x10ff],
    [0x1200, 0x137f],
    [0x13a0, 0x13ff],
    [0x1780, 0x17ff],
  ] as const), // Burmese to Khmer
  ...([
    [0x1800, 0x18af],
    [0x1e00, 0x1fff],
    [0x2c00, 0x2dff],
    [0x3040, 0x30ff],
    [0x3100, 0x312f],
  ] as const), // Mongolian to Bopomofo
  ...([
    [0x4e00, 0x9fff],
    [0x4e00, 0x5fff],
    [0xac00, 0xd7a3],
    [0xa000, 0xa48c],
    [0xfb50, 0xfdff],
  ] as const), // Chinese, Korean, Yi
  ...([
    [0xff00, 0xffef],
    [0x10300, 0x1034f],
    [0x10400, 0x1044f],
    [0x12000, 0x123ff],
    [0x13000, 0x1345f],
  ] as const),
  ...([
    [0x16a0, 0x16ff],
    [0x1d400, 0x1d7ff],
    [0x20000, 0x2a6df],
    [0x30000, 0x3134a],
    [0x1e900, 0x1e95f],
  ] as const),
];
const spaces = [
  ' ',
  ' ',
  ' ',
  '\n',
  '\n\n',
  '\t',
  '\r\n',
  '\r',
  '\v',
  '\f',
  '\u0085',
  '\u00a0',
  '\u1680',
  '\u2003',
  '\u2028',
  '\u2029',
  '\u202f',
  '\u205f',
  '\u3000',
];
const controls = [
  '\0',
  '\x01',
  '\x07',
  '\b',
  '\x1b[31m',
  '\x1c',
  '\x1f',
  '\x7f',
  '\u0080',
  '\u009f',
  '\u00ad',
  '\u200b',
  '\u200c',
  '\u200d',
  '\u200e',
  '\u202e',
  '\u2060',
  '\ufeff',
  '\ufffd',
  '\uffff',
  '\u{e0001}',
];
const emoji = ['😀', '👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '👨🏿‍🚀', '🇩🇪', '🇺🇸🇫🇷', '❤️', '1️⃣', '🧑‍💻', '🫠', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '♥', '✓'];
const endings = ["'s", "'S", "'t", "'re", "'RE", "'ll", "'ve", "'m", "'d", '’s', "'", "''", "'x"];
const marks = [
  '.',
  ',',
  ';',
  ':',
  '!',
  '?',
  '…',
  '—',
  '-',
  '--',
  '"',
  '“',
  '”',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '«',
  '»',
  '。',
  '、',
  '،',
  '؟',
  '/',
  '\\',
  '#',
  '$',
  '%',
  '&',
  '*',
  '+',
  '=',
  '<',
  '>',
  '|',
  '~',
  '^',
  '_',
  '@',
  '`',
];
const code = [
  'if (',
  'return ',
  'const ',
  'def ',
  'self.',
  '=> {',
  '};',
  '+= 1;',
  '0x',
  '!==',
  '//',
  '/* ',
  ' */',
  '</div>',
  '<|endoftext|>',
  '#include <',
  '::',
  '->',
  '&&',
  'https://',
  '?q=',
  '%20',
  '\\n',
  'null',
  'function',
  'i++',
];
const numbers: readonly (readonly [number, number])[] = [
  [0x30, 0x39],
  [0x30, 0x39],
  [0x660, 0x669],
  [0x966, 0x96f],
  [0x2150, 0x218b],
  [0xb2, 0xb3],
  [0xff10, 0xff19],
  [0x1d7ce, 0x1d7ff],
  [0x3021, 0x3029],
];
const combining: readonly [number, number] = [0x300, 0x36f];

/**
 * @param words ordinary words, of which half of the text is made
 * @param bytes about how long it is in UTF-8
 * @yields pieces of whole characters, without lone surrogates
 */
export function* variedText(words: readonly string[], bytes: number, seed: number): Generator<string> {
  const draws = new Draws(seed);
  const from = ([first, last]: readonly [number, number]): string => {
    const code = draws.whole(first, last);
    return code >= 0xd800 && code < 0xe000 ? 'x' : String.fromCodePoint(code);
  };
  const many = (least: number, most: number, make: () => string): string =>
    Array.from({ length: draws.whole(least, most) }, make).join('');
  const word = (): string => draws.one(words);
  const kinds: readonly (() => string)[] = [
    () => many(5, 40, () => word() + (draws.unit() < 0.15 ? draws.one(marks) : '') + ' '),
    () => many(5, 40, () => word() + (draws.unit() < 0.15 ? draws.one(marks) : '') + ' '),
    () => many(2, 12, () => word() + draws.one(endings) + draws.one(['', ' '])),
    () => {
      const script = draws.one(scripts);
      return many(3, 25, () => many(1, 9, () => from(script)) + draws.one([' ', ' ', ' ', '', '.', ', ', '\n']));
    },
    () => many(2, 10, () => many(1, 6, () => from(draws.one(scripts))) + draws.one(spaces)),
    () => many(2, 15, () => draws.one(emoji) + draws.one(['', '', ' ', word()])),
    () =>
      many(
        3,
        12,
        () =>
          ' '.repeat(2 * draws.whole(0, 8)) + many(1, 6, () => draws.one(code) + draws.one([word(), '', ' '])) + '\n',
      ),
    () => many(1, 4, () => draws.one(spaces).repeat(draws.whole(1, 30)) + draws.one(['', word(), draws.one(spaces)])),
    () => many(1, 5, () => draws.one(controls) + draws.one(['', ' ', word()])),
    () => many(2, 12, () => many(1, 12, () => from(draws.one(numbers))) + draws.one([' ', '.', ',', '', '-', word()])),
    () => many(1, 6, () => word() + many(1, 12, () => from(combining)) + ' '),
    () => many(3, 30, () => draws.one(marks)),
    () => many(3, 20, () => from([0, 0x10ffff])),
    () => many(20, 120, () => from([0x21, 0x7e])),
  ];
  for (let made = 0; made < bytes;) {
    const text = many(20, 60, () => draws.one(kinds)() + draws.one(['', '', ' ', '\n', '\n\n']));
    made += Buffer.byteLength(text);
    yield text;
  }
}

/** The different words of a book, in their order. */
export const wordsOf = (book: string): string[] => [...new Set(book.split(/\s+/))].filter((word) => word !== '');
