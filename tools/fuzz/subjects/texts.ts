/** Texts as they come: plain, JSON Lines, UTF-16, packed with gzip and Zstandard, whose checksums must be held to. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decompress as unzstd } from 'fzstd';
import { readTexts } from '../../../main/storage/texts/text-input.js';
import { asLines } from '../as-lines.js';
import { readRepositoryFile, samplesFile } from '../places.js';
import { readFileSync } from 'node:fs';
import type { Subject } from '../subject.js';

const text = readRepositoryFile('tests/storage/texts/inputs/book.txt').toString('utf8').slice(0, 700);
const rows = Buffer.from(
  `${['one', 'two\r\n', '中 \u{1f600}', '', 'the end'].map((line, i) => JSON.stringify({ id: i, text: line })).join('\n')}\n`,
);
const zst = readFileSync(samplesFile('checked.txt.zst'));
const MB = 1 << 20;

const header = Buffer.from('28b52ffd', 'hex');
const rle = (size: number, isLast: boolean): Buffer => {
  const head = (isLast ? 1 : 0) | 2 | (size << 3);
  return Buffer.from([head & 0xff, (head >> 8) & 0xff, (head >> 16) & 0xff, 0x61]);
};
const manyBlocks = (descriptor: string, size: number, count: number): Buffer =>
  Buffer.concat([header, Buffer.from(descriptor, 'hex'), Buffer.alloc(4 * count, rle(size, false)), rle(size, true)]);

const SMALL_BLOCKS = 'many small blocks.txt.zst';
const BLOCKS = 30_000;

export const texts: Subject = {
  name: 'texts',
  // Zstandard has a window of 128 MB at most, and a worker to begin with.
  limits: { cpuMs: 2000, memory: 256 << 20 },
  samples: [
    { name: 'plain.txt', bytes: Buffer.from(text) },
    { name: 'wide.txt', bytes: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text.slice(0, 150), 'utf16le')]) },
    { name: 'rows.jsonl', bytes: rows },
    { name: 'packed.txt.gz', bytes: gzipSync(text) },
    { name: 'rows.jsonl.gz', bytes: gzipSync(rows) },
    { name: 'packed.txt.zst', bytes: zst },
  ],
  bombs: {
    'a bomb.txt.gz': () => gzipSync(Buffer.alloc(200 * MB, 'a')),
    'a bomb in a bomb.txt.gz': () => gzipSync(gzipSync(Buffer.alloc(50 * MB))),
    'many small bombs.txt.gz': () => Buffer.concat(new Array<Buffer>(400).fill(gzipSync(Buffer.alloc(MB, 'a')))),
    'a bomb.txt.zst': () => manyBlocks('0058', 0x20000, 30_000),
    'a bomb of many frames.txt.zst': () =>
      Buffer.concat(new Array<Buffer>(20_000).fill(manyBlocks('0058', 0x20000, 0))),
    'a window of 2 TB.txt.zst': () => manyBlocks('00f8', 10, 1),
    'a length of 2^64.txt.zst': () => manyBlocks('e0ffffffffffffffff', 10, 1),
    'a block beyond its size.txt.zst': () => manyBlocks('0058', 0x1ffff8, 1),
    'skips more than there is.txt.zst': () => Buffer.from('502a4d18ffffffff00', 'hex'),
    'a dictionary.txt.zst': () => manyBlocks('015801', 10, 1),
    'a table of one symbol.txt.zst': () =>
      Buffer.concat([
        header,
        Buffer.from('0058', 'hex'),
        Buffer.from([0x5d, 0, 0]),
        Buffer.from('a23003050210ffffff0100', 'hex'),
      ]),
    'one line of 30 MB.jsonl': () => Buffer.from(`{"text":"${'a'.repeat(30 * MB)}"}\n`),
    'one line of 30 MB.jsonl.gz': () => gzipSync(`{"text":"${'a'.repeat(30 * MB)}"}\n`),
    'nesting.jsonl': () => Buffer.from(`{"text":${'['.repeat(4 * MB)}\n`),
    'objects in objects.jsonl': () => Buffer.from(`{"text":${'{"a":'.repeat(MB)}1${'}'.repeat(MB)}}\n`),
    'very many values.jsonl': () => Buffer.from(`{"text":"a","x":[${'[],'.repeat(2 * MB)}0]}\n`),
    'very many fields.jsonl': () => Buffer.from(`{${Array.from({ length: 300_000 }, (_, i) => `"f${i}":0`).join()}}\n`),
    'a text that is inherited.jsonl': () => Buffer.from('{"__proto__":{"text":"x"}}\n'),
    'zeros.txt': () => Buffer.alloc(100_000),
    'half a character.txt': () => Buffer.from([0xe4, 0xb8]),
    'an overlong character.txt': () => Buffer.from([0xc0, 0x80, 0x61]),
    'half a pair.txt': () => Buffer.from('fffe3dd86100', 'hex'),
  },
  burdens: {
    'a text without a line break.txt': () => Buffer.alloc(8 * MB, 'a'),
    'carriage returns.txt': () => Buffer.alloc(2 * MB, '\r'),
    'many empty lines.jsonl': () => Buffer.alloc(2 * MB, '\n'),
    [SMALL_BLOCKS]: () => manyBlocks('0070', 1, BLOCKS),
    'many empty blocks.txt.zst': () => manyBlocks('0088', 0, 60_000),
    'many empty frames.txt.gz': () => Buffer.concat(new Array<Buffer>(3000).fill(gzipSync(''))),
    'fields that are prototypes.jsonl': () =>
      Buffer.from('{"__proto__":1,"constructor":{"prototype":{"x":1}},"text":"a"}\n'),
  },
  words: [
    '{"text":"',
    '"}\n',
    '\n',
    '\r',
    '\ufeff',
    '\u0000',
    '\\ud83d',
    '__proto__',
    '{',
    '[',
    '1e999',
    Buffer.from('1f8b08', 'hex'),
    header,
    Buffer.from([0xff, 0xfe]),
    Buffer.from([0xf0, 0x9f, 0x98]),
  ],
  inside: {
    get: (file, name) => (name.endsWith('.gz') ? gunzipSync(file) : file),
    put: (inside, _, name) => (name.endsWith('.gz') ? gzipSync(inside) : inside),
  },
  async read(bytes, name, folder) {
    const file = join(folder, name.replace(/.*?(\.\w+(\.\w+)?)$/, 'input$1'));
    writeFileSync(file, bytes);
    const hash = createHash('sha256');
    let length = 0;
    for await (const piece of readTexts([file])) {
      hash.update(piece.text);
      length += piece.text.length;
    }
    return `${length} ${hash.digest('hex').slice(0, 16)}`;
  },
  again(bytes, name) {
    // For which fzstd takes half a minute.
    const unpacked = name === SMALL_BLOCKS ? Buffer.alloc(BLOCKS + 1, 'a') : unpack(bytes, name);
    if (unpacked === null) return null;
    const marked = unpacked.subarray(0, 2).equals(Buffer.from([0xff, 0xfe]))
      ? unpacked.toString('utf16le')
      : unpacked.toString('utf8');
    const swapped = unpacked.subarray(0, 2).equals(Buffer.from([0xfe, 0xff])) && unpacked.length % 2 === 0;
    const whole = (swapped ? Buffer.from(unpacked).swap16().toString('utf16le') : marked)
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n');
    let result = whole;
    if (/\.jsonl/.test(name)) {
      const found = whole
        .split('\n')
        .flatMap((line) => (line.trim() === '' ? [] : [(JSON.parse(line) as { text: string | null }).text ?? '']));
      result = asLines(found.map((one) => one.replace(/\p{Surrogate}/gu, '\ufffd')));
    }
    return `${result.length} ${createHash('sha256').update(result).digest('hex').slice(0, 16)}`;
  },
};

function unpack(bytes: Buffer, _: string): Buffer | null {
  const magic = bytes.subarray(0, 4).toString('hex');
  try {
    if (magic.startsWith('1f8b')) return gunzipSync(bytes, { maxOutputLength: 1 << 26 });
    if (magic === '28b52ffd' || /^5.2a4d18$/.test(magic)) return Buffer.from(unzstd(bytes));
    return bytes;
  } catch {
    return null;
  }
}
