/**
 * Text files as strings, a piece at a time, so that a corpus may be larger than memory. UTF-8, and UTF-16 with a byte
 * order mark, are read; anything else is refused with the byte at which it stops being text. Line ends become "\n", as
 * in Python's open(), which nanoGPT's prepare.py uses; unlike there, a byte order mark is not part of the text.
 */
import { isUtf8 } from 'node:buffer';
import * as path from 'node:path';
import { UserError } from '../../shared/errors.js';
import { type OpenFile, openFile } from './file-bytes.js';
import { onFile } from './file-errors.js';
import { nodeFileOperations as ops } from './file-operations.js';

export interface TextPiece {
  /** Never empty, and never ends within a character or a line end. */
  readonly text: string;
  /** How much of the file has been read. */
  readonly bytesRead: number;
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

const PIECE_BYTES = 1 << 20;

/**
 * The text file that `dataPath` means: itself, or the input.txt in the folder that it is.
 * @throws UserError `file_not_found`, `file_not_readable`
 */
export function findTextFile(dataPath: string): string {
  const kind = onFile(dataPath, 'read', () => ops.kind(dataPath));
  if (kind === 'file') return dataPath;
  if (kind === 'none') {
    throw new UserError({
      code: 'file_not_found',
      message: `Data file not found: ${dataPath}`,
      hint: 'Check the path; it may be a text file, or a folder that holds input.txt.',
      field: 'data_path',
    });
  }
  if (kind === 'other') {
    throw new UserError({
      code: 'file_not_readable',
      message: `${dataPath} is neither a file nor a folder`,
      hint: 'The text is read more than once, so it must be an ordinary file: write it to one first.',
      field: 'data_path',
    });
  }
  const file = path.join(dataPath, 'input.txt');
  if (onFile(file, 'read', () => ops.kind(file)) === 'file') return file;
  const texts = onFile(dataPath, 'read', () => ops.list(dataPath)).filter((name) => name.endsWith('.txt'));
  throw new UserError({
    code: 'file_not_found',
    message: `The folder ${dataPath} holds no input.txt`,
    hint:
      texts.length === 0
        ? 'Put the text there as input.txt, or name a text file instead of a folder.'
        : `Name the file instead of the folder: ${texts
            .slice(0, 3)
            .map((name) => path.join(dataPath, name))
            .join(', ')}`,
    field: 'data_path',
  });
}

/**
 * The text of a file, piece by piece.
 * @param pieceBytes how much is read at a time
 * @throws UserError `text_encoding` with the position of the byte that is not text
 */
export function* readText(file: string, pieceBytes = PIECE_BYTES): Generator<TextPiece, void, undefined> {
  const source = openFile(file);
  try {
    let held = '';
    let bytesRead = 0;
    for (const piece of decoded(file, source, pieceBytes)) {
      let text = held + piece.text;
      held = '';
      if (text.endsWith('\r')) {
        held = '\r'; // its "\n" may come next
        text = text.slice(0, -1);
      }
      bytesRead = piece.bytesRead;
      if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
      if (text !== '') yield { text, bytesRead };
    }
    if (held !== '') yield { text: '\n', bytesRead };
  } finally {
    source.close();
  }
}

function* decoded(file: string, source: OpenFile, pieceBytes: number): Generator<TextPiece> {
  const size = source.byteLength;
  const head = new Uint8Array(Math.min(size, 64));
  source.read(0, head);
  const { encoding, mark } = detectEncoding(file, head);
  for (let position = mark; position < size;) {
    const window = Buffer.alloc(Math.min(Math.max(pieceBytes, 4), size - position));
    source.read(position, window);
    const isLast = position + window.length === size;
    const length = encoding === 'utf-8' ? wholeUtf8(window, isLast) : wholeUtf16(window, encoding, isLast);
    const bytes = window.subarray(0, length);
    const text =
      encoding === 'utf-8' ? decodeUtf8(file, bytes, position) : decodeUtf16(file, bytes, position, encoding);
    position += length;
    yield { text, bytesRead: position };
  }
}

/** What files that are not text begin with. */
const otherKinds: readonly (readonly [string, string, string])[] = [
  ['1f8b', 'a gzip archive', 'Unpack it first (gunzip).'],
  ['28b52ffd', 'a Zstandard archive', 'Unpack it first (unzstd).'],
  [
    '504b0304',
    'a zip archive (Word, OpenDocument and EPUB files are zip archives too)',
    'Unpack it, or save the document as plain text (UTF-8).',
  ],
  ['25504446', 'a PDF document', 'Extract its text first, for example with pdftotext.'],
  ['d0cf11e0', 'an old Word document', 'Save it as plain text (UTF-8).'],
  ['50415231', 'a Parquet file', 'Write its text column to a plain text file first.'],
  ['89504e47', 'a PNG image', 'Name a text file.'],
  ['ffd8ff', 'a JPEG image', 'Name a text file.'],
  ['7f454c46', 'a program', 'Name a text file.'],
];

function detectEncoding(file: string, head: Uint8Array): { encoding: Encoding; mark: number } {
  const hex = Buffer.from(head).toString('hex');
  for (const [magic, kind, hint] of otherKinds) {
    if (hex.startsWith(magic)) throw notText(`${file} is ${kind}, not plain text`, hint);
  }
  if (hex.startsWith('fffe0000') || hex.startsWith('0000feff')) {
    throw notText(`${file} is UTF-32, which is not read`, 'Save it as UTF-8.');
  }
  if (hex.startsWith('efbbbf')) return { encoding: 'utf-8', mark: 3 };
  if (hex.startsWith('fffe')) return { encoding: 'utf-16le', mark: 2 };
  if (hex.startsWith('feff')) return { encoding: 'utf-16be', mark: 2 };
  const zeros = [0, 1].map((parity) => head.filter((byte, i) => i % 2 === parity && byte === 0).length);
  // Small token ids have zero bytes too; a .bin file gets its own hint.
  if (!file.endsWith('.bin') && Math.max(...zeros) > head.length / 4 && Math.min(...zeros) === 0) {
    throw notText(
      `${file} looks like UTF-16 without a byte order mark`,
      'Save it as UTF-8, or as UTF-16 with its mark.',
    );
  }
  return { encoding: 'utf-8', mark: 0 };
}

/** How much of `bytes` holds whole characters, when more follows. */
function wholeUtf8(bytes: Uint8Array, isLast: boolean): number {
  if (isLast) return bytes.length;
  for (let back = 1; back <= 3 && back < bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function decodeUtf8(file: string, bytes: Buffer, position: number): string {
  const zero = bytes.indexOf(0);
  if (!isUtf8(bytes)) {
    const at = firstInvalidUtf8(bytes);
    if (zero === -1 || zero > at) {
      const value = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
      throw notText(
        `${file} is not valid UTF-8: byte ${position + at} (0x${value}) cannot be part of a character`,
        'Save the file as UTF-8: in an editor, or with iconv -f WINDOWS-1252 -t UTF-8, naming the encoding that it has.',
      );
    }
  }
  if (zero !== -1) throw binary(file, position + zero);
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
  encoding === 'utf-16be' ? bytes.readUInt16BE(i) : bytes.readUInt16LE(i);

function wholeUtf16(bytes: Buffer, encoding: Encoding, isLast: boolean): number {
  if (isLast) return bytes.length;
  const even = bytes.length - (bytes.length % 2);
  return (unitAt(bytes, even - 2, encoding) & 0xfc00) === 0xd800 ? even - 2 : even;
}

function decodeUtf16(file: string, bytes: Buffer, position: number, encoding: Encoding): string {
  if (bytes.length % 2 !== 0) {
    throw notText(
      `${file} is UTF-16 of an odd number of bytes: byte ${position + bytes.length - 1} is half a character`,
      'The file was cut short; use another copy.',
    );
  }
  for (let i = 0; i < bytes.length; i += 2) {
    const unit = unitAt(bytes, i, encoding);
    if (unit === 0) throw binary(file, position + i);
    if ((unit & 0xf800) !== 0xd800) continue;
    const isPair = unit < 0xdc00 && i + 3 < bytes.length && (unitAt(bytes, i + 2, encoding) & 0xfc00) === 0xdc00;
    if (!isPair) {
      throw notText(
        `${file} is not valid UTF-16: byte ${position + i} begins half a character`,
        'Save the file as UTF-8 in the editor that made it.',
      );
    }
    i += 2;
  }
  return (encoding === 'utf-16be' ? Buffer.from(bytes).swap16() : bytes).toString('utf16le');
}

function binary(file: string, at: number): UserError {
  return notText(
    `${file} is not text: byte ${at} is zero`,
    file.endsWith('.bin')
      ? 'Token files are read with --input_mode binary --train_bin … --val_bin …'
      : 'Name a plain text file, saved as UTF-8.',
  );
}

function notText(message: string, hint: string): UserError {
  return new UserError({ code: 'text_encoding', message, hint, field: 'data_path' });
}
