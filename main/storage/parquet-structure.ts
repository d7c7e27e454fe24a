/**
 * What a Parquet file says of itself: its columns, where the pages of one of them lie, and the header of each page. It is
 * written in Thrift's compact protocol, of which a few fields are taken and the rest is passed over, so that no count in
 * a damaged file costs more than the bytes that are there. (Apache Parquet, parquet.thrift; Thrift, compact protocol.)
 */
import { Cursor, PageError } from './parquet-values.js';

export interface ParquetColumn {
  readonly name: string;
  /** The physical type; null for a group of columns. */
  readonly type: string | null;
  readonly repetition: 'REQUIRED' | 'OPTIONAL' | 'REPEATED';
}

/** The pages of one column in one row group. */
export interface ColumnChunk {
  readonly codec: string;
  readonly dataPageOffset: number;
  readonly dictionaryPageOffset: number;
  readonly compressedSize: number;
  /** The pages are in another file. */
  readonly isElsewhere: boolean;
}

export interface RowGroup {
  readonly rows: number;
  /** Null when the group has no such column. */
  readonly chunk: ColumnChunk | null;
}

export interface ParquetStructure {
  /** Those of the first level. */
  readonly columns: readonly ParquetColumn[];
  readonly rowGroups: readonly RowGroup[];
}

export interface PageHeader {
  readonly type: 'DATA' | 'INDEX' | 'DICTIONARY' | 'DATA_V2';
  /** In bytes. */
  readonly unpackedSize: number;
  readonly packedSize: number;
  readonly values: number;
  readonly encoding: string;
  /** Of a page of the second version; 0 otherwise. */
  readonly definitionSize: number;
  readonly repetitionSize: number;
  readonly isPacked: boolean;
}

const types = ['BOOLEAN', 'INT32', 'INT64', 'INT96', 'FLOAT', 'DOUBLE', 'BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY'];
const repetitions = ['REQUIRED', 'OPTIONAL', 'REPEATED'] as const;
const codecs = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'LZO', 'BROTLI', 'LZ4', 'ZSTD', 'LZ4_RAW'];
const pageTypes = ['DATA', 'INDEX', 'DICTIONARY', 'DATA_V2'] as const;
const encodings: Readonly<Record<number, string>> = {
  ...{ 0: 'PLAIN', 2: 'PLAIN_DICTIONARY', 3: 'RLE', 4: 'BIT_PACKED', 5: 'DELTA_BINARY_PACKED' },
  ...{ 6: 'DELTA_LENGTH_BYTE_ARRAY', 7: 'DELTA_BYTE_ARRAY', 8: 'RLE_DICTIONARY', 9: 'BYTE_STREAM_SPLIT' },
};

/** Far more than files have; each takes memory, however few bytes it has. */
const MOST_ROW_GROUPS = 1 << 16;
const MOST_COLUMNS = 1 << 15;

/**
 * The structure at the end of a file, as far as one column needs it.
 * @throws PageError when it is none
 */
export function readStructure(footer: Buffer, column: string): ParquetStructure {
  const schema: SchemaElement[] = [];
  const rowGroups: RowGroup[] = [];
  let rows = -1;
  readStruct(new Cursor(footer), 0, {
    2: structs((cursor, depth) => schema.push(schemaElement(cursor, depth)) <= MOST_COLUMNS),
    3: number((value) => (rows = value)),
    4: structs((cursor, depth) => rowGroups.push(rowGroup(cursor, depth, column)) <= MOST_ROW_GROUPS),
  });
  const inGroups = rowGroups.reduce((sum, group) => sum + group.rows, 0);
  if (rows !== inGroups) throw new PageError(`it has ${rows} rows, its groups ${inGroups}`);
  return { columns: firstLevel(schema), rowGroups };
}

/** @throws PageError when it is none, or continues beyond the bytes that there are */
export function readPageHeader(cursor: Cursor): PageHeader {
  const found = { unpackedSize: -1, packedSize: -1, values: -1, definitionSize: 0, repetitionSize: 0, isPacked: true };
  let [pageType, encoding] = [-1, -1];
  const values = number((value) => (found.values = value));
  const encoded = number((value) => (encoding = value));
  readStruct(cursor, 0, {
    1: number((value) => (pageType = value)),
    2: number((value) => (found.unpackedSize = value)),
    3: number((value) => (found.packedSize = value)),
    5: struct({ 1: values, 2: encoded }),
    7: struct({ 1: values, 2: encoded }),
    8: struct({
      1: values,
      4: encoded,
      5: number((value) => (found.definitionSize = value)),
      6: number((value) => (found.repetitionSize = value)),
      7: { types: [TRUE, FALSE], take: (_, __, type) => (found.isPacked = type === TRUE) },
    }),
  });
  const type = pageTypes[pageType];
  if (type === undefined) throw new PageError('a page of an unknown kind');
  return { ...found, type, encoding: encodings[encoding] ?? `number ${encoding}` };
}

interface SchemaElement extends ParquetColumn {
  readonly children: number;
}

function schemaElement(cursor: Cursor, depth: number): SchemaElement {
  let [name, type, repetition, children]: [string, string | null, number, number] = ['', null, 0, 0];
  readStruct(cursor, depth, {
    1: number((value) => (type = types[value] ?? null)),
    3: number((value) => (repetition = value)),
    4: text((value) => (name = value)),
    5: number((value) => (children = value)),
  });
  return { name, type, repetition: repetitions[repetition] ?? 'REPEATED', children };
}

/** The schema lists a tree from its root down, each element before its children. */
function firstLevel([root, ...rest]: readonly SchemaElement[]): ParquetColumn[] {
  const columns: ParquetColumn[] = [];
  /** How many elements are still to come below the last of `columns`. */
  let below = 0;
  for (const { name, type, repetition, children } of rest) {
    if (children < 0) break;
    if (below > 0) below--;
    else columns.push({ name, type: children > 0 ? null : type, repetition });
    below += children;
  }
  if (below !== 0 || columns.length !== root?.children) throw new PageError('its columns do not fit together');
  return columns;
}

function rowGroup(cursor: Cursor, depth: number, column: string): RowGroup {
  let rows = -1;
  let chunk: ColumnChunk | null = null;
  readStruct(cursor, depth, {
    1: structs((inner, below) => {
      chunk = columnChunk(inner, below, column) ?? chunk;
      return true;
    }),
    3: number((value) => (rows = value)),
  });
  if (!Number.isSafeInteger(rows) || rows < 0) throw new PageError(`a row group has ${rows} rows`);
  return { rows, chunk };
}

/** Null when it is another column's. */
function columnChunk(cursor: Cursor, depth: number, column: string): ColumnChunk | null {
  const found = { compressedSize: -1, dataPageOffset: -1, dictionaryPageOffset: 0, isElsewhere: false };
  const path: string[] = [];
  let codec = -1;
  readStruct(cursor, depth, {
    1: text(() => (found.isElsewhere = true)),
    3: struct({
      3: {
        types: [LIST],
        take: (inner, below) =>
          readList(
            inner,
            below,
            text((part) => path.push(part)),
          ),
      },
      4: number((value) => (codec = value)),
      7: number((value) => (found.compressedSize = value)),
      9: number((value) => (found.dataPageOffset = value)),
      11: number((value) => (found.dictionaryPageOffset = value)),
    }),
  });
  if (path.length !== 1 || path[0] !== column) return null;
  return { ...found, codec: codecs[codec] ?? `number ${codec}` };
}

/** Types of the compact protocol. */
const [STOP, TRUE, FALSE, BYTE, I16, I32, I64] = [0, 1, 2, 3, 4, 5, 6];
const [DOUBLE, BINARY, LIST, SET, STRUCT] = [7, 8, 9, 10, 12];
const DEEPEST = 24;

/** How a field is read when it has one of these types; with another it is passed over. */
interface Field {
  readonly types: readonly number[];
  take(cursor: Cursor, depth: number, type: number): unknown;
}
type Fields = Readonly<Record<number, Field>>;

const number = (put: (value: number) => unknown): Field => ({
  types: [I16, I32, I64],
  take: (cursor) => put(cursor.zigzag()),
});
const text = (put: (value: string) => unknown): Field => ({
  types: [BINARY],
  take: (cursor) => put(cursor.take(cursor.varint()).toString('utf8')),
});
const struct = (fields: Fields): Field => ({
  types: [STRUCT],
  take: (cursor, depth) => readStruct(cursor, depth, fields),
});
/** @param take reads one struct; false when there are too many */
const structs = (take: (cursor: Cursor, depth: number) => boolean): Field => ({
  types: [LIST],
  take: (cursor, depth) =>
    readList(cursor, depth, {
      types: [STRUCT],
      take(inner, below) {
        if (!take(inner, below)) throw new PageError('it has more parts than a file has');
      },
    }),
});

function readStruct(cursor: Cursor, depth: number, fields: Fields): void {
  if (depth > DEEPEST) throw new PageError('it is nested too deeply');
  for (let id = 0; ;) {
    const head = cursor.byte();
    const type = head & 0x0f;
    if (type === STOP) return;
    id = head < 0x10 ? cursor.zigzag() : id + (head >> 4);
    const field = Object.hasOwn(fields, id) ? fields[id] : undefined;
    if (field?.types.includes(type) === true) field.take(cursor, depth + 1, type);
    else pass(cursor, depth + 1, type);
  }
}

function readList(cursor: Cursor, depth: number, item: Field): void {
  if (depth > DEEPEST) throw new PageError('it is nested too deeply');
  const head = cursor.byte();
  const type = head & 0x0f;
  const count = head >> 4 === 15 ? cursor.varint() : head >> 4;
  // Each item has a byte at least.
  if (count > cursor.left) throw new PageError('it ends too early');
  for (let i = 0; i < count; i++) {
    if (item.types.includes(type)) item.take(cursor, depth + 1, type);
    else if (type === TRUE || type === FALSE) cursor.byte();
    else pass(cursor, depth + 1, type);
  }
}

/** Goes past a value without keeping it. */
function pass(cursor: Cursor, depth: number, type: number): void {
  switch (type) {
    case TRUE:
    case FALSE:
      return;
    case BYTE:
      cursor.byte();
      return;
    case I16:
    case I32:
    case I64:
      cursor.varint();
      return;
    case DOUBLE:
      cursor.take(8);
      return;
    case BINARY:
      cursor.take(cursor.varint());
      return;
    case LIST:
    case SET:
      readList(cursor, depth, { types: [], take: () => undefined });
      return;
    case STRUCT:
      readStruct(cursor, depth, {});
      return;
    default:
      throw new PageError('it holds what Parquet has no use for');
  }
}
