/** Cleans one text of prose by windows: pages, wrapped lines and divided words, Markdown, duplicates. Linear in its length. */
import { type Cleaning } from '../../../../shared/config/data.js';
import { type Findings, visible } from './findings.js';
import { dividedWords } from './hyphens.js';
import { fencedLines, plainMarkdown } from './markdown.js';
import { withoutPages } from './pages.js';
import { glueOf, wrappedLines } from './wrapping.js';

/** Characters that are judged together: three hundred pages. */
const WINDOW = 1 << 19;
/** Characters after which a line is a paragraph that is not written twice; and how many are remembered. */
const LONG = 200;
const MOST_REMEMBERED = 1 << 22;
const ROUNDS = 8;

/** Remembers long paragraphs of all texts by their hashes. */
export class Duplicates {
  private readonly seen = new Set<number>();

  /** Whether it has been seen before. */
  isDuplicate(text: string): boolean {
    if (text.length < LONG) return false;
    const hash = hashOf(text);
    if (this.seen.has(hash)) return true;
    if (this.seen.size < MOST_REMEMBERED) this.seen.add(hash);
    return false;
  }
}

/** 53 bits: cyrb53, two multiplications per character. */
function hashOf(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

export interface TidyOptions {
  readonly isOn: (cleaning: Cleaning) => boolean;
  readonly isMarkdown: boolean;
  readonly findings: Findings;
  readonly duplicates: Duplicates;
}

export class Tidy {
  private parts: string[] = [];
  private length = 0;
  private width: number | null = null;
  private isCode = false;

  private readonly isIdle: boolean;

  constructor(private readonly options: TidyOptions) {
    this.isIdle = !(['lines', 'hyphens', 'pages', 'markdown', 'duplicates'] as const).some(options.isOn);
  }

  /** Characters that wait for the rest of their window. */
  get held(): number {
    return this.length;
  }

  /** Returns clean text, a whole window at a time; where windows end depends on the text alone. */
  push(text: string, isLast = false): string {
    if (this.isIdle) return text;
    this.parts.push(text);
    this.length += text.length;
    if (!isLast && this.length < WINDOW) return '';
    let all = this.parts.join('');
    const done: string[] = [];
    for (let end = endOfWindow(all); end > 0; end = endOfWindow(all)) {
      done.push(this.clean(all.slice(0, end)));
      all = all.slice(end);
    }
    if (isLast) done.push(this.clean(all));
    [this.parts, this.length] = [isLast ? [] : [all], isLast ? 0 : all.length];
    return done.join('');
  }

  private clean(text: string): string {
    const { isOn, findings, duplicates } = this.options;
    let lines: readonly string[] = text.split('\n');
    const [width, wasCode] = [this.width, this.isCode];
    // What goes can show more that goes; a clean text must not change when it is cleaned again.
    for (let round = 0, before = lines; round < ROUNDS; round++, before = lines) {
      [this.width, this.isCode] = round === 0 ? [width, wasCode] : [this.width ?? width, wasCode];
      lines = this.cleanOnce(lines);
      if (lines.length === before.length && lines.every((line, i) => line === before[i])) break;
    }
    if (isOn('duplicates')) {
      let isGone = false;
      lines = lines.filter((line) => {
        // With its paragraph goes the blank line after it.
        if (isGone && line.trim() === '') return (isGone = false);
        isGone = duplicates.isDuplicate(line);
        if (isGone) findings.add('duplicates', visible(line), () => ({ before: line, after: '' }));
        return !isGone;
      });
    }
    return lines.join('\n');
  }

  private cleanOnce(given: readonly string[]): readonly string[] {
    const { isOn, isMarkdown, findings } = this.options;
    const lines = isOn('pages')
      ? withoutPages(given, (line) => findings.add('pages', visible(line), () => ({ before: line, after: '' })))
      : given;
    if (!isMarkdown) return this.unwrapped(lines, () => false);
    const { fenced, isOpen } = fencedLines(lines, this.isCode);
    const plain = this.unwrapped(lines, (line) => fenced.has(line) || isIndented(lines[line]));
    const code = fencedLines(plain, this.isCode).fenced;
    this.isCode = isOpen;
    if (!isOn('markdown')) return plain;
    return plainMarkdown(
      plain,
      (line) => code.has(line) || isIndented(plain[line]),
      (before, after) => findings.add('markdown', visible(before) - visible(after), () => ({ before, after })),
    );
  }

  private unwrapped(lines: readonly string[], isFixed: (line: number) => boolean): readonly string[] {
    const { isOn, findings, isMarkdown } = this.options;
    const wrapped = isOn('lines') ? wrappedLines(lines, isFixed, this.width) : null;
    const joins = wrapped?.joins ?? new Set<number>();
    const divided = isOn('hyphens') ? dividedWords(lines, isFixed) : new Set<number>();
    this.width = wrapped?.width ?? null;
    if (joins.size + divided.size === 0) return lines;
    const out: string[] = [];
    // Parts of a line whose last is still open: strings that grow would take quadratic time.
    const parts: string[] = [];
    let last = lines[0] ?? '';
    for (let i = 0; i < lines.length; i++) {
      const next = (lines[i + 1] ?? '').trimStart();
      // Two blanks at its end are a line end in Markdown.
      const isJoined = joins.has(i) && !(isMarkdown && /\S {2,}$/.test(last));
      const before = last.trimEnd();
      if (divided.has(i)) {
        const [word = ''] = /^\S+/.exec(next) ?? [];
        const [half, rest] = [before.slice(0, -1), next.slice(word.length).trimStart()];
        findings.add('hyphens', 1, () => ({ before: seam(before, next), after: seam(half + word, rest) }));
        parts.push(half);
        if (isJoined || rest === '') last = next;
        else {
          out.push(parts.splice(0).join('') + word);
          last = rest;
        }
      } else if (isJoined) {
        const glue = glueOf(before, next);
        findings.add('lines', 0, () => ({ before: seam(before, next), after: seam(before, next, glue) }));
        parts.push(before, glue);
        last = next;
      } else {
        out.push(parts.splice(0).join('') + last);
        last = lines[i + 1] ?? '';
      }
    }
    return out;
  }
}

const SHOWN = 60;
/** Shows where two lines meet. */
const seam = (before: string, after: string, glue = '\n'): string =>
  [before.slice(-SHOWN), after.slice(0, SHOWN)].join(glue);

/** Length of the first window: it ends with a paragraph, a line or, in endless lines, a character; 0 for one that is not whole. */
function endOfWindow(text: string): number {
  if (text.length < WINDOW) return 0;
  const paragraph = text.indexOf('\n\n', WINDOW);
  if (paragraph >= 0 && paragraph < 2 * WINDOW) return paragraph + 2;
  if (text.length < 2 * WINDOW + 2) return 0;
  const line = text.indexOf('\n', WINDOW);
  if (line >= 0 && line < 4 * WINDOW) return line + 1;
  if (text.length < 4 * WINDOW + 1) return 0;
  return /[\ud800-\udbff]$/.test(text.slice(4 * WINDOW - 1, 4 * WINDOW)) ? 4 * WINDOW - 1 : 4 * WINDOW;
}

const isIndented = (line: string | undefined): boolean => /^(?: {4}|\t)/.test(line ?? '');
