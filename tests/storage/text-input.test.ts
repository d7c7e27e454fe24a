// Text files: which are read, how, and what is said about those that are not.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findTextFile, firstInvalidUtf8, readText } from '../../main/storage/text-input.js';
import { faultOf } from './fault-of.js';
import { temporaryFolder } from './faults.js';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);
function read(bytes: Uint8Array | string, pieceBytes?: number, name = 'text.txt'): string {
  fs.writeFileSync(at(name), bytes);
  return [...readText(at(name), pieceBytes)].map((piece) => piece.text).join('');
}
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const marked = (mark: readonly number[], rest: Uint8Array): Buffer => Buffer.concat([Buffer.from(mark), rest]);

describe('a text', () => {
  it('in UTF-8 or UTF-16, with or without its mark, is the same text however much is read at a time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 4, max: 9 }), (value, pieceBytes) => {
        const text = value.replace(/[\0\r\ufeff\ufffe]/g, '');
        fc.pre(text !== '');
        expect(read(text, pieceBytes)).toBe(text);
        expect(read(marked([0xef, 0xbb, 0xbf], Buffer.from(text)), pieceBytes)).toBe(text);
        expect(read(marked([0xff, 0xfe], Buffer.from(text, 'utf16le')), pieceBytes)).toBe(text);
        expect(read(marked([0xfe, 0xff], utf16be(text)), pieceBytes)).toBe(text);
      }),
      {
        numRuns: 200,
        examples: [
          ['x', 4],
          ['é中\u{1f600}', 5],
        ],
      },
    );
  });

  it("has Python's line ends, wherever a piece ends", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab\r\n]{1,30}$/), fc.integer({ min: 4, max: 7 }), (text, pieceBytes) => {
        expect(read(text, pieceBytes)).toBe(text.replace(/\r\n|\r/g, '\n'));
      }),
    );
  });

  it('comes in pieces that tell how far they got and end between characters', () => {
    fs.writeFileSync(at('p.txt'), 'ab\u{1f600}\u{1f600}c');
    const pieces = [...readText(at('p.txt'), 4)];
    expect(pieces.map((piece) => piece.text)).toEqual(['ab', '\u{1f600}', '\u{1f600}', 'c']);
    expect(pieces.map((piece) => piece.bytesRead)).toEqual([2, 6, 10, 11]);
  });

  it('of no bytes has no pieces', () => {
    expect(read('')).toBe('');
  });

  it('may hold control characters other than zero', () => {
    expect(read('a\u0001\u000c\u001bb')).toBe('a\u0001\u000c\u001bb');
  });
});

describe('what is not text', () => {
  const messageOf = (bytes: Uint8Array, name = 'x.txt', pieceBytes?: number): string => {
    const fault = faultOf(() => read(bytes, pieceBytes, name));
    expect(fault).toMatchObject({ code: 'text_encoding', field: 'data_path' });
    return fault.message.replace(folder, '').slice(1) + ' | ' + fault.hint;
  };

  it.each([
    [
      'invalid UTF-8',
      Buffer.from('caf\xe9!', 'latin1'),
      'x.txt is not valid UTF-8: byte 3 (0xE9) cannot be part of a character',
    ],
    ['UTF-8 that is cut short', Buffer.from('ab\u{1f600}').subarray(0, 5), 'x.txt is not valid UTF-8: byte 2 (0xF0)'],
    ['a surrogate in UTF-8', Buffer.from('61eda080', 'hex'), 'byte 1 (0xED)'],
    ['binary junk', Buffer.from('abc\0def'), 'x.txt is not text: byte 3 is zero'],
    ['UTF-16 without a mark', Buffer.from('hello there', 'utf16le'), 'looks like UTF-16 without a byte order mark'],
    ['UTF-16 of an odd length', Buffer.from('fffe410042', 'hex'), 'UTF-16 of an odd number of bytes: byte 4'],
    ['half a character in UTF-16', Buffer.from('fffe41003dd84200', 'hex'), 'not valid UTF-16: byte 4 begins half'],
    ['half a character at the end', Buffer.from('feff0041d83d', 'hex'), 'not valid UTF-16: byte 4'],
    ['zero in UTF-16', Buffer.from('fffe41000000', 'hex'), 'is not text: byte 4 is zero'],
    ['UTF-32', Buffer.from('fffe000041000000', 'hex'), 'is UTF-32'],
    ['gzip', Buffer.from('1f8b08000000', 'hex'), 'is a gzip archive, not plain text | Unpack it first (gunzip).'],
    ['a Word document', Buffer.from('504b030414000600', 'hex'), 'Word'],
    ['PDF', Buffer.from('%PDF-1.7\n'), 'is a PDF document'],
  ])('%s: says so', (_, bytes, message) => {
    expect(messageOf(bytes)).toContain(message);
  });

  it('is named by its position in the file, however far in', () => {
    const bytes = Buffer.alloc(3_000_000, 'é');
    bytes[2_500_001] = 0xff;
    // The character before it is broken by it.
    expect(messageOf(bytes)).toContain('byte 2500000 (0xC3)');
    expect(messageOf(marked([0xef, 0xbb, 0xbf], Buffer.from('ab\xff', 'latin1')))).toContain('byte 5 (0xFF)');
  });

  it('is a token file: the hint says how to use it', () => {
    expect(messageOf(Buffer.from(Uint16Array.of(1, 2, 3, 600).buffer), 'train.bin')).toContain('--input_mode binary');
  });

  it('is found at the same byte as a reference decoder finds it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const position = firstInvalidUtf8(bytes);
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

describe('finding the file', () => {
  it('takes a file, or input.txt in a folder', () => {
    fs.mkdirSync(at('data'));
    fs.writeFileSync(at('data/input.txt'), 'x');
    expect(findTextFile(at('data'))).toBe(at('data/input.txt'));
    expect(findTextFile(at('data/input.txt'))).toBe(at('data/input.txt'));
  });

  it('says what is missing', () => {
    fs.mkdirSync(at('empty'));
    fs.mkdirSync(at('other'));
    fs.writeFileSync(at('other/moby.txt'), 'x');
    expect(faultOf(() => findTextFile(at('nothing.txt')))).toMatchObject({
      code: 'file_not_found',
      message: `Data file not found: ${at('nothing.txt')}`,
      field: 'data_path',
    });
    expect(faultOf(() => findTextFile(at('empty'))).message).toBe(`The folder ${at('empty')} holds no input.txt`);
    expect(faultOf(() => findTextFile(at('other'))).hint).toContain(at('other/moby.txt'));
    expect(faultOf(() => findTextFile(at('other/moby.txt/input.txt'))).code).toBe('file_not_found');
  });

  it('refuses a pipe, which could be read only once', () => {
    expect(spawnSync('mkfifo', [at('pipe')]).status).toBe(0);
    expect(faultOf(() => findTextFile(at('pipe')))).toMatchObject({ code: 'file_not_readable' });
  });
});
