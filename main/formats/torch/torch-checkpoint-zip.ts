/**
 * The zip archive around a PyTorch checkpoint, read by position. Only what PyTorch writes is taken: entries stored as
 * they are, one after the other, without comments or encryption. A file is not trusted: every length and place is checked
 * against the file, and the bytes of an entry against its checksum. (PKWARE, APPNOTE.TXT, sections 4.3 and 4.5.)
 */
import { UserError } from '../../../shared/errors.js';
import { crc32 } from '../crc32.js';
import { quoted, shorten } from '../shorten.js';
import type { ByteSource } from '../safetensors.js';

export interface ZipEntry {
  readonly name: string;
  /** Where its bytes are in the file. */
  readonly begin: number;
  readonly size: number;
  readonly crc: number;
}

export interface ZipArchive {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** The bytes of a small entry. @throws UserError `file_damaged` when they are not what the checksum says */
  read(entry: ZipEntry): Uint8Array;
  /** Compares an entry of any size with its checksum. @throws UserError `file_damaged` */
  verify(entry: ZipEntry): void;
}

const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50, end64: 0x06064b50, locator: 0x07064b50 };
const sizes = { local: 30, central: 46, end: 22, end64: 56, locator: 20 } as const;
/** Several times what a model of 256 layers with its optimizer has. */
const MAX_DIRECTORY = 1 << 21;
const MAX_COUNT = 1 << 14;
const PIECE = 1 << 22;
/** Encrypted, or sizes in a form that is not known here; bit 3 (sizes after the data) and 11 (UTF-8) are fine. */
const unknownFlags = 0xffff & ~((1 << 3) | (1 << 11));

/** @throws UserError `file_damaged` when the bytes are not such an archive */
export function openZip(source: ByteSource, what: string): ZipArchive {
  const directory = findDirectory(source, what);
  const entries = new Map<string, ZipEntry>();
  let end = 0;
  for (const { header, ...entry } of readDirectory(source, directory, what)) {
    if (entries.has(entry.name)) throw damaged(what, `it holds ${quoted(entry.name)} twice`);
    if (header < end) throw damaged(what, 'its parts overlap');
    const begin = dataBegin(source, header, entry.name, directory.begin, what);
    end = begin + entry.size;
    if (end > directory.begin) throw damaged(what, `${quoted(entry.name)} does not fit into it`);
    entries.set(entry.name, { ...entry, begin });
  }
  // PyTorch can be told to leave checksums out; it then writes zero for all of them.
  const hasChecksums = [...entries.values()].some(({ crc }) => crc !== 0);
  const verify = ({ name, begin, size, crc }: ZipEntry): void => {
    let sum = 0;
    for (let done = 0; done < size && hasChecksums; done += PIECE) {
      sum = crc32(bytesAt(source, begin + done, Math.min(PIECE, size - done)), sum);
    }
    if (hasChecksums && sum !== crc)
      throw damaged(what, `the bytes of ${shorten(name)} are not those that were written`);
  };
  return {
    entries,
    verify,
    read(entry) {
      verify(entry);
      return bytesAt(source, entry.begin, entry.size);
    },
  };
}

function bytesAt(source: ByteSource, position: number, count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  source.read(position, bytes);
  return bytes;
}

/** A record of fixed size that begins with its signature. */
function recordAt(source: ByteSource, position: number, kind: keyof typeof sizes, what: string): DataView {
  const size = sizes[kind];
  const isInside = position >= 0 && position + size <= source.byteLength;
  const view = isInside ? new DataView(bytesAt(source, position, size).buffer) : null;
  if (view?.getUint32(0, true) !== signatures[kind]) throw damaged(what, 'it is cut short or not a zip archive');
  return view;
}

const number8 = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

interface Directory {
  readonly begin: number;
  readonly size: number;
  readonly count: number;
}

/** Reads the records at the end of the file, which say where the list of entries is. */
function findDirectory(source: ByteSource, what: string): Directory {
  const endAt = source.byteLength - sizes.end;
  const end = recordAt(source, endAt, 'end', what);
  if (end.getUint16(20, true) !== 0) throw damaged(what, 'it has a comment');
  let expectedEnd = endAt;
  let found = { begin: end.getUint32(16, true), size: end.getUint32(12, true), count: end.getUint16(10, true) };
  const locatorAt = endAt - sizes.locator;
  if (locatorAt >= 0 && bytesAt(source, locatorAt, 4).join() === '80,75,6,7') {
    const locator = recordAt(source, locatorAt, 'locator', what);
    expectedEnd = number8(locator, 8);
    const end64 = recordAt(source, expectedEnd, 'end64', what);
    if (expectedEnd + sizes.end64 !== locatorAt) throw damaged(what, 'its last parts do not fit together');
    found = { begin: number8(end64, 48), size: number8(end64, 40), count: number8(end64, 32) };
  }
  const { begin, size, count } = found;
  if (size > MAX_DIRECTORY || count > MAX_COUNT) throw damaged(what, 'its list of contents is too long');
  if (begin + size !== expectedEnd) throw damaged(what, 'its list of contents is not where it says');
  return found;
}

interface Listed {
  readonly name: string;
  readonly size: number;
  readonly crc: number;
  /** Where the entry's own header is. */
  readonly header: number;
}

/** The list of entries, in the order of their places. */
function readDirectory(source: ByteSource, directory: Directory, what: string): Listed[] {
  const bytes = bytesAt(source, directory.begin, directory.size);
  const view = new DataView(bytes.buffer);
  const listed: Listed[] = [];
  let at = 0;
  for (let i = 0; i < directory.count; i++) {
    if (at + sizes.central > bytes.length || view.getUint32(at, true) !== signatures.central) {
      throw damaged(what, 'its list of contents is damaged');
    }
    const [nameSize, extraSize, commentSize] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const nameAt = at + sizes.central;
    const extraAt = nameAt + (nameSize ?? 0);
    const next = extraAt + (extraSize ?? 0) + (commentSize ?? 0);
    if (next > bytes.length) throw damaged(what, 'its list of contents is damaged');
    const name = decodeName(bytes.subarray(nameAt, extraAt), what);
    if ((view.getUint16(at + 8, true) & unknownFlags) !== 0) throw damaged(what, `${shorten(name)} is encrypted`);
    if (view.getUint16(at + 10, true) !== 0) {
      throw damaged(what, `${shorten(name)} is compressed, which PyTorch never does`);
    }
    const wide = wideFields(view, at, extraAt, extraSize ?? 0);
    const [size, stored, header] = [24, 20, 42].map((place) => wide(place));
    if (size === undefined || header === undefined || size !== stored || !Number.isSafeInteger(size + header)) {
      throw damaged(what, `the size of ${shorten(name)} is unclear`);
    }
    listed.push({ name, size, header, crc: view.getUint32(at + 16, true) });
    at = next;
  }
  if (at !== bytes.length) throw damaged(what, 'its list of contents is damaged');
  return listed.sort((a, b) => a.header - b.header);
}

/** Reads 32-bit fields of an entry; one that is all ones stands, in this order of reading, in the zip64 extra field. */
function wideFields(view: DataView, entryAt: number, extraAt: number, extraSize: number) {
  let wideAt: number | undefined;
  let wideEnd = 0;
  for (let at = extraAt; at + 4 <= extraAt + extraSize;) {
    const size = view.getUint16(at + 2, true);
    if (view.getUint16(at, true) === 1 && at + 4 + size <= extraAt + extraSize)
      [wideAt, wideEnd] = [at + 4, at + 4 + size];
    at += 4 + size;
  }
  return (place: number): number | undefined => {
    const narrow = view.getUint32(entryAt + place, true);
    if (narrow !== 0xffffffff) return narrow;
    if (wideAt === undefined || wideAt + 8 > wideEnd) return undefined;
    wideAt += 8;
    return number8(view, wideAt - 8);
  };
}

function decodeName(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw damaged(what, 'the name of a part is not text');
  }
}

/** Where an entry's bytes begin: after its own header, which must give the same name as the list. */
function dataBegin(source: ByteSource, header: number, name: string, limit: number, what: string): number {
  const local = recordAt(source, header, 'local', what);
  const nameSize = local.getUint16(26, true);
  const begin = header + sizes.local + nameSize + local.getUint16(28, true);
  if (begin > limit || decodeName(bytesAt(source, header + sizes.local, nameSize), what) !== name) {
    throw damaged(what, `${quoted(name)} has two names`);
  }
  return begin;
}

export function damaged(what: string, why: string): UserError {
  return new UserError({
    code: 'file_damaged',
    message: `${what} is not a readable PyTorch checkpoint: ${why}`,
    hint: 'Use another copy of the file, or save the model again with torch.save.',
  });
}
