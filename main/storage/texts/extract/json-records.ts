/** Reads the texts of JSON: records or chats, one a line, in a list, or one after another. */
import { localized, type Message } from '../../../../shared/messages/message.js';
import { parseBoundedJson } from '../../../formats/bounded-json.js';
import { shorten } from '../../../formats/shorten.js';
import { LineSplitter, type TextReader } from './lines.js';
import { checkLength, MAX_RECORD, Records } from './records.js';

/** A chat of many years is one object. */
const MAX_OBJECT = 1 << 26;
const MAX_VALUES = 1 << 23;

export class JsonRecords implements TextReader {
  private readonly splitter: LineSplitter | JsonSplitter;
  private readonly records: Records;
  private record = 0;

  /** @param inLines one record a line, as in JSON Lines */
  constructor(
    file: string | Message,
    field: string,
    private readonly inLines = true,
  ) {
    this.splitter = inLines ? new LineSplitter() : new JsonSplitter();
    const hint = localized(inLines ? 'extract.jsonl_file_one_json_object' : 'extract.json_file_list');
    this.records = new Records({ file, kind: inLines ? 'line' : 'record', field, hint });
  }

  /** Returns the texts of the records that `text` completes. @throws UserError `file_damaged`, `bad_input` */
  push(text: string): string[] {
    const texts = this.splitter.push(text).flatMap((record) => this.textOf(record));
    this.checkLength(this.splitter.rest, this.record + 1);
    return texts;
  }

  end(): string[] {
    return [...this.splitter.end().flatMap((record) => this.textOf(record)), ...this.records.end()];
  }

  findings() {
    return this.records.findings();
  }

  private textOf(json: string): string[] {
    this.checkLength(json, ++this.record);
    // Files that were joined have a byte order mark in the middle.
    const bare = json.replace(/^\ufeff/, '');
    if (bare.trim() === '') return [];
    let row: unknown;
    try {
      row = this.inLines ? parseBoundedJson(bare) : parseBoundedJson(bare, undefined, MAX_VALUES);
    } catch (error) {
      const shown = { ...this.records.place(this.record), error: shorten((error as Error).message) };
      this.records.leaveOut(this.records.damaged(localized('extract.record_is_not_json', shown), error), json.length);
      return [];
    }
    return this.records.push(row, this.record, json.length);
  }

  private checkLength(json: string, number: number): void {
    const hint = localized(this.inLines ? 'extract.jsonl_split' : 'extract.json_split');
    checkLength(json, this.records.place(number), hint, this.inLines ? MAX_RECORD : MAX_OBJECT);
  }
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
    const last = this.rest;
    this.rest = '';
    // A list without its end has lost at least one item.
    return [...(this.inList && last.trim() === '' ? [] : [last]), ...(this.inList ? ['['] : [])];
  }
}
