/** Cleans extracted texts into one: what no author wrote goes, and line ends become "\n" as in Python's open(). */
import { visible } from './clean/findings.js';
import type { TidyOptions } from './clean/tidy.js';

export interface Extracted {
  readonly texts: readonly string[];
  /** The first of them continues the last one of the previous piece. */
  readonly continues: boolean;
  readonly fileBytes: number;
}

/** Size of a piece, in UTF-16 units and in parts: a list of short records is larger than they are. */
const PIECE_UNITS = 1 << 20;
const MAX_PARTS = 1 << 15;

/** Splitting and joining takes a tenth of a regular expression's memory. */
export const plainLineEnds = (text: string): string =>
  text.includes('\r') ? text.split('\r\n').join('\n').split('\r').join('\n') : text;

export class Cleaner {
  /** A "\r" whose "\n" may follow in the next piece. */
  private held = '';
  private begins = true;
  private endsLine = true;
  private parts: string[] = [];
  private units = 0;

  /** Yields clean text; no piece is empty or ends within a line end. */
  *push({ texts, continues }: Extracted): Generator<string> {
    for (const [index, text] of texts.entries()) {
      if (index > 0 || !continues) this.endText();
      this.add(text);
      if (this.units >= PIECE_UNITS || this.parts.length >= MAX_PARTS) yield this.take();
    }
    if (this.parts.length > 0) yield this.take();
  }

  *end(): Generator<string> {
    this.endText();
    if (this.parts.length > 0) yield this.take();
  }

  private endText(): void {
    if (this.held !== '') this.put('\n');
    this.held = '';
    this.begins = true;
  }

  private add(raw: string): void {
    const text = this.held + raw;
    this.held = text.endsWith('\r') ? '\r' : '';
    this.put(plainLineEnds(this.held === '' ? text : text.slice(0, -1)));
  }

  private put(text: string): void {
    if (text === '') return;
    if (this.begins && !this.endsLine) this.parts.push('\n');
    this.parts.push(text);
    this.units += text.length;
    this.begins = false;
    this.endsLine = text.endsWith('\n');
  }

  private take(): string {
    const text = this.parts.join('');
    [this.parts, this.units] = [[], 0];
    return text;
  }
}

/** Length within which the front of a text ends. */
const FRONT_UNITS = 1 << 16;
const LONGEST_MARK = 100;

const FRONT_MATTER = /^---[ \t]*\r?\n(?=[\w-]+:)[^]*?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)\s*/;
/** Project Gutenberg's header, and who made the file. */
const GUTENBERG_START =
  /^[^]{0,1000}Project Gutenberg[^]*?(?:\*\*\* ?START OF TH(?:E|IS) PROJECT GUTENBERG[^*]*\*\*\*|\*END\*? ?THE SMALL PRINT![^\n]*)\s*(?:(?:Produced|E-text prepared) by [^]*?\n\s*\n)?\s*/i;
const GUTENBERG_END =
  /\n[ \t]*(?:\*\*\* ?END OF TH(?:E|IS) PROJECT GUTENBERG|End of (?:the |this )?Project Gutenberg)/i;

/** Removes the licence of Project Gutenberg and the front matter of Markdown from one text. */
export class Trimmer {
  /** Text whose end may decide about its beginning. */
  private held = '';
  private state: 'front' | 'body' | 'gutenberg' | 'ended' = 'front';

  constructor(private readonly options: Pick<TidyOptions, 'isOn' | 'isMarkdown' | 'findings'>) {}

  push(text: string, isLast = false): string {
    if (this.state === 'ended') {
      this.options.findings.add('licence', visible(text), () => null, 0);
      return '';
    }
    if (this.state === 'body') return text;
    const all = this.held + text;
    this.held = '';
    if (this.state === 'gutenberg') return this.untilEnd(all, isLast);
    if (!isLast && all.length < FRONT_UNITS) {
      this.held = all;
      return '';
    }
    const { isOn, isMarkdown, findings } = this.options;
    const cleaning = isMarkdown && all.startsWith('---') ? 'front' : 'licence';
    const found = isOn(cleaning)
      ? (cleaning === 'licence' ? GUTENBERG_START : FRONT_MATTER).exec(all.slice(0, FRONT_UNITS))
      : null;
    const before = found?.[0] ?? '';
    const rest = all.slice(before.length);
    this.state = cleaning === 'front' || found === null ? 'body' : 'gutenberg';
    if (found !== null) findings.add(cleaning, visible(before), () => ({ before, after: '' }));
    return this.state === 'body' ? rest : this.untilEnd(rest, isLast);
  }

  private untilEnd(text: string, isLast: boolean): string {
    const end = text.search(GUTENBERG_END);
    if (end >= 0) this.state = 'ended';
    const length = end >= 0 ? end : isLast ? text.length : Math.max(0, text.length - LONGEST_MARK);
    this.held = end >= 0 ? '' : text.slice(length);
    if (end >= 0) this.options.findings.add('licence', visible(text.slice(end)), () => null, 0);
    return end >= 0 ? `${text.slice(0, end).trimEnd()}\n` : text.slice(0, length);
  }
}
