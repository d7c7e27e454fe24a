/** Joins words by single spaces and paragraphs by an empty line, without blank edges. */

const PIECE_UNITS = 1 << 20;

export class Paragraphs {
  private done: string[] = [];
  private units = 0;
  /** Kept in parts: inspecting a growing string costs its length. */
  private line: string[] = [];
  private endsBlank = true;
  /** Line breaks pending before the next word; none at the beginning of a document. */
  private breaks = 0;
  private hasText = false;

  /** Adds text, whose blanks collapse to one space unless `exactly`. */
  add(text: string, exactly = false): void {
    if (exactly) {
      const [first = '', ...rest] = text.replace(/\r\n?/g, '\n').split('\n');
      this.put(first);
      for (const line of rest) {
        this.endLine(1, true);
        this.put(line);
      }
      return;
    }
    // A no-break space stays one.
    const words = text.replace(/[ \t\n\f\r]+/g, ' ').replace(/\u00ad/g, '');
    this.put(this.endsBlank && words.startsWith(' ') ? words.slice(1) : words);
  }

  private put(text: string): void {
    if (text === '') return;
    this.line.push(text);
    this.endsBlank = text.endsWith(' ') || text.endsWith('\t');
  }

  tab(): void {
    this.line.push(this.line.pop()?.trimEnd() ?? '');
    this.put('\t');
  }

  /** Ends the line. @param breaks 1 for a new line, 2 for a new paragraph */
  endLine(breaks: 1 | 2, keepsEmpty = false): void {
    const line = this.line.join('').trimEnd();
    [this.line, this.endsBlank] = [[], true];
    if (line.trim() === '') {
      if (this.hasText) this.breaks = keepsEmpty ? Math.min(2, this.breaks + 1) : Math.max(this.breaks, breaks);
      return;
    }
    const text = this.hasText ? '\n'.repeat(Math.max(1, this.breaks)) + line : line;
    this.done.push(text);
    this.units += text.length;
    this.hasText = true;
    this.breaks = breaks;
  }

  /** Returns what is ready if it is enough for a piece, or all of it. */
  take(all = false): string {
    if (all) this.endLine(1);
    if (!all && this.units < PIECE_UNITS) return '';
    const text = this.done.join('');
    [this.done, this.units] = [[], 0];
    return text;
  }
}
