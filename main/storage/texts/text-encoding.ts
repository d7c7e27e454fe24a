/**
 * From bytes to text, a chunk at a time. UTF-8, and UTF-16 with a byte order mark, are read; anything else is refused
 * with the byte at which it stops being text, or with the name of what it is instead.
 */
import { isUtf8 } from 'node:buffer';
import { UserError } from '../../../shared/errors.js';
import { option, say, type Sentence } from '../../../shared/sentence.js';

export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE';

/** How many bytes of the beginning tell what a file is. */
export const HEAD_BYTES = 512;

/** Decodes what `push` is given; what it returns ends between characters. */
export class TextDecoding {
  readonly encoding: Encoding;
  /** Bytes that have become text so far, a byte order mark included. */
  position = 0;
  private held: Buffer = Buffer.alloc(0);

  /**
   * @param name what messages call the text: a file, or what is packed in it
   * @param head its first bytes, at most HEAD_BYTES, fewer only when there are no more
   * @throws UserError `text_encoding`
   */
  constructor(
    private readonly name: string,
    head: Uint8Array,
  ) {
    const { encoding, mark } = detectEncoding(name, head);
    this.encoding = encoding;
    this.skip = mark;
  }
  private skip: number;

  /** @throws UserError `text_encoding` with the position of the byte that is not text */
  push(bytes: Buffer): string {
    const skipped = Math.min(this.skip, bytes.length);
    this.skip -= skipped;
    this.position += skipped;
    const fresh = bytes.subarray(skipped);
    const all = this.held.length === 0 ? fresh : Buffer.concat([this.held, fresh]);
    const length = this.encoding === 'UTF-8' ? wholeUtf8(all) : wholeUtf16(all, this.encoding);
    this.held = Buffer.from(all.subarray(length));
    return this.decode(all.subarray(0, length));
  }

  /** The text is over: what was held back is half a character. @throws UserError `text_encoding` */
  end(): void {
    if (this.held.length > 0) this.decode(this.held);
  }

  private decode(bytes: Buffer): string {
    const { name, position, encoding } = this;
    this.position += bytes.length;
    return encoding === 'UTF-8' ? decodeUtf8(name, bytes, position) : decodeUtf16(name, bytes, position, encoding);
  }
}

const TOKEN_FILES = say`Token files are read with ${option('input_mode', 'binary')} ${option('train_bin')} … ${option('val_bin')} …`;

/** What files that are not text begin with. */
const otherKinds: readonly (readonly [string, string, Sentence])[] = [
  ['1f8b', 'a gzip archive', 'It is packed more than once: unpack it first (gunzip).'],
  ['28b52ffd', 'a Zstandard archive', 'It is packed more than once: unpack it first (unzstd).'],
  ['fd377a585a00', 'an xz archive', 'Unpack it first (unxz).'],
  ['425a68', 'a bzip2 archive', 'Unpack it first (bunzip2).'],
  ['377abcaf271c', 'a 7-Zip archive', 'Unpack it first.'],
  [
    '504b0304',
    'a zip archive (Word, OpenDocument and EPUB files are zip archives too)',
    'Unpack it, give a document its ending (.docx, .epub), or save it as plain text (UTF-8).',
  ],
  ['25504446', 'a PDF document', 'Give it its ending (.pdf).'],
  ['d0cf11e0', 'an old Word document', 'Save it as plain text (UTF-8).'],
  ['89504e47', 'a PNG image', 'Name a text file.'],
  ['ffd8ff', 'a JPEG image', 'Name a text file.'],
  ['7f454c46', 'a program', 'Name a text file.'],
  ['88d83401', 'an llm.c token file', TOKEN_FILES],
];

function detectEncoding(name: string, head: Uint8Array): { encoding: Encoding; mark: number } {
  const hex = Buffer.from(head).toString('hex');
  for (const [magic, kind, hint] of otherKinds) {
    // "BZh" could begin a text; only with its level after it is it an archive.
    if (!hex.startsWith(magic) || (magic === '425a68' && !/^[1-9]1AY/.test(textOf(head, 3, 7)))) continue;
    throw notText(`${name} is ${kind}, not plain text`, hint);
  }
  if (textOf(head, 257, 262) === 'ustar') {
    throw notText(`${name} is a tar archive, not plain text`, 'Unpack it, and name the text files in it.');
  }
  if (hex.startsWith('fffe0000') || hex.startsWith('0000feff')) {
    throw notText(`${name} is UTF-32, which is not read`, 'Save it as UTF-8.');
  }
  if (hex.startsWith('efbbbf')) return { encoding: 'UTF-8', mark: 3 };
  if (hex.startsWith('fffe')) return { encoding: 'UTF-16LE', mark: 2 };
  if (hex.startsWith('feff')) return { encoding: 'UTF-16BE', mark: 2 };
  const first = head.subarray(0, 64);
  const zeros = [0, 1].map((parity) => first.filter((byte, i) => i % 2 === parity && byte === 0).length);
  // Small token ids have zero bytes too; a .bin file gets its own hint.
  if (!name.endsWith('.bin') && Math.max(...zeros) > first.length / 4 && Math.min(...zeros) === 0) {
    throw notText(
      `${name} looks like UTF-16 without a byte order mark`,
      'Save it as UTF-8, or as UTF-16 with its mark.',
    );
  }
  return { encoding: 'UTF-8', mark: 0 };
}

const textOf = (head: Uint8Array, from: number, to: number): string =>
  Buffer.from(head.subarray(from, to)).toString('latin1');

/** How much of `bytes` holds whole characters, when more may follow. */
function wholeUtf8(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function decodeUtf8(name: string, bytes: Buffer, position: number): string {
  const zero = bytes.indexOf(0);
  if (!isUtf8(bytes)) {
    const at = firstInvalidUtf8(bytes);
    if (zero === -1 || zero > at) {
      const value = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
      throw notText(
        `${name} is not valid UTF-8: byte ${position + at} (0x${value}) cannot be part of a character`,
        name.endsWith('.bin')
          ? TOKEN_FILES
          : 'Save the file as UTF-8: in an editor, or with iconv -f WINDOWS-1252 -t UTF-8, naming the encoding that it has.',
      );
    }
  }
  if (zero !== -1) throw binary(name, position + zero);
  return bytes.toString('utf8');
}

/** Where the first ill-formed sequence begins (Unicode 15, table 3-7), or -1. */
export function firstInvalidUtf8(bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length;) {
    const lead = bytes[i] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length === 0) return i;
    for (let k = 1; k < length; k++) {
      const byte = bytes[i + k] ?? 0;
      const least = k > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
      const most = k > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
      if (byte < least || byte > most) return i;
    }
    i += length;
  }
  return -1;
}

const unitAt = (bytes: Buffer, i: number, encoding: Encoding): number =>
  encoding === 'UTF-16BE' ? bytes.readUInt16BE(i) : bytes.readUInt16LE(i);

function wholeUtf16(bytes: Buffer, encoding: Encoding): number {
  const even = bytes.length - (bytes.length % 2);
  return even >= 2 && (unitAt(bytes, even - 2, encoding) & 0xfc00) === 0xd800 ? even - 2 : even;
}

function decodeUtf16(name: string, bytes: Buffer, position: number, encoding: Encoding): string {
  if (bytes.length % 2 !== 0) {
    throw notText(
      `${name} is UTF-16 of an odd number of bytes: byte ${position + bytes.length - 1} is half a character`,
      'The file was cut short; use another copy.',
    );
  }
  for (let i = 0; i < bytes.length; i += 2) {
    const unit = unitAt(bytes, i, encoding);
    if (unit === 0) throw binary(name, position + i);
    if ((unit & 0xf800) !== 0xd800) continue;
    const isPair = unit < 0xdc00 && i + 3 < bytes.length && (unitAt(bytes, i + 2, encoding) & 0xfc00) === 0xdc00;
    if (!isPair) {
      throw notText(
        `${name} is not valid UTF-16: byte ${position + i} begins half a character`,
        'Save the file as UTF-8 in the editor that made it.',
      );
    }
    i += 2;
  }
  return (encoding === 'UTF-16BE' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}

function binary(name: string, at: number): UserError {
  return notText(
    `${name} is not text: byte ${at} is zero`,
    name.endsWith('.bin') ? TOKEN_FILES : 'Name a plain text file, saved as UTF-8.',
  );
}

function notText(message: string, hint: Sentence): UserError {
  return new UserError({ code: 'text_encoding', message, hint, field: 'data_path' });
}
