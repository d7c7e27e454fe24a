/**
 * The texts in one column of a Parquet file, a page at a time, so that a row group may be larger than memory. Where the
 * pages are is read in parquet-structure.ts, what is in them in parquet-values.ts.
 */
import * as zlib from 'node:zlib';
import { UserError } from '../../shared/errors.js';
import type { OpenFile } from './file-bytes.js';
import {
  type ColumnChunk,
  type PageHeader,
  type ParquetStructure,
  readPageHeader,
  readStructure,
} from './parquet-structure.js';
import { shortened } from '../engine/shortened.js';
import { Cursor, hybridNumbers, PageError, pageTexts, plainTexts, unpackLz4, unpackSnappy } from './parquet-values.js';
import { unzstdAll } from './zstd.js';

const LARGEST_FOOTER = 1 << 24;
const LARGEST_PAGE = 1 << 28;
/** Writers make pages of a megabyte; what unpacks to much more must not unpack to many times its size. */
const FREE_PAGE = 1 << 23;
const LARGEST_PAGE_RATIO = 16;
/** The rows of a group of pyarrow's, which all can be in one page when they are the same. */
const MOST_VALUES = 1 << 20;
/** Rows without a text, or with the same one, take next to no bytes. */
const FREE_ROWS = 1 << 22;
const MOST_ROWS_PER_BYTE = 256;
const LARGEST_PAGE_HEADER = 1 << 20;

export interface ParquetTexts {
  readonly texts: readonly string[];
  /** How much of the file has been read, by its rows. */
  readonly fileBytes: number;
}

export const isParquet = (head: Uint8Array): boolean => Buffer.from(head.subarray(0, 4)).toString('latin1') === 'PAR1';

/**
 * The texts of a column in order; rows without one are left out.
 * @throws UserError `file_damaged`; `bad_input` when there is no such column, or it holds something else
 */
export function* parquetTexts(file: string, source: OpenFile, field: string): Generator<ParquetTexts> {
  const structure = parsed(file, 'its footer', () => readStructure(footer(file, source), field));
  const isOptional = checkColumn(file, structure, field);
  const rows = structure.rowGroups.reduce((sum, group) => sum + group.rows, 0);
  if (rows > FREE_ROWS + MOST_ROWS_PER_BYTE * source.byteLength) throw damaged(file, `it cannot have ${rows} rows`);
  const stored = structure.rowGroups.reduce((sum, { chunk }) => sum + (chunk?.compressedSize ?? 0), 0);
  if (stored > source.byteLength) throw damaged(file, 'its row groups overlap');
  let done = 0;
  for (const { chunk, rows: numRows } of structure.rowGroups) {
    if (numRows === 0) continue;
    if (chunk === null || chunk.isElsewhere) throw damaged(file, `a row group has no column ${quoted(field)}`);
    let dictionary: readonly string[] | null = null;
    let inGroup = 0;
    for (const { header, body } of pages(file, source, chunk)) {
      const where = `the page of row ${done + inGroup}`;
      const { type, values } = header;
      if (type === 'DICTIONARY') {
        dictionary = parsed(file, where, () =>
          plainTexts(new Cursor(unpack(chunk, body, header.unpackedSize)), values),
        );
        continue;
      }
      if (type === 'INDEX') continue;
      const texts = parsed(file, where, () => {
        if (!(values >= 0 && values <= Math.min(MOST_VALUES, numRows - inGroup)))
          throw new PageError(`${values} values`);
        return textsOf(chunk, header, body, isOptional, dictionary);
      });
      inGroup += values;
      if (texts.length > 0) yield { texts, fileBytes: (source.byteLength * (done + inGroup)) / Math.max(1, rows) };
      if (inGroup === numRows) break;
    }
    if (inGroup !== numRows) throw damaged(file, `a row group has ${inGroup} rows of the ${numRows} that it promises`);
    done += numRows;
  }
}

/** The end of the file, from the structure's beginning on. */
function footer(file: string, source: OpenFile): Buffer {
  const size = source.byteLength;
  if (size < 12) throw damaged(file, 'it is too short');
  const tail = Buffer.alloc(8);
  source.read(size - 8, tail);
  if (tail.toString('latin1', 4) !== 'PAR1') {
    throw damaged(file, tail.toString('latin1', 4) === 'PARE' ? 'it is encrypted' : 'its end is missing');
  }
  const length = tail.readUInt32LE(0);
  if (length > size - 12 || length > LARGEST_FOOTER) throw damaged(file, `its footer would have ${length} bytes`);
  const bytes = Buffer.alloc(length);
  source.read(size - 8 - length, bytes);
  return bytes;
}

/** @returns whether rows of the column may lack a text. @throws UserError `bad_input` */
function checkColumn(file: string, { columns }: ParquetStructure, field: string): boolean {
  const column = columns.find(({ name }) => name === field);
  const others = columns.filter(({ type }) => type === 'BYTE_ARRAY').slice(0, 8);
  const hint = `Name the column that holds the text with --text_field. Columns of text: ${others.map(({ name }) => quoted(name)).join(', ') || 'none'}.`;
  if (column === undefined) throw unusable(`${file} has no column ${quoted(field)}`, hint);
  const { type, repetition } = column;
  if (type !== 'BYTE_ARRAY' || repetition === 'REPEATED') {
    throw unusable(`${file}: the column ${quoted(field)} holds no plain text`, hint);
  }
  return repetition === 'OPTIONAL';
}

const quoted = (name: string): string => JSON.stringify(shortened(name, 40));

interface Page {
  readonly header: PageHeader;
  readonly body: Buffer;
}

/** The pages of a column chunk, one after the other. */
function* pages(file: string, source: OpenFile, chunk: ColumnChunk): Generator<Page> {
  const { dataPageOffset: data, dictionaryPageOffset: dictionary } = chunk;
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const end = start + chunk.compressedSize;
  if (!(start >= 4 && end >= start && end <= source.byteLength)) throw damaged(file, 'a column lies outside of it');
  for (let position = start; position < end;) {
    const { header, length } = pageHeader(file, source, position, end);
    position += length;
    const { packedSize, unpackedSize } = header;
    const most = Math.min(LARGEST_PAGE, Math.max(FREE_PAGE, LARGEST_PAGE_RATIO * packedSize));
    if (!(packedSize >= 0 && packedSize <= end - position && unpackedSize >= 0 && unpackedSize <= most)) {
      throw damaged(file, `a page would have ${packedSize} bytes, unpacked ${unpackedSize}`);
    }
    const body = Buffer.allocUnsafe(packedSize);
    source.read(position, body);
    position += packedSize;
    yield { header, body };
  }
}

/** Headers have some dozen bytes, and more when they hold statistics. */
function pageHeader(
  file: string,
  source: OpenFile,
  position: number,
  end: number,
): { header: PageHeader; length: number } {
  for (let size = 1 << 8; ; size <<= 4) {
    const bytes = Buffer.alloc(Math.min(size, end - position));
    source.read(position, bytes);
    const cursor = new Cursor(bytes);
    try {
      return { header: readPageHeader(cursor), length: cursor.position };
    } catch (error) {
      if (bytes.length === end - position || size >= LARGEST_PAGE_HEADER) {
        throw damaged(file, 'a page has no readable header', error);
      }
    }
  }
}

function textsOf(
  chunk: ColumnChunk,
  header: PageHeader,
  body: Buffer,
  isOptional: boolean,
  dictionary: readonly string[] | null,
): string[] {
  const { type, values, encoding, unpackedSize } = header;
  if (type === 'DATA_V2') {
    const { repetitionSize, definitionSize } = header;
    const levels = new Cursor(body);
    levels.take(repetitionSize);
    const present = isOptional ? definedIn(new Cursor(levels.take(definitionSize)), values) : values;
    const rest = body.subarray(repetitionSize + definitionSize);
    const bytes = header.isPacked ? unpack(chunk, rest, unpackedSize - repetitionSize - definitionSize) : rest;
    return pageTexts(encoding, bytes, present, dictionary);
  }
  const cursor = new Cursor(unpack(chunk, body, unpackedSize));
  const present = isOptional ? definedIn(new Cursor(cursor.take(cursor.uint32())), values) : values;
  return pageTexts(encoding, cursor.take(cursor.left), present, dictionary);
}

/** How many of the values are there at all. */
function definedIn(cursor: Cursor, values: number): number {
  if (cursor.left === 0) return values;
  return hybridNumbers(cursor, 1, values).reduce((sum, level) => sum + level, 0);
}

function unpack({ codec }: ColumnChunk, packed: Buffer, length: number): Buffer {
  if (length < 0) throw new PageError('its lengths do not agree');
  const bytes = unpackAny(codec, packed, length);
  if (bytes.length !== length) throw new PageError(`it unpacks to ${bytes.length} bytes, not ${length}`);
  return bytes;
}

type ZstdSync = (packed: Uint8Array, options: { readonly maxOutputLength: number }) => Buffer;

function unpackAny(codec: string, packed: Buffer, length: number): Buffer {
  if (packed.length === 0 && length === 0) return packed;
  const limit = { maxOutputLength: Math.max(1, length) };
  switch (codec) {
    case 'UNCOMPRESSED':
      return packed;
    case 'SNAPPY':
      return unpackSnappy(packed, length);
    case 'LZ4_RAW':
      return unpackLz4(packed, length);
    case 'GZIP':
      return zlib.gunzipSync(packed, limit);
    case 'BROTLI':
      return zlib.brotliDecompressSync(packed, limit);
    case 'ZSTD': {
      const native = (zlib as { readonly zstdDecompressSync?: ZstdSync }).zstdDecompressSync;
      return native ? native(packed, limit) : unzstdAll(packed, length);
    }
    default:
      throw new PageError(`it is packed with ${codec}, which is not read: write it with zstd, snappy or gzip instead`);
  }
}

/** Whatever goes wrong in there is the file's fault. */
function parsed<T>(file: string, where: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw damaged(file, `${where} cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function damaged(file: string, why: string, cause?: unknown): UserError {
  return new UserError(
    {
      code: 'file_damaged',
      message: `${file} is not a Parquet file that can be read: ${why}`,
      hint: 'It was cut short or damaged; use another copy, or write its text column to a plain text file.',
      field: 'data_path',
    },
    { cause },
  );
}

const unusable = (message: string, hint: string): UserError =>
  new UserError({ code: 'bad_input', message, hint, field: 'text_field' });
