// Texts in JSON Lines and Parquet files, packed or not: the same text whichever way it is kept, and a clear word about
// every file that is damaged, lies about its size, or holds something else.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as zlib from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../shared/errors.js';
import { JsonRecords } from '../../../main/storage/texts/extract/json-records.js';
import { describeInputs, type InputFacts, readTexts } from '../../../main/storage/texts/read-texts.js';
import type { ExtractOptions } from '../../../main/storage/texts/extract/extract.js';
import { inEnglish } from '../../support/messages.js';
import { faultOfAsync } from '../fault-of.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => path.join(folder, name);
const fixture = (name: string): string => path.join(import.meta.dirname, 'inputs', name);
const fixtureTexts = JSON.parse(fs.readFileSync(fixture('texts.json'), 'utf8')) as (string | null)[];

/** Records as one text: each on a line of its own, "\n" for "\r\n". */
const joined = (texts: readonly (string | null)[]): string =>
  texts
    .map((text) => (text ?? '').replace(/\r\n?/g, '\n'))
    .filter((text) => text !== '')
    .reduce((all, text) => (all === '' || all.endsWith('\n') ? all + text : `${all}\n${text}`), '');

async function read(files: readonly string[], options: ExtractOptions = {}): Promise<string> {
  let text = '';
  for await (const piece of readTexts(files, options)) text += piece.text;
  return text;
}
function write(name: string, bytes: string | Uint8Array): string {
  fs.writeFileSync(at(name), bytes);
  return at(name);
}

describe('JSON Lines', () => {
  it('are one text, each record on lines of its own, however much is read at a time', async () => {
    const record = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replace(/\r/g, ''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 6 }),
        fc.integer({ min: 1, max: 30 }),
        async (texts, pieceBytes) => {
          const file = write('a.jsonl', texts.map((text) => `${JSON.stringify({ id: 1, text })}\n`).join(''));
          expect(await read([file], { pieceBytes })).toBe(joined(texts));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('may lack the last line break, have empty lines, Windows line ends, a mark, nulls, and another field', async () => {
    const rows = '\ufeff{"body": "one\\r\\ntwo"}\r\n\r\n{"body": null}\n{"text": 1, "body": "\\ud83d!"}';
    expect(await read([write('b.ndjson', rows)], { textField: 'body' })).toBe('one\ntwo\n\ufffd!');
  });

  it('that are not, are refused with their line', async () => {
    const fault = (rows: string, options = {}) => faultOfAsync(read([write('c.jsonl', rows)], options));
    // Longer than a line may be, though it came in one piece.
    const records = new JsonRecords('c.jsonl', 'text');
    expect(() => records.push(`{"text": "${'x'.repeat(1 << 23)}"}\n`)).toThrow(/line 1 is longer than 8388608/);
    expect((await fault('{"text": "a"}\n{"text": b}\n')).message).toContain('c.jsonl: line 2 is not JSON');
    expect((await fault('{"text": "a"}\n[1]\n')).message).toContain('line 2 is not a JSON object');
    expect((await fault('{"text": 3}\n')).message).toContain('line 1 has no text in its field "text"');
    expect(await fault('{"id": 1, "__proto__": {"text": "x"}}\n')).toMatchObject({
      code: 'bad_input',
      field: 'text_field',
      message: expect.stringContaining('line 1 has no field "text"; its fields are "id", "__proto__"') as unknown,
    });
    expect((await fault('{"text": "a"}\n', { textField: 'toString' })).message).toContain('no field "toString"');
  });
});

describe('Parquet', () => {
  it.each([
    'snappy_dictionary',
    'plain',
    'required',
    'statistics_index',
    'gzip',
    'brotli',
    'zstd',
    'lz4',
    'delta_length_byte_array',
    'delta_byte_array',
    'v2_zstd',
    'v2_required',
    'large_string',
  ])('%s: gives its texts in order', async (name) => {
    expect(await read([fixture(`${name}.parquet`)])).toBe(joined(fixtureTexts));
  });

  it('is refused when it is packed as a whole, and read without rows', async () => {
    const packed = write('p.parquet.gz', zlib.gzipSync(fs.readFileSync(fixture('plain.parquet'))));
    expect((await faultOfAsync(read([packed]))).message).toContain('it is packed with gzip: unpack it first');
    expect(await read([fixture('empty.parquet')])).toBe('');
  });

  it('that has no such column, no text in it, or a packing that is not read: says so', async () => {
    const fault = (name: string, textField?: string) => faultOfAsync(read([fixture(name)], { textField }));
    expect(await fault('plain.parquet', 'body')).toMatchObject({
      code: 'bad_input',
      field: 'text_field',
      message: expect.stringContaining('plain.parquet has no column "body"') as unknown,
      hint: expect.stringContaining('Columns of text: "text"') as unknown,
    });
    for (const column of ['id', 'tags']) {
      expect((await fault('plain.parquet', column)).message).toContain(`the column "${column}" contains no plain text`);
    }
    const lz4 = fs.readFileSync(fixture('lz4.parquet')).toString('latin1');
    const packedWith = (codec: string): string =>
      write('codec.parquet', Buffer.from(lz4.replaceAll('text\x15\x0e', `text\x15${codec}`), 'latin1'));
    const lzo = await faultOfAsync(read([packedWith('\x06')]));
    expect(lzo.message).toContain('LZO');
    // The older of the two kinds of LZ4 may lack Hadoop's frame, and is the newer one then.
    expect(await read([packedWith('\x0a')])).toBe(joined(fixtureTexts));
  });

  // Every cut, and bytes changed at random: what hyparquet cannot end is ended.
  it.each(['snappy_dictionary', 'delta_byte_array', 'v2_zstd', 'plain', 'lz4'])(
    '%s damaged in any way: a clear error or other text, in bounded time and memory',
    async (name) => {
      const whole = fs.readFileSync(fixture(`${name}.parquet`));
      const attempt = async (bytes: Uint8Array): Promise<void> => {
        const before = process.cpuUsage();
        try {
          await read([write(`${name}.bad.parquet`, bytes)]);
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          expect(['file_damaged', 'bad_input', 'text_encoding']).toContain(error.code);
        }
        const { user, system } = process.cpuUsage(before);
        expect(user + system, 'microseconds').toBeLessThan(15_000_000);
      };
      const before = process.memoryUsage.rss();
      for (let length = 0; length < whole.length; length += 37) await attempt(whole.subarray(0, length));
      const footer = whole.readUInt32LE(whole.length - 8) + 8;
      const places = fc.oneof(
        fc.nat(whole.length - 1),
        fc.nat(footer).map((back) => whole.length - 1 - back),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(places, fc.nat(255)), { minLength: 1, maxLength: 3 }), async (changes) => {
          const bytes = Buffer.from(whole);
          for (const [place, value] of changes) bytes[place] = value;
          await attempt(bytes);
        }),
        { numRuns: 150 },
      );
      // A worker that was ended gives its memory back in its own time.
      await expect.poll(() => process.memoryUsage.rss() - before).toBeLessThan(1 << 30);
    },
  );
});

/**
 * Files that keep hyparquet busy for ever, or make it take memory without end: the first page of a file without missing
 * texts, read as another encoding than it is in.
 * @param encoding as in a page's header; @param values the bytes where the page's values begin
 */
function reencoded(name: string, encoding: number, values: readonly number[]): string {
  const bytes = fs.readFileSync(fixture('required.parquet'));
  const firstText = bytes.indexOf('Call me');
  // A page's header: its encoding, PLAIN, and those of two kinds of levels, RLE; each an i32, zigzag.
  const inHeader = bytes.lastIndexOf(Buffer.from([0x15, 0, 0x15, 6, 0x15, 6]), firstText);
  bytes[inHeader + 1] = 2 * encoding;
  bytes.set(values, firstText - 4);
  return write(name, bytes);
}
const minusOne = [0xff, 0xff, 0xff, 0xff, 0x0f];

describe('a file that a library cannot end with', () => {
  it('and sends nothing: its reader is ended, the file is refused as damaged, and the next one is read', async () => {
    // DELTA_LENGTH_BYTE_ARRAY with −1 small blocks in a block: each one that is read steps back to where it began.
    const endless = reencoded('endless.parquet', 6, [0x80, 1, ...minusOne, 0, 0, 0]);
    const before = Date.now();
    const fault = await faultOfAsync(read([endless]));
    expect(fault).toMatchObject({ code: 'file_damaged', field: 'data_path' });
    expect(fault.message).toContain('it takes more time than a file of its kind');
    expect(Date.now() - before).toBeGreaterThan(7000);
    expect(await read([fixture('plain.parquet')])).toBe(joined(fixtureTexts));
  });

  it('and takes ever more memory: the same', async () => {
    // RLE_DICTIONARY: one run of 2³¹ − 1 indices, in a page of some dozen rows.
    const growing = reencoded('growing.parquet', 8, [1, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0]);
    const fault = await faultOfAsync(read([growing]));
    expect(fault).toMatchObject({ code: 'file_damaged', field: 'data_path' });
    expect(fault.message).toContain('it takes more memory than a file of its kind');
    expect(await read([fixture('plain.parquet')])).toBe(joined(fixtureTexts));
  });
});

describe('packed files', () => {
  const book = fs.readFileSync(fixture('book.txt'), 'utf8').replace(/\r\n/g, '\n');

  it('gzip and Zstandard give the text that was packed, in several parts too', async () => {
    const bytes = fs.readFileSync(fixture('book.txt'));
    const two = Buffer.concat([zlib.gzipSync(bytes.subarray(0, 1000)), zlib.gzipSync(bytes.subarray(1000))]);
    expect(await read([write('book.txt.gz', two)])).toBe(book);
    expect(await read([fixture('book.txt.zst')])).toBe(book);
    // What a file is, its bytes say, not its name.
    expect(await read([write('book', fs.readFileSync(fixture('book.txt.zst')))])).toBe(book);
    const rows = zlib.gzipSync('{"text": "one"}\n{"text": "two"}\n');
    expect(await read([write('rows.jsonl.gz', rows)])).toBe('one\ntwo');
    const utf16 = zlib.gzipSync(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('wide', 'utf16le')]));
    expect(await read([write('wide.gz', utf16)])).toBe('wide');
  });

  it('that are cut short or damaged are refused, wherever', async () => {
    for (const [name, whole] of [
      ['cut.gz', zlib.gzipSync(book)],
      ['cut.zst', fs.readFileSync(fixture('book.txt.zst'))],
    ] as const) {
      for (let length = 20; length < whole.length - 1; length += 13) {
        const fault = await faultOfAsync(read([write(name, whole.subarray(0, length))]));
        expect(fault).toMatchObject({ code: 'file_damaged', field: 'data_path' });
        expect(fault.message).toContain(`${name} cannot be unpacked`);
      }
    }
    const text = zlib.gzipSync(Buffer.concat([Buffer.from('éé'), Buffer.from([0xff, 0xff, 0x21])]));
    expect((await faultOfAsync(read([write('bad.gz', text)]))).message).toContain(
      `what is packed in ${at('bad.gz')} is not valid UTF-8: byte 4`,
    );
    const twice = zlib.gzipSync(zlib.gzipSync('x'));
    expect((await faultOfAsync(read([write('twice.gz', twice)]))).message).toContain('packed more than once');
  });

  it('that unpack to something enormous are refused before they do', async () => {
    const spaces = zlib.gzipSync(Buffer.alloc(96 << 20, ' '));
    expect(spaces.length).toBeLessThan(110_000);
    const before = process.memoryUsage.rss();
    const fault = await faultOfAsync(read([write('bomb.gz', spaces)]));
    expect(fault).toMatchObject({ code: 'bad_input', field: 'data_path' });
    expect(fault.message).toContain('unpacks to more than 250 times its size');
    // A Zstandard frame of 128 KiB blocks, each a run of one character in four bytes: 1 GiB from 32 KiB.
    const block = Buffer.from([2 | ((1 << 17) << 3), (1 << 17) >> 5, (1 << 17) >> 13, 0x20]);
    const frame = Buffer.concat([Buffer.from('28b52ffd0050', 'hex'), ...Array.from({ length: 8192 }, () => block)]);
    expect((await faultOfAsync(read([write('bomb.zst', frame)]))).message).toContain('more than 250 times');
    const wide = Buffer.from('28b52ffd00f8010000', 'hex');
    expect((await faultOfAsync(read([write('wide.zst', wide)]))).message).toContain('window');
    expect(process.memoryUsage.rss() - before).toBeLessThan(250 << 20);
  });
});

describe('several files', () => {
  it('are one text, each beginning a new line, with what they are in words', async () => {
    const files = [
      write('1.txt', 'one'),
      write('2.txt', ''),
      write('3.txt.gz', zlib.gzipSync('three\n')),
      write('4.jsonl', '{"text": "four"}\n{"text": "five"}\n'),
      write('5.txt', 'six'),
    ];
    const facts: InputFacts[] = [];
    expect(await read(files, { onFile: (one) => facts.push(one) })).toBe('one\nthree\nfour\nfive\nsix');
    expect(inEnglish(describeInputs(facts))).toBe(
      '5 files: plain text, UTF-8; plain text, gzip, UTF-8; JSON Lines, UTF-8, 2 texts',
    );
    expect(inEnglish(describeInputs(facts.slice(0, 1)))).toBe('plain text, UTF-8');
  });
});
