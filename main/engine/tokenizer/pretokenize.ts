/**
 * How GPT-2 cuts text into pieces before byte pairs are merged. The published pattern is
 *     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
 * (openai/gpt-2, encoder.py). It is written out by hand here because it is then linear in any text, because `\s` in
 * JavaScript is not the `\s` of the original (U+FEFF and U+0085 differ), and because the same classes tell where a
 * text may be cut without changing a single id. What is a letter is for the JavaScript engine's version of Unicode to
 * say: ids can differ from another version's only at characters that were added to Unicode in between.
 */
const SPACE = 1;
const LETTER = 2;
const NUMBER = 3;
const OTHER = 4;

const APOSTROPHE = 0x27;
const BLANK = 0x20;

/** Class of each code point, 0 until asked for: a pattern per character would be slow, a full table slow to make. */
const classes = new Uint8Array(0x110000);

function classify(code: number): number {
  const character = String.fromCodePoint(code);
  const kind = /\p{White_Space}/u.test(character)
    ? SPACE
    : /\p{L}/u.test(character)
      ? LETTER
      : /\p{N}/u.test(character)
        ? NUMBER
        : OTHER;
  classes[code] = kind;
  return kind;
}

function classAt(text: string, index: number): number {
  const code = text.codePointAt(index) ?? 0;
  return classes[code] || classify(code);
}

const width = (text: string, index: number): number => ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1);

/** The end of the run of one class that begins at `index`. */
function runEnd(text: string, index: number, kind: number): number {
  let i = index;
  while (i < text.length) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      if ((classes[unit] || classify(unit)) !== kind) break;
      i++;
    } else {
      if (classAt(text, i) !== kind) break;
      i += width(text, i);
    }
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

/** The end of the piece that begins at `start`; `start` must itself be where a piece begins. Lone surrogates are `other`. */
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
export function lastSafeCut(text: string, from = 0): number {
  let end = text.length;
  // Half a character at the end may become another class with its other half.
  if (end > 0 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
  for (let cut = end - 1; cut > Math.max(from, 0); cut--) {
    if ((text.charCodeAt(cut) & 0xfc00) === 0xdc00 && (text.charCodeAt(cut - 1) & 0xfc00) === 0xd800) continue;
    const right = classAt(text, cut);
    const isPair = cut >= 2 && width(text, cut - 2) === 2;
    const left = classAt(text, isPair ? cut - 2 : cut - 1);
    if (left === right || left === SPACE) continue;
    if (right === LETTER && text.charCodeAt(cut - 1) === APOSTROPHE) continue;
    return cut;
  }
  return 0;
}
