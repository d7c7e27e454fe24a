/**
 * Cuts text into the pieces within which GPT-2 merges byte pairs. The published pattern is
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 * (openai/gpt-2, encoder.py). It is written by hand because it is then linear in any text, because `\s` in JavaScript
 * differs at U+FEFF and U+0085 (gpt-tokenizer differs from tiktoken there), because letters and numbers are those of one
 * version of Unicode in every Node, and because the same classes tell where a text may be cut for streaming.
 */
import { letterRuns, numberRuns } from './unicode-classes.js';

const SPACE = 1;
const LETTER = 2;
const NUMBER = 3;
const OTHER = 4;

const APOSTROPHE = 0x27;
const BLANK = 0x20;

/** Unicode's White_Space, which has been stable for years and is what Rust's `\s` means. */
const whiteSpace =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** The class of each code point. */
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

/** Names the class of a code point. */
export const classOf = (code: number): 'space' | 'letter' | 'number' | 'other' =>
  (['other', 'space', 'letter', 'number', 'other'] as const)[classes[code] ?? OTHER] ?? 'other';

const classAt = (text: string, index: number): number => classes[text.codePointAt(index) ?? 0] ?? OTHER;

/** Whether a character of two UTF-16 units starts at `index`. */
const isPair = (text: string, index: number): boolean => (text.codePointAt(index) ?? 0) > 0xffff;

/** The end of the run of one class that starts at `index`. */
function runEnd(text: string, index: number, kind: number): number {
  let i = index;
  while (i < text.length) {
    const unit = text.charCodeAt(i);
    const isSurrogate = (unit & 0xf800) === 0xd800;
    if ((isSurrogate ? classAt(text, i) : classes[unit]) !== kind) break;
    i += isSurrogate && isPair(text, i) ? 2 : 1;
  }
  return i;
}

/** The length of 's 't 'm 'd 're 've 'll at `index`, or 0. */
function contractionLength(text: string, index: number): number {
  switch (text[index + 1]) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return text[index + 2] === 'e' ? 3 : 0;
    case 'l':
      return text[index + 2] === 'l' ? 3 : 0;
    default:
      return 0;
  }
}

/** The end of the piece that starts at `start`, which must itself be where a piece starts. Lone surrogates are `other`. */
export function pieceEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
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
  // White space but the last, which belongs to what follows: \s+(?!\S), or \s+ if it is a single one.
  const end = runEnd(text, start, SPACE);
  return end === text.length || end === start + 1 ? end : end - 1;
}

/**
 * The last place after `from` at which both sides encoded alone give the ids of the whole, whatever follows; 0 if none.
 *
 * A cut is safe between two characters of different classes, unless the first is white space, or the first is an
 * apostrophe and the second a letter. Proof: apart from `'s` and its like, which are an apostrophe and letters, a piece
 * is an optional blank and then characters of one class, so every such place ends a piece in the whole text. The left
 * side is cut into the same pieces alone: the only rule that looks ahead, \s+(?!\S), ends at white space and looks at
 * the character after it, which is on the left side too, because the left side does not end in white space. The right
 * side is matched from its start in both cases, and nothing looks back.
 */
export function lastSafeCut(text: string, from = 0): number {
  let end = text.length;
  // Half a character at the end may become another class with its other half.
  if (end > 0 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
  for (let cut = end - 1; cut > Math.max(from, 0); cut--) {
    if (isPair(text, cut - 1)) continue; // within a character
    const left = classAt(text, cut >= 2 && isPair(text, cut - 2) ? cut - 2 : cut - 1);
    const right = classAt(text, cut);
    if (left === right || left === SPACE) continue;
    if (right === LETTER && text.charCodeAt(cut - 1) === APOSTROPHE) continue;
    return cut;
  }
  return 0;
}
