/** Reads the texts of a JSON Lines file: one JSON object a line, one of whose fields is the text. */
import { localized } from '../../../../shared/messages/message.js';
import { UserError } from '../../../../shared/errors.js';
import { parseBoundedJson } from '../../../formats/bounded-json.js';
import { quoted, shorten } from '../../../formats/shorten.js';
import { plainLineEnds } from '../clean.js';

/** In UTF-16 units: a book has a million. */
const MAX_LINE = 1 << 23;

export class JsonRecords {
  private rest = '';
  private line = 0;

  /** @param field key of the text */
  constructor(
    private readonly name: string,
    private readonly field: string,
  ) {}

  /** Returns the texts of the lines that `text` completes. @throws UserError `file_damaged`, `bad_input` */
  push(text: string): string[] {
    const all = this.rest + text;
    // The "\n" of a last "\r" may be in the next piece.
    const held = all.endsWith('\r') ? '\r' : '';
    const lines = plainLineEnds(all.slice(0, all.length - held.length)).split('\n');
    this.rest = (lines.pop() ?? '') + held;
    if (this.rest.length > MAX_LINE) throw this.tooLong();
    return lines.flatMap((line) => this.textOf(line));
  }

  /** Returns the text of a last line without a line break. */
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
    // An escape can write half a character, which no file could hold.
    return [text.replace(/\p{Surrogate}/gu, '\ufffd')];
  }

  private lacking(keys: readonly string[]): UserError {
    const shown = keys.slice(0, 8).map((key) => quoted(key, 40));
    return new UserError({
      code: 'bad_input',
      message: localized('extract.line_no_field_fields', {
        name: this.name,
        line: this.line,
        field: JSON.stringify(this.field),
        shown: shown.join(', ') || 'none',
      }),
      hint: localized('extract.name_field_holds_text_text'),
      field: 'text_field',
    });
  }

  private damaged(why: string, cause?: unknown): UserError {
    return new UserError(
      {
        code: 'file_damaged',
        message: localized('extract.line', { name: this.name, line: this.line, why }),
        hint: localized('extract.jsonl_file_one_json_object'),
        field: 'data_path',
      },
      { cause },
    );
  }

  private tooLong(): UserError {
    return new UserError({
      code: 'bad_input',
      message: localized('extract.line_too_long', { name: this.name, line: this.line + 1, most: MAX_LINE }),
      hint: localized('extract.jsonl_split_or_rename'),
      field: 'data_path',
    });
  }
}
