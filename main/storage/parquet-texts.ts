/**
 * The texts in one column of a Parquet file, a page at a time, so that a row group may be larger than memory. hyparquet
 * reads the file's structure; what is in the pages is read in parquet-values.ts.
 */
import * as zlib from 'node:zlib';
import { decompress as unzstd } from 'fzstd';
import { parquetMetadata, parquetSchema, type ColumnMetaData, type FileMetaData, type PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { UserError } from '../../shared/errors.js';
import type { OpenFile } from './file-bytes.js';
import { Cursor, hybridNumbers, PageError, pageTexts, plainTexts, unpackLz4, unpackSnappy } from './parquet-values.js';

const LARGEST_FOOTER = 1 << 26;
const LARGEST_PAGE = 1 << 28;
/** Numbers without an end are read digit by digit: so many bytes in a row that go on are no number. */
const LONGEST_RUN = 1 << 15;

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
  const metadata = parsed(file, 'its footer', () => parquetMetadata(footer(file, source), { geoparquet: false }));
  const { isOptional, columns } = parsed(file, 'its structure', () => textColumns(file, metadata, field));
  const rows = columns.reduce((sum, { numRows }) => sum + numRows, 0);
  let done = 0;
  for (const { meta, numRows } of columns) {
    if (numRows === 0) continue;
    let dictionary: readonly string[] | null = null;
    let inGroup = 0;
    for (const { header, body } of pages(file, source, meta)) {
      const where = `the page of row ${done + inGroup}`;
      if (header.type === 'DICTIONARY_PAGE') {
        dictionary = parsed(file, where, () => {
          const values = header.dictionary_page_header?.num_values ?? 0;
          return plainTexts(new Cursor(unpack(meta, body, header.uncompressed_page_size)), values);
        });
        continue;
      }
      if (header.type === 'INDEX_PAGE') continue;
      const values = header.data_page_header?.num_values ?? header.data_page_header_v2?.num_values ?? -1;
      const texts = parsed(file, where, () => {
        if (!(values >= 0 && values <= numRows - inGroup)) throw new PageError(`${values} values`);
        return textsOf(meta, header, body, values, isOptional, dictionary);
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
function footer(file: string, source: OpenFile): Uint8Array {
  const size = source.byteLength;
  if (size < 12) throw damaged(file, 'it is too short');
  const tail = Buffer.alloc(8);
  source.read(size - 8, tail);
  if (tail.toString('latin1', 4) !== 'PAR1') {
    throw damaged(file, tail.toString('latin1', 4) === 'PARE' ? 'it is encrypted' : 'its end is missing');
  }
  const length = tail.readUInt32LE(0);
  if (length > size - 12 || length > LARGEST_FOOTER) throw damaged(file, `its footer would have ${length} bytes`);
  const bytes = new Uint8Array(length + 8);
  source.read(size - 8 - length, bytes);
  checkRuns(bytes);
  return bytes;
}

function checkRuns(bytes: Uint8Array): void {
  let run = 0;
  for (const byte of bytes) {
    run = byte < 0x80 ? 0 : run + 1;
    if (run > LONGEST_RUN) throw new PageError('a number in it has no end');
  }
}

interface Column {
  readonly meta: ColumnMetaData;
  readonly numRows: number;
}

function textColumns(file: string, metadata: FileMetaData, field: string): { isOptional: boolean; columns: Column[] } {
  const { children } = parquetSchema(metadata);
  const child = children.find(({ element }) => element.name === field);
  const texts = children.filter((one) => one.children.length === 0 && one.element.type === 'BYTE_ARRAY');
  const others = texts.slice(0, 8).map(({ element }) => JSON.stringify(element.name.slice(0, 40)));
  const hint = `Name the column that holds the text with --text_field. Columns of text: ${others.join(', ') || 'none'}.`;
  if (child === undefined) throw unusable(`${file} has no column ${JSON.stringify(field)}`, hint);
  const { type, repetition_type } = child.element;
  if (child.children.length > 0 || type !== 'BYTE_ARRAY' || repetition_type === 'REPEATED') {
    throw unusable(`${file}: the column ${JSON.stringify(field)} holds no plain text`, hint);
  }
  const columns = metadata.row_groups.map(({ columns: chunks, num_rows }) => {
    const chunk = chunks.find(
      ({ meta_data: meta }) => meta?.path_in_schema.length === 1 && meta.path_in_schema[0] === field,
    );
    if (chunk?.meta_data === undefined || chunk.file_path !== undefined) {
      throw damaged(file, `a row group has no column ${JSON.stringify(field)}`);
    }
    const numRows = Number(num_rows);
    if (!Number.isSafeInteger(numRows) || numRows < 0) throw damaged(file, `a row group has ${numRows} rows`);
    return { meta: chunk.meta_data, numRows };
  });
  return { isOptional: repetition_type === 'OPTIONAL', columns };
}

interface Page {
  readonly header: PageHeader;
  readonly body: Buffer;
}

/** The pages of a column chunk, one after the other. */
function* pages(file: string, source: OpenFile, meta: ColumnMetaData): Generator<Page> {
  const [data, dictionary] = [Number(meta.data_page_offset), Number(meta.dictionary_page_offset ?? 0)];
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const end = start + Number(meta.total_compressed_size);
  if (!(start >= 4 && end >= start && end <= source.byteLength)) throw damaged(file, 'a column lies outside of it');
  for (let position = start; position < end;) {
    const { header, length } = pageHeader(file, source, position, end);
    position += length;
    const [packed, unpacked] = [header.compressed_page_size, header.uncompressed_page_size];
    if (!(packed >= 0 && packed <= end - position && unpacked >= 0) || Math.max(packed, unpacked) > LARGEST_PAGE) {
      throw damaged(file, `a page would have ${packed} bytes, unpacked ${unpacked}`);
    }
    const body = Buffer.allocUnsafe(packed);
    source.read(position, body);
    position += packed;
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
    const bytes = new Uint8Array(Math.min(size, end - position));
    source.read(position, bytes);
    try {
      checkRuns(bytes);
      const reader = { view: new DataView(bytes.buffer), offset: 0 };
      const header = parquetHeader(reader);
      return { header, length: reader.offset };
    } catch (error) {
      if (bytes.length === end - position || size >= 1 << 20)
        throw damaged(file, 'a page has no readable header', error);
    }
  }
}

function textsOf(
  meta: ColumnMetaData,
  header: PageHeader,
  body: Buffer,
  values: number,
  isOptional: boolean,
  dictionary: readonly string[] | null,
): string[] {
  const { data_page_header: v1, data_page_header_v2: v2 } = header;
  if (v2 !== undefined) {
    const [repetition, definition] = [v2.repetition_levels_byte_length, v2.definition_levels_byte_length];
    const levels = new Cursor(body);
    levels.take(repetition);
    const present = isOptional ? definedIn(new Cursor(levels.take(definition)), values) : values;
    const rest = body.subarray(repetition + definition);
    const bytes =
      v2.is_compressed === false ? rest : unpack(meta, rest, header.uncompressed_page_size - repetition - definition);
    return pageTexts(v2.encoding, bytes, present, dictionary);
  }
  const cursor = new Cursor(unpack(meta, body, header.uncompressed_page_size));
  const present = isOptional ? definedIn(new Cursor(cursor.take(cursor.uint32())), values) : values;
  return pageTexts(v1?.encoding, cursor.take(cursor.left), present, dictionary);
}

/** How many of the values are there at all. */
function definedIn(cursor: Cursor, values: number): number {
  if (cursor.left === 0) return values;
  return hybridNumbers(cursor, 1, values).reduce((sum, level) => sum + level, 0);
}

function unpack({ codec }: ColumnMetaData, packed: Buffer, length: number): Buffer {
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
      return native ? native(packed, limit) : Buffer.from(unzstd(packed));
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
