/** Reads the texts of JSON: records or chats, one a line, in a list, or one after another. */
import { UserError } from '../../../../shared/errors.js';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { parseBoundedJson } from '../../../formats/bounded-json.js';
import { quoted, shorten } from '../../../formats/shorten.js';
import { LineSplitter, type TextReader } from './lines.js';

export const DEFAULT_TEXT_FIELD = 'text';
/** In UTF-16 units: a book has a million. */
const MAX_RECORD = 1 << 23;

type Row = Readonly<Record<string, unknown>>;

export class JsonRecords implements TextReader {
  private readonly splitter: LineSplitter | JsonSplitter;
  private record = 0;

  /** @param inLines one record a line, as in JSON Lines */
  constructor(
    private readonly file: string | Message,
    private readonly field: string,
    private readonly inLines = true,
  ) {
    this.splitter = inLines ? new LineSplitter() : new JsonSplitter();
  }

  /** Returns the texts of the records that `text` completes. @throws UserError `file_damaged`, `bad_input` */
  push(text: string): string[] {
    const texts = this.splitter.push(text).flatMap((record) => this.textOf(record));
    this.checkLength(this.splitter.rest);
    return texts;
  }

  end(): string[] {
    return this.splitter.end().flatMap((record) => this.textOf(record));
  }

  private textOf(json: string): string[] {
    this.checkLength(json);
    this.record++;
    // Files that were joined have a byte order mark in the middle.
    const bare = json.replace(/^\ufeff/, '');
    if (bare.trim() === '') return [];
    let row: unknown;
    try {
      row = parseBoundedJson(bare);
    } catch (error) {
      const why = shorten((error as Error).message);
      throw this.damaged(localized('extract.record_is_not_json', { ...this.place(), error: why }), error);
    }
    const text = typeof row === 'string' && !this.inLines ? row : this.textIn(row);
    // An escape can write half a character, which no file could hold.
    return text === null ? [] : [text.replace(/\p{Surrogate}/gu, '\ufffd')];
  }

  private textIn(row: unknown): string | null {
    const { field } = this;
    const chat = Array.isArray(row) && !this.inLines ? chatText(row) : null;
    if (chat !== null) return chat;
    if (!isRow(row)) throw this.damaged(localized('extract.record_is_no_object', this.place()));
    if (!Object.hasOwn(row, field)) return this.textWithoutField(row);
    const value = row[field];
    if (value === null || typeof value === 'string') return value;
    const turns = Array.isArray(value) ? chatText(value) : null;
    if (turns !== null) return turns;
    throw this.damaged(localized('extract.record_has_no_text', { ...this.place(), field: JSON.stringify(field) }));
  }

  /** Reads a chat or a notebook, which need no name of a field. */
  private textWithoutField(row: Row): string {
    const list = this.field === DEFAULT_TEXT_FIELD ? CHATS.map((name) => row[name]).find(Array.isArray) : undefined;
    const text = list === undefined ? null : chatText(list as unknown[]);
    if (text !== null) return text;
    const fields = Object.keys(row).slice(0, 8);
    const shown = fields.map((key) => quoted(key, 40)).join(', ');
    throw new UserError({
      code: 'bad_input',
      message: localized('extract.record_no_field_fields', {
        ...this.place(),
        field: JSON.stringify(this.field),
        shown,
      }),
      hint: localized('extract.name_field_holds_text_text'),
      field: 'text_field',
    });
  }

  private place(record = this.record) {
    const place = this.inLines ? 'line' : 'record';
    return { file: this.file, place: localized(`extract.place.${place}`, { number: String(record) }) };
  }

  private checkLength(json: string): void {
    if (json.length <= MAX_RECORD) return;
    throw new UserError({
      code: 'bad_input',
      message: localized('extract.record_too_long', { ...this.place(this.record + 1), most: MAX_RECORD }),
      hint: localized(this.inLines ? 'extract.jsonl_split' : 'extract.json_split'),
      field: 'data_path',
    });
  }

  private damaged(message: Message, cause?: unknown): UserError {
    const hint = localized(this.inLines ? 'extract.jsonl_file_one_json_object' : 'extract.json_file_list');
    return new UserError({ code: 'file_damaged', message, hint, field: 'data_path' }, { cause });
  }
}

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields of a chat's turns (OpenAI, ShareGPT, Telegram, Discord, Jupyter), and of a turn's speaker and content. */
const CHATS = ['messages', 'conversations', 'conversation', 'cells'];
const SPEAKERS = ['role', 'from', 'author'];
const CONTENTS = ['content', 'value', 'text', 'source'];

/** Writes each turn as `speaker: text` on lines of its own; null if there are no turns. */
function chatText(turns: readonly unknown[]): string | null {
  const lines = turns.flatMap((turn) => {
    if (!isRow(turn)) return [];
    const speaker = SPEAKERS.map((name) => turn[name]).find((one) => one !== undefined && one !== null);
    const name = isRow(speaker) ? speaker['name'] : speaker;
    const text = CONTENTS.map((one) => joined(turn[one])).find((one) => one !== null && one.trim() !== '');
    if (text === undefined) return [];
    return [typeof name === 'string' ? `${name}: ${text}` : text];
  });
  return lines.length === 0 ? null : lines.join('\n');
}

/** Joins a text that may be in parts, some of them with a format; null for anything else. */
function joined(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  return content.map((part: unknown) => (isRow(part) ? part['text'] : part)).filter((one) => typeof one === 'string').join(''); // oxfmt-ignore
}

/** Splits JSON into the items of its list, or into the values that follow one another. */
class JsonSplitter {
  /** Not split yet. */
  rest = '';
  private at = 0;
  private depth = 0;
  private inString = false;
  private inList = false;

  push(text: string): string[] {
    this.rest += text;
    const { rest } = this;
    const items: string[] = [];
    let start = 0;
    for (; this.at < rest.length; this.at++) {
      const code = rest.charCodeAt(this.at);
      if (this.inString) {
        if (code === 0x5c) this.at++;
        else if (code === 0x22) this.inString = false;
      } else if (code === 0x22) this.inString = true;
      else if (code === 0x5b || code === 0x7b) {
        this.depth++;
        if (this.depth > 1 || code !== 0x5b) continue;
        this.inList = true;
        start = this.at + 1;
      } else if (code === 0x2c && this.depth === 1 && this.inList) {
        items.push(rest.slice(start, this.at));
        start = this.at + 1;
      } else if ((code === 0x5d || code === 0x7d) && --this.depth === 0) {
        items.push(rest.slice(start, this.at + (this.inList ? 0 : 1)));
        this.inList = false;
        start = this.at + 1;
      }
    }
    this.rest = rest.slice(start);
    this.at -= start;
    return items;
  }

  end(): string[] {
    const last = this.inList && this.rest.trim() === '' ? '[' : this.rest;
    this.rest = '';
    return [last];
  }
}
