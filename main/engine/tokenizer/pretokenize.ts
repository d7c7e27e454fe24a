/**
 * Cuts text into the pieces within which GPT-2 merges byte pairs (openai/gpt-2, encoder.py):
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 * Not a regular expression, to be linear in any text, because JavaScript's `\s` differs at U+FEFF and U+0085, to have one version of
 * Unicode in every Node, and to find cuts for streaming by the same classes.
 */
import { letterRuns, numberRuns } from './unicode-classes.js';

const SPACE = 1;
const LETTER = 2;
const NUMBER = 3;
const OTHER = 4;

const APOSTROPHE = 0x27;
const BLANK = 0x20;

/** Unicode's White_Space, as Rust's `\s`. */
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

/** The end of the piece that starts at `start`. Lone surrogates are `other`. */
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
    if (next !== SPACE) return runEnd(text, start + 1, next); // a blank belongs to the next word
  }
  // White space but the last, which belongs to the next piece: \s+(?!\S), or \s+ if it is single.
  const end = runEnd(text, start, SPACE);
  return end === text.length || end === start + 1 ? end : end - 1;
}

/**
 * The last place after `from` where both sides encode alone as in the whole, whatever follows; 0 if none. That is between characters of
 * different classes, unless the first is white space, or an apostrophe before a letter. Apart from `'s` and its like a piece is
 * an optional blank and characters of one class, so such a place ends a piece. The only rule that looks ahead, \s+(?!\S), sees
 * a character of the left side, which does not end in white space; no rule looks back.
 */
export function lastSafeCut(text: string, from = 0): number {
  let end = text.length;
  // Half a character may change its class with the other half.
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
