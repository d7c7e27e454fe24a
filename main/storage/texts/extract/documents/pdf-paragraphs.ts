/** Joins the lines of printed pages to running text: paragraphs, divided words, edges of pages. Pure; used by pdf.ts. */
import { Paragraphs } from './paragraphs.js';

/** A line of print: x of its beginning, y of its foot (upwards) and height of its letters, all in points. */
export interface PageLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

export interface PageText {
  readonly lines: readonly PageLine[];
}

/** Pages compared to find running heads and feet: left and right pages have their own. */
const NEIGHBOURS = 2;
/** A shorter page has no edges: all of it would be one. */
const MIN_LINES = 3;
/** Largest distance within a paragraph, in usual distances of lines. */
const SAME_PARAGRAPH = 1.35;
/** Least indentation of a first line, in heights of its letters. */
const INDENT = 0.8;
const ITEM = /^[\u2022\u2023\u25aa\u25cf\u25e6\u2043]\s/;
const DIVIDED = /(\p{L}+)[-\u00ad\u2010]$/u;
const BETWEEN = /\p{L}+[-\u2010]\p{L}+/gu;

/** Normalizes an edge: its text without page numbers. */
const edgeOf = (line: PageLine | undefined): string =>
  (line?.text ?? '').replace(/\b[ivxlc]+\b/gi, '#').replace(/\d+/g, '#');

export class PdfParagraphs {
  private readonly out = new Paragraphs();
  /** The next page with its neighbours on both sides. */
  private readonly pages: PageText[] = [];
  private next = 0;
  /** Words with a hyphen of their own, found within lines so far. */
  private readonly hyphenated = new Set<string>();
  private before: PageLine | null = null;
  private pending = '';

  add(page: PageText): void {
    this.pages.push(page);
    if (this.pages.length - this.next > NEIGHBOURS) this.write();
  }

  take(): string {
    return this.out.take();
  }

  end(): string {
    while (this.next < this.pages.length) this.write();
    this.endParagraph();
    return this.out.take(true);
  }

  private write(): void {
    const lines = this.withoutEdges();
    for (const { text } of lines) for (const [word] of text.matchAll(BETWEEN)) this.hyphenated.add(plain(word));
    const pitch = usualDistance(lines);
    for (const line of lines) {
      if (this.before !== null && this.isNew(this.before, line, pitch)) this.endParagraph();
      this.join(line.text);
      this.before = line;
    }
    if (++this.next > NEIGHBOURS) {
      this.pages.shift();
      this.next--;
    }
  }

  private withoutEdges(): readonly PageLine[] {
    const lines = this.pages[this.next]?.lines ?? [];
    if (lines.length < MIN_LINES) return lines;
    const others = this.pages.filter((page, i) => i !== this.next && page.lines.length >= MIN_LINES);
    const isEdge = (at: 0 | -1): boolean =>
      others.some((other) => edgeOf(other.lines.at(at)) === edgeOf(lines.at(at)) && sameHeight(other, lines, at));
    return lines.slice(isEdge(0) ? 1 : 0, isEdge(-1) ? -1 : undefined);
  }

  private isNew(before: PageLine, line: PageLine, pitch: number): boolean {
    if (ITEM.test(line.text)) return true;
    if (Math.abs(line.size - before.size) > 0.15 * Math.max(line.size, before.size)) return true;
    const down = before.y - line.y;
    // A paragraph continues in another column or on another page, unless its last sentence has ended.
    if (down < -line.size) return /[.!?:\u2026]["'\u201d\u2019\u00bb)\]]*$/.test(before.text);
    if (down > pitch * SAME_PARAGRAPH) return true;
    return down > line.size / 2 && line.x - before.x > INDENT * line.size;
  }

  private join(text: string): void {
    const divided = DIVIDED.exec(this.pending);
    if (divided === null || !/^\p{Ll}/u.test(text)) {
      this.pending += this.pending === '' || /[\u2014\u2013/]$/.test(this.pending) ? text : ` ${text}`;
      return;
    }
    const rest = /^\p{L}+/u.exec(text)?.[0] ?? '';
    const isOwn = this.hyphenated.has(plain(`${divided[1] ?? ''}-${rest}`));
    this.pending = (isOwn ? this.pending : this.pending.slice(0, -1)) + text;
  }

  private endParagraph(): void {
    this.out.add(this.pending);
    this.out.endLine(2);
    this.pending = '';
  }
}

const plain = (word: string): string => word.toLowerCase().replace('\u2010', '-');

function sameHeight(page: PageText, lines: readonly PageLine[], at: 0 | -1): boolean {
  const [one, other] = [page.lines.at(at), lines.at(at)];
  return one !== undefined && other !== undefined && Math.abs(one.y - other.y) < other.size;
}

function usualDistance(lines: readonly PageLine[]): number {
  const down = lines
    .slice(1)
    .map((line, i) => (lines[i]?.y ?? 0) - line.y)
    .filter((distance) => distance > 0)
    .sort((a, b) => a - b);
  return down[down.length >> 1] ?? Infinity;
}
