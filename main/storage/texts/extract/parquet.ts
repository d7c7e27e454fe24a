/**
 * Reads the texts of one column of a Parquet file a page at a time, so that a row group may be larger than memory. hyparquet
 * parses the structure and the values; positions and claimed sizes of pages are checked here, before anything is allocated for
 * them. Runs in file-reader.ts, as a library may still never end. (Apache Parquet format.)
 */
import { localized } from '../../../../shared/messages/message.js';
import { isUtf8 } from 'node:buffer';
import * as zlib from 'node:zlib';
import type { ColumnMetaData, Compressors, FileMetaData, PageHeader, RowGroup, SchemaTree } from 'hyparquet';
import { parquetMetadata, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import type { ZSTDDecoder } from 'zstddec/stream';
import { UserError } from '../../../../shared/errors.js';
import { type Sentence } from '../../../../shared/sentence.js';
import { bytesAt } from '../../../formats/byte-source.js';
import { shorten } from '../../../formats/shorten.js';
import { type OpenFile, openFile } from '../../disk/file-bytes.js';
import { inBatches } from './batches.js';
import { damagedParquet, type ParquetTexts } from './damaged.js';

const MAX_FOOTER = 1 << 24;
/** Far more than files have; each takes memory, however few bytes it has. */
const MAX_ROW_GROUPS = 1 << 16;
const MAX_PAGE = 1 << 28;
/** Writers make pages of a megabyte; what unpacks to much more must not unpack to many times its size. */
const FREE_PAGE = 1 << 23;
const MAX_PAGE_RATIO = 16;
/** The rows of a group of pyarrow's, which all can be in one page when they are the same. */
const MAX_VALUES = 1 << 20;
/** Rows without a text, or with the same one, take next to no bytes. */
const FREE_ROWS = 1 << 22;
const MAX_ROWS_PER_BYTE = 256;
const MAX_PAGE_HEADER = 1 << 20;
/** Size of a batch, in UTF-16 units: a dictionary can name the same text again and again. */
const PIECE_UNITS = 1 << 20;
/** Overhead of a text in a message. */
const TEXT_UNITS = 16;

type Decoder = Parameters<typeof readPage>[2];
type Values = NonNullable<Parameters<typeof readPage>[3]>;

/**
 * Yields the texts of a column in order, without rows that have none.
 * @throws UserError `file_damaged`; `bad_input` if there is no such column, or it holds something else
 */
export function* parquetTexts(file: string, column: string, zstd: ZSTDDecoder): Generator<ParquetTexts> {
  const source = openFile(file);
  try {
    const metadata = parsed(file, 'its footer', () => parquetMetadata(footer(file, source), { geoparquet: false }));
    const schemaPath = checkedColumn(
      file,
      parsed(file, 'its footer', () => parquetSchema(metadata)),
      column,
    );
    const rows = checkedRows(file, metadata, column, source.byteLength);
    let fileBytes = 0;
    const texts = function* (): Generator<string> {
      let done = 0;
      for (const group of metadata.row_groups) {
        const chunk = columnChunk(group, column);
        const rowsInGroup = Number(group.num_rows);
        if (rowsInGroup === 0) continue;
        if (chunk === null) throw damagedParquet(file, `a row group has no column ${quoted(column)}`);
        const decoder = decoderOf(chunk, schemaPath, zstd);
        for (const page of groupTexts(file, source, chunk, decoder, rowsInGroup)) {
          fileBytes = (source.byteLength * (done + page.rowsRead)) / Math.max(1, rows);
          yield* page.texts;
        }
        done += rowsInGroup;
      }
    };
    // A file can have a page for each row.
    for (const batch of inBatches(texts(), PIECE_UNITS, ({ length }) => length + TEXT_UNITS)) {
      yield { texts: batch, fileBytes };
    }
  } finally {
    source.close();
  }
}

/** Reads the footer. */
function footer(file: string, source: OpenFile): Uint8Array {
  const size = source.byteLength;
  if (size < 12) throw damagedParquet(file, 'it is too short');
  const tail = bytesAt(source, size - 8, 8);
  if (tail.toString('latin1', 4) !== 'PAR1') {
    throw damagedParquet(file, tail.toString('latin1', 4) === 'PARE' ? 'it is encrypted' : 'its end is missing');
  }
  const length = tail.readUInt32LE(0);
  if (length > size - 12 || length > MAX_FOOTER) throw damagedParquet(file, `its footer would have ${length} bytes`);
  return bytesAt(source, size - 8 - length, length + 8);
}

/** @returns the root and the column. @throws UserError `bad_input` */
function checkedColumn(file: string, root: SchemaTree, name: string): SchemaTree[] {
  const others = root.children.filter(({ element }) => element.type === 'BYTE_ARRAY').slice(0, 8);
  const hint = localized('extract.name_column_holds_text_text', {
    others: others.map(({ element }) => quoted(element.name)).join(', ') || 'none',
  });
  const column = root.children.find(({ element }) => element.name === name);
  if (column === undefined) throw unusable(`${file} has no column ${quoted(name)}`, hint);
  const { type, repetition_type, ...element } = column.element;
  if (column.children.length > 0 || type !== 'BYTE_ARRAY' || repetition_type === 'REPEATED') {
    throw unusable(`${file}: the column ${quoted(name)} holds no plain text`, hint);
  }
  // Whatever its texts mean elsewhere (JSON, a choice), here they are texts.
  const { converted_type: _, logical_type: __, ...plain } = element;
  return [root, { ...column, element: { ...plain, type, repetition_type: repetition_type ?? 'REQUIRED' } }];
}

/** @returns the number of rows. @throws UserError `file_damaged` if there cannot be as many */
function checkedRows(file: string, metadata: FileMetaData, column: string, fileBytes: number): number {
  const { num_rows, row_groups: groups } = metadata;
  if (groups.length > MAX_ROW_GROUPS) throw damagedParquet(file, 'it has more row groups than a file has');
  const rows = groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  if (rows !== Number(num_rows) || groups.some((group) => group.num_rows < 0)) {
    throw damagedParquet(file, `it has ${num_rows} rows, its groups ${rows}`);
  }
  if (rows > FREE_ROWS + MAX_ROWS_PER_BYTE * fileBytes) throw damagedParquet(file, `it cannot have ${rows} rows`);
  const stored = groups.reduce((sum, group) => sum + Number(columnChunk(group, column)?.total_compressed_size ?? 0), 0);
  if (stored > fileBytes) throw damagedParquet(file, 'its row groups overlap');
  return rows;
}

/** Returns null if the group has no such column, or has it in another file. */
function columnChunk({ columns }: RowGroup, name: string): ColumnMetaData | null {
  const chunk = columns.find(
    ({ meta_data }) => meta_data?.path_in_schema.length === 1 && meta_data.path_in_schema[0] === name,
  );
  return chunk?.file_path === undefined ? (chunk?.meta_data ?? null) : null;
}

function decoderOf(chunk: ColumnMetaData, schemaPath: SchemaTree[], zstd: ZSTDDecoder): Decoder {
  const column = schemaPath[1];
  if (column === undefined) throw new Error('a path without its column');
  return {
    pathInSchema: chunk.path_in_schema,
    type: 'BYTE_ARRAY',
    element: column.element,
    schemaPath,
    codec: chunk.codec,
    parsers: { ...DEFAULT_PARSERS, stringFromBytes: text },
    compressors: unpackers(zstd),
  };
}

/** Prefers Node's own, which are faster; nothing may unpack to more than its header claims. */
function unpackers(zstd: ZSTDDecoder): Compressors {
  const own: Compressors = {
    ...compressors,
    GZIP: (packed, maxOutputLength) => zlib.gunzipSync(packed, { maxOutputLength }),
    BROTLI: (packed, maxOutputLength) => zlib.brotliDecompressSync(packed, { maxOutputLength }),
    ZSTD: (packed, length) => zstd.decode(packed, length),
  };
  // A page without values holds no packed bytes.
  const unlessEmpty =
    (unpack: (packed: Uint8Array, length: number) => Uint8Array) => (packed: Uint8Array, length: number) =>
      length === 0 ? packed.subarray(0, 0) : unpack(packed, length);
  return Object.fromEntries(Object.entries(own).map(([codec, unpack]) => [codec, unlessEmpty(unpack)]));
}

function text(bytes: Uint8Array | undefined): string {
  if (bytes === undefined || !isUtf8(bytes)) throw new Error('a value is not valid UTF-8');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

interface PageTexts {
  readonly texts: readonly string[];
  /** Of the group, with this page. */
  readonly rowsRead: number;
}

/** Yields the texts of one row group, a page at a time. */
function* groupTexts(
  file: string,
  source: OpenFile,
  chunk: ColumnMetaData,
  decoder: Decoder,
  rows: number,
): Generator<PageTexts> {
  if (chunk.codec !== 'UNCOMPRESSED' && decoder.compressors?.[chunk.codec] === undefined) {
    throw damagedParquet(
      file,
      `it is packed with ${chunk.codec}, which is not read: write it with zstd, snappy or gzip instead`,
    );
  }
  let dictionary: Values | undefined;
  let rowsRead = 0;
  for (const { header, body } of pages(file, source, chunk)) {
    const where = `the page of row ${rowsRead} of its group`;
    const count = header.data_page_header?.num_values ?? header.data_page_header_v2?.num_values ?? 0;
    const page = (): Values =>
      readPage({ view: new DataView(body.buffer), offset: 0 }, header, decoder, dictionary, undefined, 0).data ?? [];
    if (header.type === 'INDEX_PAGE') continue;
    if (header.type === 'DICTIONARY_PAGE') {
      const texts = header.dictionary_page_header?.num_values ?? -1;
      if (!(texts <= Math.min(MAX_VALUES, header.uncompressed_page_size / 4))) {
        throw damagedParquet(file, 'its dictionary cannot have as many texts as it says');
      }
      dictionary = parsed(file, where, () => convert(page(), decoder));
      continue;
    }
    if (!(count >= 0 && count <= Math.min(MAX_VALUES, rows - rowsRead)))
      throw damagedParquet(file, `${where} has ${count} values`);
    const values = parsed(file, where, page) as ArrayLike<unknown>;
    if (values.length !== count) throw damagedParquet(file, `${where} has ${values.length} values instead of ${count}`);
    rowsRead += count;
    yield { texts: present(file, values), rowsRead };
    if (rowsRead === rows) return;
  }
  throw damagedParquet(file, `a row group has ${rowsRead} rows of the ${rows} that it promises`);
}

/** Removes missing values. */
function present(file: string, values: ArrayLike<unknown>): string[] {
  return Array.from(values).filter((value): value is string => {
    if (typeof value === 'string') return true;
    if (value === null) return false;
    throw damagedParquet(file, 'it names a text that its dictionary does not have');
  });
}

interface Page {
  readonly header: PageHeader;
  readonly body: Uint8Array;
}

/** Yields the pages of a column chunk. */
function* pages(file: string, source: OpenFile, chunk: ColumnMetaData): Generator<Page> {
  const [data, dictionary] = [Number(chunk.data_page_offset), Number(chunk.dictionary_page_offset ?? 0)];
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const end = start + Number(chunk.total_compressed_size);
  if (!(start >= 4 && end >= start && end <= source.byteLength))
    throw damagedParquet(file, 'a column lies outside of it');
  for (let position = start; position < end;) {
    const { header, length } = pageHeader(file, source, position, end);
    position += length;
    const { compressed_page_size: packed, uncompressed_page_size: unpacked } = header;
    const most = Math.min(MAX_PAGE, Math.max(FREE_PAGE, MAX_PAGE_RATIO * packed));
    if (!(packed >= 0 && packed <= end - position && unpacked >= 0 && unpacked <= most)) {
      throw damagedParquet(file, `a page would have ${packed} bytes, unpacked ${unpacked}`);
    }
    const body = bytesAt(source, position, packed);
    position += packed;
    yield { header, body };
  }
}

/** Parses a header of some dozen bytes, or more with statistics. */
function pageHeader(
  file: string,
  source: OpenFile,
  position: number,
  end: number,
): { header: PageHeader; length: number } {
  for (let size = 1 << 8; ; size <<= 4) {
    const bytes = bytesAt(source, position, Math.min(size, end - position));
    const reader = { view: new DataView(bytes.buffer), offset: 0 };
    try {
      return { header: parquetHeader(reader), length: reader.offset };
    } catch (error) {
      if (bytes.length === end - position || size >= MAX_PAGE_HEADER) {
        throw damagedParquet(file, 'a page has no readable header', error);
      }
    }
  }
}

const quoted = (name: string): string => JSON.stringify(shorten(name, 40));

/** Blames any error of the library on the file. */
function parsed<T>(file: string, where: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const why = shorten(error instanceof Error ? error.message : String(error));
    throw damagedParquet(file, `${where} cannot be read: ${why}`, error);
  }
}

const unusable = (message: string, hint: Sentence): UserError =>
  new UserError({ code: 'bad_input', message, hint, field: 'text_field' });
