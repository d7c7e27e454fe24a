// Text files: which are read, how, and the faults of those that are not.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstInvalidUtf8 } from '../../../main/storage/texts/extract/encoding.js';
import { readTexts } from '../../../main/storage/texts/read-texts.js';
import { faultOfAsync } from '../fault-of.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);
async function pieces(name: string, pieceBytes = 1 << 20) {
  const all = [];
  for await (const piece of readTexts([at(name)], { pieceBytes })) all.push(piece);
  return all;
}
async function read(bytes: Uint8Array | string, pieceBytes?: number, name = 'text.txt'): Promise<string> {
  fs.writeFileSync(at(name), bytes);
  return (await pieces(name, pieceBytes)).map((piece) => piece.text).join('');
}
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const marked = (mark: readonly number[], rest: Uint8Array): Buffer => Buffer.concat([Buffer.from(mark), rest]);

describe('a text', () => {
  it('in UTF-8 or UTF-16, with or without its mark, is the same text however much is read at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (value, pieceBytes) => {
          const text = value.replace(/[\0\r\ufeff\ufffe]/g, '');
          fc.pre(text !== '');
          expect(await read(text, pieceBytes)).toBe(text);
          expect(await read(marked([0xef, 0xbb, 0xbf], Buffer.from(text)), pieceBytes)).toBe(text);
          expect(await read(marked([0xff, 0xfe], Buffer.from(text, 'utf16le')), pieceBytes)).toBe(text);
          expect(await read(marked([0xfe, 0xff], utf16be(text)), pieceBytes)).toBe(text);
        },
      ),
      {
        numRuns: 200,
        examples: [
          ['x', 4],
          ['é中\u{1f600}', 5],
        ],
      },
    );
  });

  it("has Python's line ends, wherever a piece ends", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^[ab\r\n]{1,30}$/),
        fc.integer({ min: 1, max: 7 }),
        async (text, pieceBytes) => {
          expect(await read(text, pieceBytes)).toBe(text.replace(/\r\n|\r/g, '\n'));
        },
      ),
    );
  });
});

describe('what is not text', () => {
  const messageOf = async (bytes: Uint8Array, name = 'x.txt', pieceBytes?: number): Promise<string> => {
    const fault = await faultOfAsync(read(bytes, pieceBytes, name));
    expect(fault).toMatchObject({ code: 'text_encoding', field: 'data_path' });
    return fault.message.replace(folder, '').slice(1) + ' | ' + fault.hint;
  };

  it.each([
    [
      'invalid UTF-8, beyond a share',
      Buffer.concat([Buffer.from('éé'), Buffer.from('\xff\xff!', 'latin1')]),
      'x.txt is not valid UTF-8: byte 4 (0xFF) cannot be part of a character',
    ],
    ['a surrogate in UTF-8', Buffer.concat([Buffer.from('éééé'), Buffer.from('eda080', 'hex')]), 'byte 8 (0xED)'],
    ['binary junk', Buffer.from('abc\0def'), 'x.txt is not text: byte 3 is zero'],
    [
      'half characters in UTF-16',
      Buffer.from('fffe41003dd842003dd84200', 'hex'),
      'not valid UTF-16: byte 4 begins half',
    ],
    ['zero in UTF-16', Buffer.from('fffe41000000', 'hex'), 'is not text: byte 4 is zero'],
    ['UTF-32', Buffer.from('fffe000041000000', 'hex'), 'is UTF-32'],
    [
      'an llm.c token file',
      Buffer.from('88d8340101000000', 'hex'),
      'is an llm.c token file, not plain text | Token files are read with --input_mode binary',
    ],
    ['a bzip2 archive', Buffer.from('BZh91AY&SY', 'latin1'), 'is a bzip2 archive, not plain text | Unpack it first'],
    ['a tar archive', Buffer.concat([Buffer.alloc(257, 97), Buffer.from('ustar  ')]), 'is a tar archive'],
    ['a Word document', Buffer.from('504b030414000600', 'hex'), 'Word'],
    ['PDF', Buffer.from('%PDF-1.7\n'), 'is a PDF document'],
    ['a database', Buffer.from('SQLite format 3\0\x10\0'), 'is an SQLite database, not plain text'],
    ['a saved page', Buffer.from('From: <Saved by Blink>\r\nSubject: A\r\n b\r\nMIME-Version: 1.0\r\n'), '(MIME)'],
    ['a mailbox', Buffer.from('From a@b.c Thu\nTo: d@e.f\nMime-Version: 1.0\n\nHi'), 'an e-mail or a saved web page'],
  ])('%s: says so', async (_, bytes, message) => {
    expect(await messageOf(bytes)).toContain(message);
  });

  it('is named by its position in the file, however far in', async () => {
    const bytes = Buffer.alloc(3_000_000, 'é');
    bytes.fill(0xff, 2_500_001, 2_550_000);
    // The character before it is broken by it.
    expect(await messageOf(bytes)).toContain('byte 2500000 (0xC3)');
    expect(await messageOf(marked([0xef, 0xbb, 0xbf], Buffer.from('ab\xff\xffcd\xff', 'latin1')))).toContain(
      'byte 5 (0xFF)',
    );
  });

  it('is a token file: the hint says how to use it', async () => {
    expect(await messageOf(Buffer.from(Uint16Array.of(1, 2, 3, 600).buffer), 'train.bin')).toContain(
      '--input_mode binary',
    );
  });

  it('is found at the same byte as a reference decoder finds it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const position = firstInvalidUtf8(Buffer.from(bytes));
        const isWhole = (end: number): boolean => {
          try {
            new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end));
            return true;
          } catch {
            return false;
          }
        };
        expect(isWhole(position === -1 ? bytes.length : position)).toBe(true);
        if (position === -1) return;
        // No longer beginning is whole: what begins at `position` is never completed.
        for (let end = position + 1; end <= bytes.length; end++) expect(isWhole(end)).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });
});
