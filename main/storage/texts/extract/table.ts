/** Reads the rows of CSV and TSV (RFC 4180) with Papa Parse: any separator, line breaks in quotes, with or without names of columns. */
import Papa from 'papaparse';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { plainLineEnds } from '../clean.js';
import { checkLength, MAX_RECORD, Records } from './records.js';
import type { TextReader } from './lines.js';

/** Units from which the separator is guessed. */
const GUESSED = 1 << 14;
/** Names of columns are short, and neither numbers nor sentences. */
const NAME = /^(?!\s*[-+]?[\d.,]+\s*$)[^\n]{0,60}(?<![.!?])$/;

interface Parsed {
  readonly data: readonly (readonly string[])[];
  readonly errors: readonly { readonly row: number }[];
  readonly meta: { readonly cursor: number };
}

export class TableReader implements TextReader {
  private readonly records: Records;
  private parser: Papa.Parser | null = null;
  /** What is not parsed yet: the last row, as it may go on. */
  private rest = '';
  private row = 0;
  private names: readonly string[] | null = null;
  private header = '';

  /** @param separator if it is known */
  constructor(
    file: string | Message,
    field: string,
    private readonly separator?: string,
  ) {
    this.records = new Records({ file, kind: 'row', field, hint: localized('extract.table_hint') });
  }

  push(text: string): string[] {
    return this.parse(this.rest + text, false);
  }

  end(): string[] {
    return [...this.parse(this.rest, true), ...this.records.end()];
  }

  findings() {
    return this.records.findings();
  }

  private parse(text: string, isLast: boolean): string[] {
    // The "\n" of a last "\r" may be in the next piece.
    const held = !isLast && text.endsWith('\r') ? '\r' : '';
    let plain = plainLineEnds(held === '' ? text : text.slice(0, -1)).replaceAll('\ufeff', '');
    if (this.parser === null) {
      if (!isLast && plain.length < GUESSED) {
        this.rest = text;
        return [];
      }
      // Excel names the separator in a line of its own.
      const named = /^sep=(.)\n/.exec(plain);
      plain = plain.slice(named?.[0].length ?? 0);
      const delimiter = named?.[1] ?? this.separator ?? separatorOf(plain.slice(0, GUESSED));
      this.parser = new Papa.Parser({ delimiter, newline: '\n' });
    }
    const { data, errors, meta } = this.parser.parse(plain, 0, !isLast) as Parsed;
    this.rest = plain.slice(isLast ? plain.length : meta.cursor) + held;
    checkLength(this.rest, this.records.place(this.row + 1), localized('extract.table_hint'), MAX_RECORD);
    const open = new Set(errors.map(({ row }) => row));
    return data.flatMap((cells, i) => this.read(cells, open.has(i)));
  }

  private read(cells: readonly string[], isOpen: boolean): string[] {
    this.row++;
    if (cells.length === 1 && cells[0]?.trim() === '') return [];
    const units = cells.reduce((sum, cell) => sum + cell.length + 1, 0);
    const place = this.records.place(this.row);
    if (isOpen) return this.leaveOut(localized('extract.row_quotes', place), units);
    if (this.names === null) {
      const isHeader = cells.every((cell) => NAME.test(cell)) && new Set(cells).size === cells.length;
      this.names = cells.map((cell, i) => (isHeader && cell.trim() !== '' ? cell.trim() : String(i + 1)));
      this.header = isHeader ? cells.join('\0') : '';
    }
    // Files that were joined have the names again.
    if (cells.join('\0') === this.header) return [];
    const { names } = this;
    if (cells.length !== names.length) {
      const counts = { cells: cells.length, columns: names.length };
      return this.leaveOut(localized('extract.row_cells', { ...place, ...counts }), units);
    }
    const row = Object.fromEntries(names.map((name, i) => [name, cells[i]?.trim() === '' ? null : cells[i]]));
    return this.records.push(row, this.row, units);
  }

  private leaveOut(message: Message, units: number): string[] {
    this.records.leaveOut(this.records.damaged(message), units);
    return [];
  }
}

const separatorOf = (head: string): string => Papa.parse(head, { preview: 20, skipEmptyLines: true }).meta.delimiter;
