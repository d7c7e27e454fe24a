/** Parquet: structure in Thrift, pages with encodings and packings of their own; hyparquet reads again what was read. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { decompress as unzstd } from 'fzstd';
import { parquetReadObjects } from 'hyparquet';
import { readTexts } from '../../../main/storage/texts/text-input.js';
import { asLines } from '../as-lines.js';
import { readRepositoryFile } from '../places.js';
import { type Sample, type Subject, unknown } from '../subject.js';

const footerStart = (file: Buffer): number => file.length - 8 - file.readUInt32LE(file.length - 8);

const sample = (name: string): Sample => {
  const bytes = readRepositoryFile(`tests/storage/texts/inputs/${name}.parquet`);
  return { name: `${name}.parquet`, bytes, structure: [[footerStart(bytes), bytes.length]] };
};

/** Thrift's compact protocol: an unsigned number, a signed one, and structs from their fields. */
function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}
const zigzag = (value: number): Buffer => varint(value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value));

type Value =
  | number
  | string
  | { readonly struct: Fields }
  | { readonly list: readonly Value[] }
  | { readonly raw: Buffer; readonly type: number };
type Fields = Readonly<Record<number, Value>>;
/** i32: what page headers have, and what a reader of i64 fields takes as well. */
const I32 = 5;
const I64 = 6;
const [BINARY, LIST, STRUCT] = [8, 9, 12];

function encoded(value: Value): { type: number; bytes: Buffer } {
  if (typeof value === 'number') return { type: I32, bytes: zigzag(value) };
  if (typeof value === 'string')
    return { type: BINARY, bytes: Buffer.concat([varint(value.length), Buffer.from(value)]) };
  if ('raw' in value) return { type: value.type, bytes: value.raw };
  if ('struct' in value) return { type: STRUCT, bytes: struct(value.struct) };
  const items = value.list.map(encoded);
  const head = Buffer.concat([Buffer.from([0xf0 | (items[0]?.type ?? STRUCT)]), varint(items.length)]);
  return { type: LIST, bytes: Buffer.concat([head, ...items.map(({ bytes }) => bytes)]) };
}

function struct(fields: Fields): Buffer {
  const parts = Object.entries(fields).map(([id, value]) => {
    const { type, bytes } = encoded(value);
    return Buffer.concat([Buffer.from([type]), zigzag(Number(id)), bytes]);
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
}

const SCHEMA: Value = { list: [{ struct: { 4: 'schema', 5: 1 } }, { struct: { 1: 6, 3: 0, 4: 'text' } }] };
const codecs = { plain: 0, snappy: 1, gzip: 2, zstd: 6 } as const;

interface Forged {
  readonly pages: Buffer;
  readonly rows: number;
  readonly codec?: number;
  readonly groups?: number;
  readonly compressedSize?: number;
}

/** A file with one column, `text`, and pages of one's own. */
function forged({ pages, rows, codec = 0, groups = 1, compressedSize = pages.length }: Forged): Buffer {
  const chunk: Value = {
    struct: { 2: 4, 3: { struct: { 1: 6, 3: { list: ['text'] }, 4: codec, 5: rows, 7: compressedSize, 9: 4 } } },
  };
  const group: Value = { struct: { 1: { list: [chunk] }, 3: rows } };
  return file(pages, struct({ 1: 1, 2: SCHEMA, 3: rows, 4: { list: new Array<Value>(groups).fill(group) } }));
}

function file(pages: Buffer, footer: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from('PAR1'), pages, footer, length, Buffer.from('PAR1')]);
}

const page = (body: Buffer, values: number, encoding = 0, unpacked = body.length): Buffer =>
  Buffer.concat([
    struct({ 1: 0, 2: unpacked, 3: body.length, 5: { struct: { 1: values, 2: encoding, 3: 3, 4: 3 } } }),
    body,
  ]);
const dictionaryPage = (body: Buffer, values: number): Buffer =>
  Buffer.concat([struct({ 1: 2, 2: body.length, 3: body.length, 7: { struct: { 1: values, 2: 0 } } }), body]);
const plain = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};
/** A run of one value in Parquet's mix of runs. */
const run = (count: number, ...value: number[]): Buffer => Buffer.concat([varint(2 * count), Buffer.from(value)]);
const PAGES = 20_000;
const TEXT = 'a text '.repeat(15_000);
const zeros = (): Buffer => Buffer.alloc(64 << 20);
/** 4096 blocks of 128 KB, each the same byte again and again. */
const zstdBomb = (): Buffer => {
  const block = (isLast: boolean) =>
    Buffer.from([(isLast ? 1 : 0) | 2 | ((0x20000 << 3) & 0xff), (0x20000 >> 5) & 0xff, (0x20000 >> 13) & 0xff, 0x41]);
  return Buffer.concat([Buffer.from('28b52ffd0058', 'hex'), Buffer.alloc(4 * 4095, block(false)), block(true)]);
};

export const parquet: Subject = {
  name: 'parquet',
  // Ended after ten seconds, or when it has taken three quarters of a gigabyte (main/storage/texts/hostile-file.ts).
  limits: { cpuMs: 15_000, memory: 1 << 30 },
  samples: [
    ...['large_string', 'v2_required', 'delta_byte_array'].map(sample),
    ...['snappy_dictionary', 'v2_zstd', 'gzip', 'plain'].map((name) => ({ ...sample(name), onlyRandom: true })),
  ],
  bombs: {
    'more rows than there are': () => forged({ pages: page(plain('a'), 1), rows: 2 ** 50 }),
    'a page of 2^31 rows': () => forged({ pages: page(Buffer.concat([plain('a')]), 2 ** 31 - 1), rows: 2 ** 31 - 1 }),
    'a page of 2^31 bytes': () => forged({ pages: page(plain('a'), 1, 0, 2 ** 31 - 1), rows: 1, codec: codecs.snappy }),
    'a page of -1 bytes': () => forged({ pages: page(plain('a'), 1, 0, -1), rows: 1 }),
    'a page of 64 MB in gzip': () =>
      forged({ pages: page(gzipSync(zeros()), 1, 0, 64 << 20), rows: 1, codec: codecs.gzip }),
    'a page of 500 MB in zstd': () => forged({ pages: page(zstdBomb(), 1, 0, 1000), rows: 1, codec: codecs.zstd }),
    'a page that unpacks to more than it says': () =>
      forged({ pages: page(gzipSync(zeros()), 1, 0, 1000), rows: 1, codec: codecs.gzip }),
    'a snappy page that says 2^32': () =>
      forged({ pages: page(Buffer.from('ffffffff0f00', 'hex'), 1, 0, 2 ** 31 - 1), rows: 1, codec: codecs.snappy }),
    'a dictionary of 2^31 texts': () =>
      forged({ pages: Buffer.concat([dictionaryPage(plain('a'), 2 ** 31 - 1), page(run(1, 0), 1, 8)]), rows: 1 }),
    'one text that is repeated for ever': () =>
      forged({
        pages: Buffer.concat([
          dictionaryPage(plain(TEXT), 1),
          page(Buffer.concat([Buffer.from([1]), run(1_000_000, 0)]), 1_000_000, 8),
        ]),
        rows: 1_000_000,
      }),
    'a run of 2^31 indices, which hyparquet makes a list of': () =>
      forged({
        pages: Buffer.concat([
          dictionaryPage(plain('a'), 1),
          page(Buffer.concat([Buffer.from([1]), run(2 ** 31 - 1, 0)]), 1, 8),
        ]),
        rows: 1,
      }),
    'texts that all begin with the first': () =>
      forged({
        pages: page(
          Buffer.concat([
            sameLengthsButFirst(100_000, TEXT.length),
            firstLengthOnly(100_000, TEXT.length),
            Buffer.from(TEXT),
          ]),
          100_000,
          7,
        ),
        rows: 100_000,
      }),
    'very many row groups of the same pages': () => forged({ pages: page(plain(TEXT), 1), rows: 1, groups: 20_000 }),
    'very many row groups without pages': () =>
      forged({ pages: page(plain('a'), 1), rows: 0, groups: 120_000, compressedSize: 0 }),
    'a list of 2^31 fields': () =>
      file(Buffer.alloc(0), struct({ 2: { type: LIST, raw: Buffer.from('fcffffffff07', 'hex') } })),
    'a list of 2^25 fields in each of many': () =>
      file(
        Buffer.alloc(0),
        struct(
          Object.fromEntries(
            Array.from({ length: 60 }, (_, i) => [i + 20, { type: LIST, raw: Buffer.from('f9ffffff0fff', 'hex') }]),
          ),
        ),
      ),
    'lists in lists': () => file(Buffer.alloc(0), struct({ 20: { type: LIST, raw: Buffer.alloc(500_000, 0x19) } })),
    'structs in structs': () => file(Buffer.alloc(0), Buffer.alloc(500_000, 0x1c)),
    'a number without an end': () =>
      file(Buffer.alloc(0), struct({ 1: { type: I64, raw: Buffer.alloc(500_000, 0xff) } })),
    'a name of 2^32': () =>
      file(
        Buffer.alloc(0),
        struct({ 2: { list: [{ struct: { 4: { type: BINARY, raw: Buffer.from('ffffffff0f', 'hex') } } }] } }),
      ),
    'very many columns': () =>
      file(Buffer.alloc(0), struct({ 2: { list: new Array<Value>(200_000).fill({ struct: {} }) }, 4: { list: [] } })),
    'a column of a group of 2^31': () =>
      file(
        Buffer.alloc(0),
        struct({ 2: { list: [{ struct: { 5: 2 ** 31 - 1 } }, { struct: { 4: 'text', 5: 2 ** 31 - 1 } }] } }),
      ),
    'no footer': () => Buffer.from('PAR1PAR1PAR1'),
    'a footer longer than the file': () =>
      Buffer.concat([Buffer.from('PAR1'), Buffer.from('ffffff7f', 'hex'), Buffer.from('PAR1')]),
  },
  burdens: {
    'a million rows that are the same': () =>
      forged({
        pages: Buffer.concat([
          dictionaryPage(plain('abc'), 1),
          page(Buffer.concat([Buffer.from([1]), run(1 << 20, 0)]), 1 << 20, 8),
        ]),
        rows: 1 << 20,
      }),
    'very many pages': () =>
      forged({ pages: Buffer.concat(new Array<Buffer>(PAGES).fill(page(plain('a'), 1))), rows: PAGES }),
    'a name that is a prototype': () =>
      file(
        page(plain('a'), 1),
        struct({
          2: {
            list: [
              { struct: { 4: '__proto__', 5: 2 } },
              { struct: { 1: 6, 3: 0, 4: 'text' } },
              { struct: { 1: 6, 3: 0, 4: '__proto__' } },
            ],
          },
          3: 0,
          4: { list: [] },
        }),
      ),
  },
  words: [
    'text',
    '__proto__',
    varint(2 ** 31 - 1),
    varint(2n ** 64n),
    zigzag(-1),
    Buffer.alloc(12, 0xff),
    Buffer.from([0x19, 0xfc, 0xff, 0xff, 0x03]),
    Buffer.from([0x15, 0x00]),
    Buffer.from([0x1c]),
  ],
  inside: {
    get: (bytes) => bytes.subarray(footerStart(bytes), bytes.length - 8),
    put: (footer, bytes) => file(bytes.subarray(4, footerStart(bytes)), footer),
  },
  async read(bytes, _, folder) {
    const file = join(folder, 'texts.parquet');
    writeFileSync(file, bytes);
    const hash = createHash('sha256');
    let length = 0;
    for await (const { text } of readTexts([file])) {
      hash.update(text);
      length += text.length;
    }
    return `${length} ${hash.digest('hex').slice(0, 16)}`;
  },
  async again(bytes) {
    const buffer = {
      byteLength: bytes.length,
      slice: (from: number, to?: number) => Uint8Array.from(bytes.subarray(from, to)).buffer,
    };
    const compressors = {
      GZIP: (packed: Uint8Array) => gunzipSync(packed),
      BROTLI: (packed: Uint8Array) => brotliDecompressSync(packed),
      ZSTD: (packed: Uint8Array) => unzstd(packed),
    };
    try {
      const rows = await parquetReadObjects({ file: buffer, columns: ['text'], compressors });
      return digest(rows.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])));
    } catch {
      // It also reads what other columns, and statistics, are said to be.
      return unknown;
    }
  },
};

const digest = (texts: readonly string[]): string => {
  const all = asLines(texts);
  return `${all.length} ${createHash('sha256').update(all).digest('hex').slice(0, 16)}`;
};

/** Lengths of prefixes: none for the first text, all of it for the others. */
function sameLengthsButFirst(count: number, length: number): Buffer {
  const first = Buffer.concat([zigzag(0), Buffer.from([32]), firstDelta(length)]);
  const rest = Buffer.alloc(2 * Math.ceil((count - 129) / 128), Buffer.concat([zigzag(0), Buffer.from([0])]));
  return Buffer.concat([varint(128), varint(1), varint(count), zigzag(0), first, rest]);
}

/** Lengths of what follows the prefixes: the whole of the first text, nothing of the others. */
function firstLengthOnly(count: number, length: number): Buffer {
  const first = Buffer.concat([zigzag(-length), Buffer.from([32]), firstDelta(0, length)]);
  const rest = Buffer.alloc(2 * Math.ceil((count - 129) / 128), Buffer.concat([zigzag(0), Buffer.from([0])]));
  return Buffer.concat([varint(128), varint(1), varint(count), zigzag(length), first, rest]);
}

/** 128 numbers of 32 bits. */
function firstDelta(first: number, others = 0): Buffer {
  const bytes = Buffer.alloc(512);
  for (let i = 0; i < 128; i++) bytes.writeUInt32LE(i === 0 ? first : others, 4 * i);
  return bytes;
}
