/**
 * The texts in a JSON Lines file: one JSON object a line, of which one field is the text. Lines come in pieces, as the
 * file is read; a line may be as long as MAX_LINE.
 */
import { UserError } from '../../../shared/errors.js';
import { option, say } from '../../../shared/sentence.js';
import { parseBoundedJson } from '../../formats/bounded-json.js';
import { quoted, shorten } from '../../formats/shorten.js';

/** In UTF-16 units: a book has a million. */
const MAX_LINE = 1 << 23;

export class JsonRecords {
  private rest = '';
  private line = 0;
  /** How many records there were so far. */
  count = 0;

  /**
   * @param name the file, for messages
   * @param field the key whose value is the text
   */
  constructor(
    private readonly name: string,
    private readonly field: string,
  ) {}

  /** The texts of the lines that `text` completes. @throws UserError `file_damaged`, `bad_input` */
  push(text: string): string[] {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    if (this.rest.length > MAX_LINE) throw this.tooLong();
    return lines.flatMap((line) => this.textOf(line));
  }

  /** The last line may lack its line break. */
  end(): string[] {
    const last = this.rest;
    this.rest = '';
    return this.textOf(last);
  }

  private textOf(line: string): string[] {
    if (line.length > MAX_LINE) throw this.tooLong();
    this.line++;
    if (line.trim() === '') return [];
    let row: unknown;
    try {
      row = parseBoundedJson(line);
    } catch (error) {
      throw this.damaged(`is not JSON (${shorten((error as Error).message)})`, error);
    }
    if (typeof row !== 'object' || row === null || Array.isArray(row)) throw this.damaged('is not a JSON object');
    if (!Object.hasOwn(row, this.field)) throw this.lacking(Object.keys(row));
    const text = (row as Readonly<Record<string, unknown>>)[this.field];
    if (text === null) return [];
    if (typeof text !== 'string') throw this.damaged(`has no text in its field ${JSON.stringify(this.field)}`);
    this.count++;
    // Half a character can be written as an escape; no file could hold it.
    return [text.replace(/\p{Surrogate}/gu, '\ufffd')];
  }

  private lacking(keys: readonly string[]): UserError {
    const shown = keys.slice(0, 8).map((key) => quoted(key, 40));
    return new UserError({
      code: 'bad_input',
      message: `${this.name}: line ${this.line} has no field ${JSON.stringify(this.field)}; its fields are ${shown.join(', ') || 'none'}`,
      hint: say`Name the field that holds the text with ${option('text_field')}.`,
      field: 'text_field',
    });
  }

  private damaged(why: string, cause?: unknown): UserError {
    return new UserError(
      {
        code: 'file_damaged',
        message: `${this.name}: line ${this.line} ${why}`,
        hint: 'A .jsonl file has one JSON object per line, such as {"text": "…"}. Rename it to .txt to read it as plain text.',
        field: 'data_path',
      },
      { cause },
    );
  }

  private tooLong(): UserError {
    return new UserError({
      code: 'bad_input',
      message: `${this.name}: line ${this.line + 1} is longer than ${MAX_LINE} characters`,
      hint: 'A .jsonl file has one JSON object per line; split it, or rename it to .txt to read it as plain text.',
      field: 'data_path',
    });
  }
}
