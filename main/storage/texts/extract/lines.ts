/** Splits text into lines, and reads subtitles line by line. */
import { plainLineEnds } from '../clean.js';
import type { Choice } from './choice.js';
import type { Omitted } from './omissions.js';

/** What there was to choose, and what was left out. */
export interface Findings {
  readonly choice?: Choice;
  readonly omitted?: Omitted;
}

/** Reads texts from pieces of a file; `end` returns the last ones. */
export interface TextReader {
  push(text: string): string[];
  end(): string[];
  findings?(): Findings;
}

export class LineSplitter implements TextReader {
  /** The line that is not complete. */
  rest = '';

  push(text: string): string[] {
    const all = this.rest + text;
    // The "\n" of a last "\r" may be in the next piece.
    const held = all.endsWith('\r') ? '\r' : '';
    const lines = plainLineEnds(all.slice(0, all.length - held.length)).split('\n');
    this.rest = (lines.pop() ?? '') + held;
    return lines;
  }

  end(): string[] {
    const last = plainLineEnds(this.rest).replace(/\n$/, '');
    this.rest = '';
    return [last];
  }
}

const TIMES = /^\s*(?:\d+:)?\d+:\d\d[,.]\d+\s+-->/;
/** Blocks of WebVTT that are not shown. */
const UNSEEN = /^(?:WEBVTT|NOTE|STYLE|REGION)\b/;
const TAGS = /<\/?(?:[biuc]|v|lang|ruby|rt|font|\d\d)\b[^>]*>|<[\d:.]+>|\{\\[^}]*\}/g;

/** The text of a line of SubStation Alpha, after nine fields. */
const DIALOGUE = /^Dialogue:(?:[^,]*,){9}(.*)$/;

/** Without an empty line, no more lines are held. */
const MAX_BLOCK = 1 << 12;

/** Reads the lines of subtitles (SubRip, WebVTT, SubStation Alpha) without numbers, times and formats. */
export class Subtitles implements TextReader {
  private readonly splitter = new LineSplitter();
  private block: string[] = [];
  private isStation: boolean | null = null;

  push(text: string): string[] {
    return this.splitter.push(text).flatMap((line) => this.read(line));
  }

  end(): string[] {
    return [...this.splitter.end(), ''].flatMap((line) => this.read(line));
  }

  private read(line: string): string[] {
    if (line.trim() !== '') this.isStation ??= /^\[Script Info\]/i.test(line);
    if (this.isStation) return (DIALOGUE.exec(line)?.[1] ?? '').split(/\\N/i).flatMap(plainLine);
    if (line.trim() !== '' && this.block.push(line) < MAX_BLOCK) return [];
    const block = this.block;
    this.block = [];
    if (UNSEEN.test(block[0] ?? '')) return [];
    // The line before times is a number or a name.
    const shown = block.filter((one, i) => !TIMES.test(one) && !TIMES.test(block[i + 1] ?? ''));
    return shown.flatMap(plainLine);
  }
}

/** A line without formats; none if nothing is left. */
function plainLine(line: string): string[] {
  const plain = line.replace(TAGS, '').replaceAll('\\h', ' ').trim();
  return plain === '' ? [] : [plain];
}
