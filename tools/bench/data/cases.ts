/** Texts whose ids must be tiktoken's, one by one: what tokenizers are known to disagree on, and 100,000 random strings. */
import * as fc from 'fast-check';

const joined = ['👩‍👩‍👧‍👦', '👨🏿‍🚀', '🏳️‍🌈', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🧑🏽‍🤝‍🧑🏻', '❤️‍🔥', '👁️‍🗨️', '🇩🇪🇫🇷', '1️⃣', '\u200d', '\ufe0f', '🫱🏼‍🫲🏿'];
const controls = Array.from({ length: 0xa1 }, (_, code) => String.fromCharCode(code)).filter((text) =>
  /\p{C}|\s/u.test(text),
);
const halves = [
  '\ud800',
  '\udc00',
  'a\ud83d',
  '\ude00b',
  '\ud83d\ud83d\ude00',
  ' \udfff ',
  "'\ud800s",
  '\udc00\ud800',
  '\ufffd',
  ' \ufffd\ud800',
  '\ud800'.repeat(40),
];
const spacing = [
  '',
  ' ',
  '  ',
  '   x',
  'x   ',
  ' \n',
  '\n ',
  '\r\n\r\n',
  '\t\tx',
  '\u00a0\u00a0x',
  '\u0085x',
  '\ufeffx',
  '\u2028\u2029',
  '\u3000 x',
  'a\u200bb',
  ' \u00a0 \u00a0',
];
const words = [
  "it's",
  "IT'S",
  "'s's",
  "we'll've",
  "'lll",
  "d'accord",
  "'",
  "''''s",
  'x’s',
  '<|endoftext|>',
  '½ⅫⅣ²',
  '١٢٣',
  'e\u0301\u0301',
  'ﬁnal',
  'ǅ',
  '\u01c5\u1e9e',
  '𝐀𝟏',
  '\u{1c89}\u{88f}',
  '\u{10d4a}\u{323b0}',
];

/** Of a million bytes without a single break. */
const unbroken = (alphabet: readonly string[], length: number): string => {
  let [text, state] = ['', 1];
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += alphabet[(state >>> 16) % alphabet.length] ?? '';
  }
  return text;
};

export function awkwardTexts(): string[] {
  const around = [...joined, ...controls, ...halves, ...spacing, ...words];
  const between = around.flatMap((text) => [
    text,
    `a${text}`,
    ` ${text} `,
    `${text}${text}`,
    `1${text}!`,
    `'s${text}x\n`,
  ]);
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  return [
    ...between,
    unbroken(letters, 1_000_000),
    'ab'.repeat(500_000),
    'a'.repeat(1_000_000),
    unbroken([...'中文字電話网络日本語'], 333_333),
    unbroken([...'0123456789'], 1_000_000),
    unbroken([...'!?.,;:-_#*'], 1_000_000),
    ' '.repeat(1_000_000),
  ];
}

const unit = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 16 }) },
  { weight: 1, arbitrary: fc.array(fc.nat(0xffff), { maxLength: 8 }).map((units) => String.fromCharCode(...units)) },
  { weight: 3, arbitrary: fc.constantFrom(...joined, ...controls, ...halves, ...spacing, ...words) },
);

/** Random strings, the same for the same seed; half characters among them. */
export const randomTexts = (count: number, seed: number): string[] =>
  fc.sample(
    fc.array(unit, { maxLength: 6 }).map((parts) => parts.join('')),
    { numRuns: count, seed },
  );
