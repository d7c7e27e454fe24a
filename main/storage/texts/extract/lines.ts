/** Splits text into lines, and reads subtitles line by line. */
import { plainLineEnds } from '../clean.js';

/** Reads texts from pieces of a file; `end` returns the last ones. */
export interface TextReader {
  push(text: string): string[];
  end(): string[];
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

/** Reads the lines of subtitles (SubRip, WebVTT) without numbers, times and formats. */
export class Subtitles implements TextReader {
  private readonly splitter = new LineSplitter();
  private isAfterGap = true;
  private isUnseen = false;
  /** The line after a gap: the name of a cue if times follow. */
  private held: string | null = null;

  push(text: string): string[] {
    return this.splitter.push(text).flatMap((line) => this.read(line));
  }

  end(): string[] {
    return [...this.splitter.end(), ''].flatMap((line) => this.read(line));
  }

  private read(line: string): string[] {
    const held = this.held === null ? [] : [this.held];
    if (TIMES.test(line)) {
      [this.held, this.isAfterGap, this.isUnseen] = [null, false, false];
      return [];
    }
    this.held = null;
    const shown = line.replace(TAGS, '').trim();
    if (line.trim() === '') {
      [this.isAfterGap, this.isUnseen] = [true, false];
      return held;
    }
    if (this.isAfterGap && UNSEEN.test(line)) this.isUnseen = true;
    const isFirst = this.isAfterGap;
    this.isAfterGap = false;
    if (this.isUnseen || shown === '') return held;
    if (!isFirst) return [...held, shown];
    this.held = shown;
    return held;
  }
}
