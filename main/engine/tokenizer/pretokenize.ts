/**
 * How GPT-2 cuts text into pieces before byte pairs are merged. The published pattern is
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 * (openai/gpt-2, encoder.py). It is written out by hand here because it is then linear in any text, because `\s` in
 * JavaScript is not the `\s` of the original (U+FEFF and U+0085 differ), because letters and numbers are those of one
 * version of Unicode whatever runs this, and because the same classes tell where a text may be cut without changing a
 * single id.
 */
import { letterRuns, numberRuns } from './unicode-classes.js';
import { codeAt } from './utf16.js';

const SPACE = 1;
const LETTER = 2;
const NUMBER = 3;
const OTHER = 4;

const APOSTROPHE = 0x27;
const BLANK = 0x20;

/** Unicode's White_Space: stable for many years, and what Rust's `\s` means. */
const whiteSpace =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** Class of each code point. */
const classes = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(0x110000).fill(OTHER);
  for (const [runs, kind] of [
    [letterRuns, LETTER],
    [numberRuns, NUMBER],
  ] as const) {
    let end = 0;
    for (const run of runs.split(' ')) {
      const [gap = '0', length = '1'] = run.split('+');
      const first = end + parseInt(gap, 36);
      end = first + parseInt(length, 36);
      table.fill(kind, first, end);
    }
  }
  for (let i = 0; i < whiteSpace.length; i++) table[whiteSpace.charCodeAt(i)] = SPACE;
  return table;
}

/** What a code point counts as. */
export function classOf(code: number): 'space' | 'letter' | 'number' | 'other' {
  const kind = classes[code];
  return kind === SPACE ? 'space' : kind === LETTER ? 'letter' : kind === NUMBER ? 'number' : 'other';
}

const classAt = (text: Uint16Array, index: number): number => classes[codeAt(text, index)] ?? OTHER;

const width = (text: Uint16Array, index: number): number => (codeAt(text, index) > 0xffff ? 2 : 1);

/** The end of the run of one class that begins at `index`. */
function runEnd(text: Uint16Array, index: number, kind: number): number {
  let i = index;
  while (i < text.length) {
    const unit = text[i] ?? 0;
    if ((unit & 0xf800) !== 0xd800) {
      if (classes[unit] !== kind) break;
      i++;
    } else {
      if (classAt(text, i) !== kind) break;
      i += width(text, i);
    }
  }
  return i;
}

const [D, E, L, M, R, S, T, V] = [0x64, 0x65, 0x6c, 0x6d, 0x72, 0x73, 0x74, 0x76] as const;

/** The length of 's 't 'm 'd 're 've 'll at `index`, or 0. */
function contractionLength(text: Uint16Array, index: number): number {
  switch (text[index + 1]) {
    case S:
    case T:
    case M:
    case D:
      return 2;
    case R:
    case V:
      return text[index + 2] === E ? 3 : 0;
    case L:
      return text[index + 2] === L ? 3 : 0;
    default:
      return 0;
  }
}

/**
 * The end of the piece that begins at `start`; `start` must itself be where a piece begins. Lone surrogates are `other`.
 * @param text UTF-16 units
 */
export function pieceEnd(text: Uint16Array, start: number): number {
  const first = text[start] ?? 0;
  if (first === APOSTROPHE) {
    const length = contractionLength(text, start);
    if (length > 0) return start + length;
  }
  const kind = classAt(text, start);
  if (kind !== SPACE) return runEnd(text, start, kind);
  if (first === BLANK && start + 1 < text.length) {
    const next = classAt(text, start + 1);
    if (next !== SPACE) return runEnd(text, start + 1, next); // one blank belongs to the word after it
  }
  // White space up to the last one, which is left to what follows: \s+(?!\S), or \s+ when it is a single one.
  const end = runEnd(text, start, SPACE);
  return end === text.length || end === start + 1 ? end : end - 1;
}

/**
 * The last place at which `text` can be cut, such that both sides encoded alone give the ids of the whole, whatever
 * follows; 0 when there is none. Only places after `from` are looked at.
 *
 * A cut is safe between two characters of different classes, unless the first is white space, or the first is an
 * apostrophe and the second a letter. Proof: apart from `'s` and its like, which are an apostrophe and letters, a piece
 * is an optional blank and then characters of one class, so every such place is an end of a piece in the whole text.
 * The left side is cut into the same pieces alone: the only rule that looks ahead, \s+(?!\S), ends at white space and
 * looks at the character after it, which is on the left side too, because the left side does not end in white space;
 * and the contractions hold no change of class but the one that is ruled out. The right side is matched from its
 * beginning in both cases, and nothing looks back.
 */
export function lastSafeCut(text: Uint16Array, from = 0): number {
  let end = text.length;
  // Half a character at the end may become another class with its other half.
  if (end > 0 && ((text[end - 1] ?? 0) & 0xfc00) === 0xd800) end--;
  for (let cut = end - 1; cut > Math.max(from, 0); cut--) {
    if (width(text, cut - 1) === 2) continue; // within a character
    const isPair = cut >= 2 && width(text, cut - 2) === 2;
    const left = classAt(text, isPair ? cut - 2 : cut - 1);
    const right = classAt(text, cut);
    if (left === right || left === SPACE) continue;
    if (right === LETTER && text[cut - 1] === APOSTROPHE) continue;
    return cut;
  }
  return 0;
}
