/** Writes and reads tar archives of regular files (IEEE Std 1003.1, pax). Equal contents give equal bytes. */
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { bytesAt, type ByteSource } from '../../formats/byte-source.js';

const BLOCK = 512;
/** Limit of a ustar header's octal size; larger ones go into an extended header. */
const MAX_OCTAL = 8 ** 11;
/** Extended headers are a few short lines. */
const MAX_EXTENDED = 1 << 16;

interface TarEntry {
  readonly path: string;
  readonly size: number;
}

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

export const tarPadding = (size: number): Uint8Array => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

export const tarEnd: Uint8Array = new Uint8Array(2 * BLOCK);

/** "length key=value\n", the length counting itself. */
function extendedRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const digits = String(bytes + String(bytes).length).length;
  return `${bytes + digits}${rest}`;
}

function header(name: Buffer, size: number, type: '0' | 'x'): Uint8Array {
  const bytes = Buffer.alloc(BLOCK);
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

/** Sums a header's bytes, its checksum field counted as spaces. */
const checksum = (bytes: Uint8Array): number =>
  bytes.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);

export interface TarMember extends TarEntry {
  readonly position: number;
}

/** Yields the regular files; folders are skipped. @throws UserError `file_damaged` */
export function* tarMembers(file: string, source: ByteSource): Generator<TarMember> {
  const refuse = (why: Message): UserError =>
    new UserError({
      code: 'file_damaged',
      message: localized('projects.archive_not_whole', { file, why }),
      hint: localized('projects.use_another_copy_file_export'),
    });
  const cut = () => refuse(localized('projects.archive_cut'));
  let extended: ReadonlyMap<string, string> = new Map();
  for (let position = 0; ;) {
    if (position + BLOCK > source.byteLength) throw cut();
    const bytes = bytesAt(source, position, BLOCK);
    position += BLOCK;
    if (bytes.every((byte) => byte === 0)) return;
    if (number(bytes, 148, 8) !== checksum(bytes) || text(bytes, 257, 5) !== 'ustar') {
      throw refuse(localized('projects.archive_header'));
    }
    const type = String.fromCharCode(Number(bytes[156]));
    const size = Number(extended.get('size') ?? number(bytes, 124, 12));
    if (!Number.isSafeInteger(size) || size < 0 || position + size > source.byteLength) throw cut();
    if (type === 'x') {
      const records = size > MAX_EXTENDED ? null : parseExtended(bytesAt(source, position, size));
      if (records === null) throw refuse(localized('projects.archive_extended_header'));
      extended = records;
    } else if (type === '0' || type === '\0') {
      const [prefix, name] = [text(bytes, 345, 155), text(bytes, 0, 100)];
      yield { path: extended.get('path') ?? (prefix === '' ? name : `${prefix}/${name}`), size, position };
      extended = new Map();
    } else if (type === '5' || type === 'g') extended = new Map();
    else throw refuse(localized('projects.archive_other_kind', { type: JSON.stringify(type) }));
    position += size + tarPadding(size).length;
  }
}

/** @returns null for a damaged header */
function parseExtended(bytes: Buffer): ReadonlyMap<string, string> | null {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const length = Number(/^\d+/.exec(bytes.toString('latin1', at, at + 12))?.[0]);
    const record = bytes.toString('utf8', at, at + length);
    const [, key, value] = /^\d+ ([^=]+)=([^]*)\n$/.exec(record) ?? [];
    if (!(length > 0) || key === undefined || value === undefined) return null;
    records.set(key, value);
    at += length;
  }
  return records;
}

function text(bytes: Uint8Array, at: number, length: number): string {
  const field = Buffer.from(bytes.buffer, bytes.byteOffset + at, length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

/** Reads an octal number; NaN when it is none. */
function number(bytes: Uint8Array, at: number, length: number): number {
  const written = text(bytes, at, length).trim();
  return /^[0-7]+$/.test(written) ? parseInt(written, 8) : NaN;
}
