/**
 * Joins hard-wrapped lines. A paragraph counts as wrapped if the next line's first word would not have fitted into any of
 * its lines; verse, lists, tables and code seldom pass that, and the text as a whole must pass it for most of its lines.
 */
import { isConjunction } from './hyphens.js';

/** Widths of lines, in columns, that people and programs wrap at. */
const [NARROWEST, WIDEST] = [30, 130];
/** Share of the width that a line fills at least, its successor's first word included. */
const FULL = 0.88;
/** A paragraph of one in twelve lines that are not full is still wrapped. */
const LINES_PER_EXCEPTION = 12;
/** Lines of a paragraph that shows by itself that it is wrapped, and full lines of a text. */
const [LONG, EVIDENCE] = [4, 5];

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;
const HAS_WIDE = new RegExp(WIDE.source);
/** Scripts that write no blanks between words, and how much of a line's start cannot be split. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff00-\uff60]/u;
const UNSPACED_WORDS = /^[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const UNSPACED_COLUMNS = 4;

const ITEM = /^\s*(?:[-*+•·–—]\s|[#>|=~]|\d{1,3}[.)]\s|[—–-]\p{Lu})/u;
const PUNCTUATED = /[.,;:!?…。，、；：！？」』”’"'»،؛؟।)]\s*$/u;
const CAPITAL = /^\s*["'“‘«„(]*\p{Lu}/u;
const LETTER = /^\s*["'“‘«„(]*\p{L}/u;
const COLUMNS = /\S(?: {3,}|\t)\S/;
const STATEMENT = /[{};]\s*$/;

const columns = (text: string): number =>
  HAS_WIDE.test(text) ? text.length + (text.match(WIDE)?.length ?? 0) : text.length;
const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Columns that the first word of a line needs. */
function firstWord(line: string): number {
  const text = line.trimStart();
  const end = text.search(/\s/);
  const length = columns(end < 0 ? text : text.slice(0, end));
  return UNSPACED.test(text) || UNSPACED_WORDS.test(text) ? Math.min(length, UNSPACED_COLUMNS) : length;
}

/** Lines from `start` to before `end`, which may be one paragraph. */
interface Segment {
  readonly start: number;
  readonly end: number;
  /** Columns of the longest line; and of all but the last with the next line's first word. */
  readonly width: number;
  readonly filled: readonly number[];
  readonly isProse: boolean;
}

/** Splits lines into what may be paragraphs. @param isFixed whether a line must not change */
function* segments(lines: readonly string[], isFixed: (line: number) => boolean): Generator<Segment> {
  let start = 0;
  for (let i = 0; i <= lines.length; i++) {
    const line = lines[i];
    const isOut = line === undefined || isFixed(i) || line.trim() === '';
    if (!isOut && (i === start || !begins(lines[i - 1] ?? '', line))) continue;
    if (i - start > 1) yield measured(lines, start, i);
    start = isOut ? i + 1 : i;
  }
}

/** Two spaces more than the line before begin a paragraph. */
const begins = (before: string, line: string): boolean =>
  indentOf(line) >= indentOf(before) + 2 || ITEM.test(line) || /^\s*#/.test(before);

function measured(lines: readonly string[], start: number, end: number): Segment {
  const own = lines.slice(start, end);
  const widths = own.map(columns);
  const filled = own.slice(1).map((next, i) => (widths[i] ?? 0) + 1 + firstWord(next));
  const width = widths.reduce((most, one) => Math.max(most, one), 0);
  return { start, end, width, filled, isProse: isProse(own) };
}

function isProse(lines: readonly string[]): boolean {
  const but = lines.slice(0, -1);
  const next = lines.slice(1);
  const shareOf = (some: readonly string[], pattern: RegExp) =>
    some.length === 0 ? 0 : some.filter((line) => pattern.test(line)).length / some.length;
  const punctuated = shareOf(but, PUNCTUATED);
  const capitals = shareOf(
    next.filter((line) => LETTER.test(line)),
    CAPITAL,
  );
  const isVerse =
    but.length >= LONG - 1
      ? punctuated > 0.6 || (capitals > 0.8 && punctuated > 0.3)
      : punctuated === 1 && capitals === 1;
  return !isVerse && shareOf(lines, COLUMNS) < 0.5 && shareOf(lines, STATEMENT) < 0.3;
}

const isFull = ({ width: own, filled }: Segment, width: number): boolean =>
  own <= 1.1 * width &&
  filled.filter((columns) => columns < FULL * width).length <= Math.floor(filled.length / LINES_PER_EXCEPTION);

const isWrapped = (segment: Segment): boolean => {
  const width = segment.width;
  return segment.isProse && width >= NARROWEST && isFull(segment, width);
};

/**
 * Finds the lines that continue in the next one.
 * @param before width of the text so far, for an end that is too short to show its own; null if it is not wrapped
 */
export function wrappedLines(
  lines: readonly string[],
  isFixed: (line: number) => boolean,
  before: number | null,
): { readonly joins: ReadonlySet<number>; readonly width: number | null } {
  const all = [...segments(lines, isFixed)];
  const long = all.filter((one) => one.filled.length >= LONG - 1 && one.width <= WIDEST);
  const wrapped = long.filter(isWrapped);
  const count = (some: readonly Segment[]) => some.reduce((sum, { filled }) => sum + filled.length, 0);
  const widths = wrapped.map((one) => one.width).sort((a, b) => a - b);
  const isShown = count(long) >= EVIDENCE;
  const isWrappedText = isShown && 2 * count(wrapped) >= count(long);
  const width = isWrappedText ? (widths[widths.length >> 1] ?? null) : isShown ? null : before;
  const joins = new Set<number>();
  if (width === null) return { joins, width };
  const own = new Set(wrapped);
  for (const segment of all) {
    const is = own.has(segment) ? segment.width >= width / 2 : segment.isProse && isFull(segment, width);
    if (is) for (let i = segment.start; i < segment.end - 1; i++) joins.add(i);
  }
  return { joins, width };
}

/** Returns what goes between two joined lines: no blank in scripts without, nor after a dash. */
export function glueOf(before: string, after: string): '' | ' ' {
  const last = /.$/u.exec(before)?.[0] ?? '';
  if (UNSPACED.test(last) || UNSPACED.test(after)) return '';
  if (UNSPACED_WORDS.test(last) && UNSPACED_WORDS.test(after)) return '';
  if (/[\p{L}\p{N}]-$/u.test(before)) return isConjunction(after) ? ' ' : '';
  return /(?:—|--)$/.test(before) ? '' : ' ';
}
