/** Reads the texts of one Parquet column, some rows of a group at a time. Runs in file-reader.ts. */
import { isUtf8 } from 'node:buffer';
import * as zlib from 'node:zlib';
import type { Compressors, FileMetaData, ParquetReadOptions, SchemaTree } from 'hyparquet';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { ZSTDDecoder } from 'zstddec/stream';
import { UserError } from '../../../../shared/errors.js';
import { localized } from '../../../../shared/messages/message.js';
import { bytesAt } from '../../../formats/byte-source.js';
import { quoted, shorten } from '../../../formats/shorten.js';
import type { OpenFile } from '../../disk/file-bytes.js';
import { type Choice, DEFAULT_TEXT_FIELD, Parts } from './choice.js';
import { damagedParquet, inBatches, type ParquetTexts } from './pieces.js';

const MAX_FOOTER = 1 << 24;
/** Far more than files have; each takes memory, however few bytes it has. */
const MAX_ROW_GROUPS = 1 << 16;
/** Rows without a text, or with the same one, take almost no bytes. */
const FREE_ROWS = 1 << 22;
const MAX_ROWS_PER_BYTE = 256;
/** Rows of which the columns are chosen, and the largest that is read for it. */
const SURVEYED = 50;
const MAX_SURVEYED = 1 << 25;
/** Rows decoded at a time. */
const WINDOW = 1 << 16;
/** Size of a batch, in UTF-16 units: a dictionary can name the same text again and again. */
const PIECE_UNITS = 1 << 20;
/** Overhead of a text in a message. */
const TEXT_UNITS = 16;

/** Yields the texts in order, without missing ones. @throws UserError `file_damaged`; `bad_input` for a wrong column */
export async function* parquetTexts(
  file: string,
  source: OpenFile,
  given: string,
  zstd: ZSTDDecoder,
): AsyncGenerator<ParquetTexts> {
  const metadata = await parsed(file, () => parquetMetadata(footer(file, source), { geoparquet: false }));
  const rows = checkedRows(file, metadata, source.byteLength);
  const all = { file: bufferOf(source), metadata, ...decoding(zstd) };
  const parts = await survey(all);
  const isNamed = given !== DEFAULT_TEXT_FIELD || parquetSchema(metadata).children.some((one) => nameOf(one) === given);
  const column = (isNamed ? null : parts.longestProse(Math.min(rows, SURVEYED))) ?? given;
  checkColumn(file, metadata, column);
  const reading = { ...all, columns: [column] };
  const choice: Choice = { kind: 'column', chosen: [column], parts: parts.list() };
  let end = 0;
  for (const group of metadata.row_groups) {
    const groupEnd = end + Number(group.num_rows);
    while (end < groupEnd) {
      const rowStart = end;
      end = Math.min(groupEnd, rowStart + WINDOW);
      const found = await parsed(file, () => parquetReadObjects({ ...reading, rowStart, rowEnd: end }));
      if (found.length !== end - rowStart) throw wrongRows(file);
      const fileBytes = (source.byteLength * end) / rows;
      for (const batch of inBatches(textsOf(file, found, column), PIECE_UNITS, ({ length }) => length + TEXT_UNITS)) {
        yield { texts: batch, fileBytes, choice };
      }
    }
  }
}

function footer(file: string, source: OpenFile): Uint8Array {
  const size = source.byteLength;
  if (size < 12) throw damagedParquet(file, localized('extract.parquet_no_end'));
  const tail = bytesAt(source, size - 8, 8);
  const mark = tail.toString('latin1', 4);
  if (mark === 'PARE') throw damagedParquet(file, localized('extract.parquet_encrypted'));
  if (mark !== 'PAR1') throw damagedParquet(file, localized('extract.parquet_no_end'));
  const length = tail.readUInt32LE(0);
  if (length > size - 12 || length > MAX_FOOTER) {
    throw damagedParquet(file, localized('extract.parquet_footer', { length }));
  }
  return bytesAt(source, size - 8 - length, length + 8);
}

/** Reads the first values of each column of text, to choose from. */
async function survey(reading: ParquetReadOptions & { readonly metadata: FileMetaData }): Promise<Parts> {
  const parts = new Parts();
  const [group] = reading.metadata.row_groups;
  const rowEnd = Math.min(SURVEYED, Number(group?.num_rows));
  for (const column of parquetSchema(reading.metadata).children.filter(isText)) {
    const name = nameOf(column);
    const chunk = group?.columns.find(({ meta_data }) => meta_data?.path_in_schema.join('.') === name)?.meta_data;
    if (chunk === undefined || chunk.total_uncompressed_size > MAX_SURVEYED) continue;
    // A column of other bytes, or a damaged one, is only no choice.
    const rows = await parquetReadObjects({ ...reading, columns: [name], rowEnd }).catch(() => []);
    for (const { [name]: value } of rows) if (typeof value === 'string') parts.add(name, value);
  }
  return parts;
}

const nameOf = ({ element }: SchemaTree): string => element.name;

const isText = ({ children, element }: SchemaTree): boolean =>
  children.length === 0 && element.type === 'BYTE_ARRAY' && element.repetition_type !== 'REPEATED';

/** Requires a column of bytes, and reads it as text whatever else its type declares (JSON, an enum). @throws UserError */
function checkColumn(file: string, metadata: FileMetaData, name: string): void {
  const { children } = parquetSchema(metadata);
  const found = children.find((column) => nameOf(column) === name);
  if (found === undefined || !isText(found)) {
    const others = children.filter(({ element }) => element.type === 'BYTE_ARRAY').slice(0, 8);
    const shown = { file, column: quoted(name, 40) };
    throw new UserError({
      code: 'bad_input',
      message: found ? localized('extract.column_has_no_text', shown) : localized('extract.no_such_column', shown),
      hint: localized('extract.name_column_holds_text_text', {
        others: others.map((column) => quoted(nameOf(column), 40)).join(', '),
      }),
      field: 'text_field',
    });
  }
  delete found.element.converted_type;
  delete found.element.logical_type;
}

const wrongRows = (file: string): UserError => damagedParquet(file, localized('extract.parquet_rows'));

function checkedRows(file: string, { num_rows, row_groups: groups }: FileMetaData, fileBytes: number): number {
  const rows = groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  const isPossible =
    groups.length <= MAX_ROW_GROUPS &&
    rows === Number(num_rows) &&
    groups.every((group) => group.num_rows >= 0) &&
    rows <= FREE_ROWS + MAX_ROWS_PER_BYTE * fileBytes;
  if (!isPossible) throw wrongRows(file);
  return rows;
}

/** Serves hyparquet's requests; the same column chunk is requested for each of its windows. */
function bufferOf(source: OpenFile) {
  let cached = { start: 0, end: -1, bytes: new ArrayBuffer(0) };
  return {
    byteLength: source.byteLength,
    slice(start: number, end = source.byteLength): ArrayBuffer {
      if (cached.start !== start || cached.end !== end) {
        cached = { start, end, bytes: new Uint8Array(bytesAt(source, start, end - start)).buffer };
      }
      return cached.bytes;
    },
  };
}

/** Prefers Node's decompression, which is faster; nothing may unpack to more than its header claims. */
function decoding(zstd: ZSTDDecoder) {
  const own: Compressors = {
    ...compressors,
    GZIP: (packed, maxOutputLength) => zlib.gunzipSync(packed, { maxOutputLength }),
    BROTLI: (packed, maxOutputLength) => zlib.brotliDecompressSync(packed, { maxOutputLength }),
    ZSTD: (packed, length) => (length === 0 ? packed.subarray(0, 0) : zstd.decode(packed, length)),
  };
  return { compressors: own, parsers: { stringFromBytes: text } };
}

function text(bytes: Uint8Array | undefined): string {
  if (bytes === undefined || !isUtf8(bytes)) throw new Error('a value is not valid UTF-8');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function textsOf(file: string, rows: readonly Readonly<Record<string, unknown>>[], column: string) {
  return rows.flatMap(({ [column]: value }) => {
    if (typeof value === 'string') return [value];
    if (value === null) return [];
    throw wrongRows(file);
  });
}

async function parsed<T>(file: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw damagedParquet(file, shorten(error instanceof Error ? error.message : String(error)), error);
  }
}
