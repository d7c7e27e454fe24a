/** Reads the texts of a JSON Lines file: one JSON object a line, one of whose fields is the text. */
import { UserError } from '../../../../shared/errors.js';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { parseBoundedJson } from '../../../formats/bounded-json.js';
import { quoted, shorten } from '../../../formats/shorten.js';
import { plainLineEnds } from '../clean.js';

/** In UTF-16 units: a book has a million. */
const MAX_LINE = 1 << 23;

export class JsonRecords {
  private rest = '';
  private line = 0;

  constructor(
    private readonly file: string | Message,
    private readonly field: string,
  ) {}

  /** Returns the texts of the lines that `text` completes. @throws UserError `file_damaged`, `bad_input` */
  push(text: string): string[] {
    const all = this.rest + text;
    // The "\n" of a last "\r" may be in the next piece.
    const held = all.endsWith('\r') ? '\r' : '';
    const lines = plainLineEnds(all.slice(0, all.length - held.length)).split('\n');
    this.rest = (lines.pop() ?? '') + held;
    const texts = lines.flatMap((line) => this.textOf(line));
    this.checkLength(this.rest);
    return texts;
  }

  end(): string[] {
    const last = this.rest;
    this.rest = '';
    return this.textOf(last);
  }

  private textOf(line: string): string[] {
    this.checkLength(line);
    this.line++;
    if (line.trim() === '') return [];
    const { file, field } = this;
    const place = { file, line: String(this.line) };
    let row: unknown;
    try {
      row = parseBoundedJson(line);
    } catch (error) {
      const why = shorten((error as Error).message);
      throw damaged(localized('extract.line_is_not_json', { ...place, error: why }), error);
    }
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      throw damaged(localized('extract.line_is_no_object', place));
    }
    if (!Object.hasOwn(row, field)) {
      const fields = Object.keys(row).slice(0, 8);
      const shown = fields.map((key) => quoted(key, 40)).join(', ');
      throw new UserError({
        code: 'bad_input',
        message: localized('extract.line_no_field_fields', { ...place, field: JSON.stringify(field), shown }),
        hint: localized('extract.name_field_holds_text_text'),
        field: 'text_field',
      });
    }
    const text = (row as Readonly<Record<string, unknown>>)[field];
    if (text === null) return [];
    if (typeof text !== 'string') {
      throw damaged(localized('extract.line_has_no_text', { ...place, field: JSON.stringify(field) }));
    }
    // An escape can write half a character, which no file could hold.
    return [text.replace(/\p{Surrogate}/gu, '\ufffd')];
  }

  private checkLength(line: string): void {
    if (line.length <= MAX_LINE) return;
    throw new UserError({
      code: 'bad_input',
      message: localized('extract.line_too_long', { file: this.file, line: String(this.line + 1), most: MAX_LINE }),
      hint: localized('extract.jsonl_split_or_rename'),
      field: 'data_path',
    });
  }
}

const damaged = (message: Message, cause?: unknown): UserError =>
  new UserError(
    { code: 'file_damaged', message, hint: localized('extract.jsonl_file_one_json_object'), field: 'data_path' },
    { cause },
  );
