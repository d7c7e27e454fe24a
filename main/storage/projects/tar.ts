/** Writes and reads tar archives of regular files (IEEE Std 1003.1, pax). Equal contents give equal bytes. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import { bytesAt, type ByteSource } from '../../formats/byte-source.js';

const block = 512;
/** What a ustar header's octal size holds; larger ones go into an extended header. */
const MAX_OCTAL = 8 ** 11;
/** Extended headers are a few short lines. */
const MAX_EXTENDED = 1 << 16;

interface TarEntry {
  /** With slashes. */
  readonly path: string;
  readonly size: number;
}

/** The header of a file, which its bytes and `tarPadding` follow. */
export function tarHeader({ path, size }: TarEntry): Uint8Array {
  const name = Buffer.from(path);
  if (name.length <= 100 && size < MAX_OCTAL && /^[\x20-\x7e]*$/.test(path)) return header(name, size, '0');
  const records = Buffer.from(extendedRecord('path', path) + extendedRecord('size', String(size)));
  return Buffer.concat([
    header(Buffer.from('PaxHeaders/file'), records.length, 'x'),
    records,
    tarPadding(records.length),
    header(Buffer.from('file'), Math.min(size, MAX_OCTAL - 1), '0'),
  ]);
}

/** Zeros up to the next block. */
export const tarPadding = (size: number): Uint8Array => new Uint8Array((block - (size % block)) % block);

/** Two blocks of zeros. */
export const tarEnd: Uint8Array = new Uint8Array(2 * block);

/** "length key=value\n", the length counting itself. */
function extendedRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (length !== Buffer.byteLength(rest) + String(length).length)
    length = Buffer.byteLength(rest) + String(length).length;
  return `${length}${rest}`;
}

function header(name: Buffer, size: number, type: '0' | 'x'): Uint8Array {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, length: number) =>
    bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  name.copy(bytes, 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  bytes.write(type, 156, 'latin1');
  bytes.write('ustar\x0000', 257, 'latin1');
  octal(checksum(bytes), 148, 7);
  bytes.write(' ', 155, 'latin1');
  return bytes;
}

/** The sum of a header's bytes, its checksum field counted as spaces. */
function checksum(bytes: Uint8Array): number {
  let sum = 8 * 0x20;
  bytes.forEach((byte, at) => {
    if (at < 148 || at >= 156) sum += byte;
  });
  return sum;
}

export interface TarMember extends TarEntry {
  readonly position: number;
}

/** Yields the regular files; folders are skipped. @throws UserError `file_damaged` */
export function* tarMembers(file: string, source: ByteSource): Generator<TarMember> {
  let extended: Readonly<Record<string, string>> = {};
  for (let position = 0; ;) {
    const bytes = readBlock(file, source, position);
    position += block;
    if (bytes.every((byte) => byte === 0)) return;
    if (number(bytes, 148, 8) !== checksum(bytes) || text(bytes, 257, 5) !== 'ustar')
      throw damaged(file, 'a header is');
    const prefix = text(bytes, 345, 155);
    const name = text(bytes, 0, 100);
    const type = String.fromCharCode(Number(bytes[156]));
    const size = extended['size'] === undefined ? number(bytes, 124, 12) : Number(extended['size']);
    if (!Number.isSafeInteger(size) || size < 0 || position + size > source.byteLength)
      throw damaged(file, 'a file in it is cut short or');
    if (type === 'x') {
      if (size > MAX_EXTENDED) throw damaged(file, 'an extended header is');
      extended = parseExtended(file, bytesAt(source, position, size));
    } else if (type === '0' || type === '\0') {
      yield { path: extended['path'] ?? (prefix === '' ? name : `${prefix}/${name}`), size, position };
      extended = {};
    } else if (type === '5' || type === 'g') extended = {};
    else throw damaged(file, `it holds something other than files (${JSON.stringify(type)}) or`);
    position += size + tarPadding(size).length;
  }
}

function readBlock(file: string, source: ByteSource, position: number): Uint8Array {
  if (position + block > source.byteLength) throw damaged(file, 'it ends too early or');
  return bytesAt(source, position, block);
}

function parseExtended(file: string, bytes: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < bytes.length;) {
    const length = Number(/^\d+/.exec(bytes.toString('latin1', at, at + 12))?.[0]);
    const record = bytes.toString('utf8', at, at + length);
    const [, key, value] = /^\d+ ([^=]+)=([^]*)\n$/.exec(record) ?? [];
    if (!(length > 0) || key === undefined || value === undefined) throw damaged(file, 'an extended header is');
    if (key === 'path' || key === 'size') records[key] = value;
    at += length;
  }
  return records;
}

function text(bytes: Uint8Array, at: number, length: number): string {
  const field = Buffer.from(bytes.buffer, bytes.byteOffset + at, length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

/** An octal number; NaN when it is none. */
function number(bytes: Uint8Array, at: number, length: number): number {
  const written = text(bytes, at, length).trim();
  return /^[0-7]+$/.test(written) ? parseInt(written, 8) : NaN;
}

function damaged(file: string, what: string): UserError {
  return new UserError({
    code: 'file_damaged',
    message: localized('projects.whole_archive_damaged', { file, what }),
    hint: localized('projects.use_another_copy_file_export'),
  });
}
