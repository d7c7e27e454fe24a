/** Reads the texts of records: of one column of a table, or of chats. Chooses which, if the setting does not. */
import { UserError } from '../../../../shared/errors.js';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { quoted } from '../../../formats/shorten.js';
import { Speakers, turnsIn } from './chats.js';
import { type Choice, DEFAULT_TEXT_FIELD, isRow, Parts, type Row } from './choice.js';
import { Omissions, type Omitted } from './omissions.js';

/** In UTF-16 units: a book has a million. */
export const MAX_RECORD = 1 << 23;
/** Records that are seen before the column is chosen, and their size. */
const SURVEYED = 100;
const SURVEYED_UNITS = 1 << 18;
/** Share of damaged records that are left out. */
const MAX_DAMAGED = 0.25;

export interface RecordPlace {
  readonly file: string | Message;
  readonly kind: 'line' | 'record' | 'row';
  /** The setting: a column, or speakers. */
  readonly field: string;
  /** What a file of its kind has. */
  readonly hint: Message;
}

interface Item {
  readonly value: unknown;
  readonly number: number;
  readonly units: number;
}

export class Records {
  private waiting: Item[] = [];
  private waitingUnits = 0;
  /** A column, or the speakers of chats; null until it is chosen. */
  private reading: string | Speakers | null = null;
  private readonly columns = new Parts();
  private readonly omissions = new Omissions(MAX_DAMAGED);

  constructor(private readonly of: RecordPlace) {}

  push(value: unknown, number: number, units: number): string[] {
    const item = { value, number, units };
    if (this.reading !== null) return this.textOf(item, this.reading);
    this.waiting.push(item);
    this.waitingUnits += units;
    return this.waiting.length < SURVEYED && this.waitingUnits < SURVEYED_UNITS ? [] : this.begin();
  }

  end(): string[] {
    const texts = this.reading === null ? this.begin() : [];
    this.omissions.check(true);
    if (this.reading instanceof Speakers) this.reading.check(this.of.file);
    return texts;
  }

  leaveOut(fault: UserError, units: number): void {
    this.omissions.add(units, fault);
    this.omissions.check(false);
  }

  damaged(message: Message, cause?: unknown): UserError {
    return new UserError({ code: 'file_damaged', message, hint: this.of.hint, field: 'data_path' }, { cause });
  }

  place(number: number) {
    return { file: this.of.file, place: localized(`extract.place.${this.of.kind}`, { number: String(number) }) };
  }

  findings(): { readonly choice?: Choice; readonly omitted: Omitted } {
    const omitted = { what: this.of.kind === 'row' ? 'rows' : 'records', count: this.omissions.count } as const;
    if (this.reading === null) return { omitted };
    if (this.reading instanceof Speakers) return { omitted, choice: this.reading.choice };
    return { omitted, choice: { kind: 'column', chosen: [this.reading], parts: this.columns.list() } };
  }

  private begin(): string[] {
    const items = this.waiting;
    this.waiting = [];
    const reading = this.choose(items.map(({ value }) => value));
    this.reading = reading;
    return items.flatMap((item) => this.textOf(item, reading));
  }

  private choose(values: readonly unknown[]): string | Speakers {
    const { field } = this.of;
    const rows = values.filter(isRow);
    for (const [name, value] of rows.flatMap((row) => Object.entries(row))) {
      if (typeof value === 'string') this.columns.add(name, value);
    }
    const named = rows.filter((row) => Object.hasOwn(row, field));
    if (named.some((row) => !Array.isArray(row[field]))) return field;
    const isChat = values.some((value) => turnsIn(value, field) !== null);
    if (isChat) return new Speakers(named.length > 0 ? DEFAULT_TEXT_FIELD : field);
    return (field === DEFAULT_TEXT_FIELD ? this.columns.longestProse(rows.length) : null) ?? field;
  }

  private textOf({ value, number, units }: Item, reading: string | Speakers): string[] {
    const text = this.of.kind === 'record' && typeof value === 'string' ? value : this.textIn(value, number, reading);
    if (text instanceof UserError) {
      this.leaveOut(text, units);
      return [];
    }
    this.omissions.add(units);
    // An escape can write half a character, which no file could hold.
    return text === null ? [] : [text.replace(/\p{Surrogate}/gu, '\ufffd')];
  }

  private textIn(value: unknown, number: number, reading: string | Speakers): string | UserError | null {
    if (reading instanceof Speakers) {
      const turns = turnsIn(value, this.of.field);
      if (turns !== null) return reading.write(turns);
    }
    if (!isRow(value)) return this.damaged(localized('extract.record_is_no_object', this.place(number)));
    const field = reading instanceof Speakers ? this.of.field : reading;
    if (!Object.hasOwn(value, field)) return this.withoutField(value, number);
    const text = value[field];
    if (text === null || typeof text === 'string') return text;
    const shown = { ...this.place(number), field: JSON.stringify(field) };
    return this.damaged(localized('extract.record_has_no_text', shown));
  }

  private withoutField(row: Row, number: number): UserError {
    const fields = Object.keys(row).slice(0, 8);
    const shown = fields.map((key) => quoted(key, 40)).join(', ');
    const field = JSON.stringify(this.of.field);
    return new UserError({
      code: 'bad_input',
      message: localized('extract.record_no_field_fields', { ...this.place(number), field, shown }),
      hint: localized('extract.name_field_holds_text_text'),
      field: 'text_field',
    });
  }
}

/** @throws UserError for a record that is too long */
export function checkLength(
  record: string,
  at: { file: string | Message; place: Message },
  hint: Message,
  most: number,
) {
  if (record.length <= most) return;
  const message = localized('extract.record_too_long', { ...at, most });
  throw new UserError({ code: 'bad_input', message, hint, field: 'data_path' });
}
