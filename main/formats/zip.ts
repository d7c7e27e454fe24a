/** Reads stored or deflated entries of a zip archive; all lengths, places and checksums are checked. (APPNOTE.TXT 4.3, 4.5) */
import { bytes, localized, type Message } from '../../shared/messages/message.js';
import type { UserError } from '../../shared/errors.js';
import { bytesAt, type ByteSource, piecesOf } from './byte-source.js';
import { crc32 } from './crc32.js';
import { quoted, shorten } from './shorten.js';

/** Unpacks a raw DEFLATE stream; throws if it is none, or gives more bytes than allowed. */
export type Inflate = (bytes: Uint8Array, maxBytes: number) => Uint8Array;

/** The error for a damaged file. */
export type Damaged = (why: string | Message) => UserError;

interface ZipOptions {
  readonly damaged: (why: Message) => UserError;
  /** Inflates entries of at most `maxBytes`; null refuses deflated entries. */
  readonly deflated: { readonly maxBytes: number; readonly inflate: Inflate } | null;
}

export interface ZipEntry {
  readonly name: string;
  readonly begin: number;
  readonly size: number;
  readonly stored: number;
  readonly isDeflated: boolean;
  readonly crc: number;
}

export interface ZipArchive {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** Entries that cannot be read; only where deflated ones are, as those archives hold parts that no reader needs. */
  readonly faults: ReadonlyMap<string, UserError>;
  /** The bytes of a small entry. @throws UserError `file_damaged` if they do not match the checksum */
  read(entry: ZipEntry): Uint8Array;
  /** Compares an entry of any size with its checksum. @throws UserError `file_damaged` */
  verify(entry: ZipEntry): void;
}

const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50, end64: 0x06064b50, locator: 0x07064b50 };
const sizes = { local: 30, central: 46, end: 22, end64: 56, locator: 20 } as const;
/** Several times the directory of a model of 256 layers with its optimizer. */
const MAX_DIRECTORY = 1 << 21;
const MAX_COUNT = 1 << 14;
/** Bytes after the end in which it is sought: the longest comment. */
const MAX_TAIL = 1 << 16;
const END = 'PK\x05\x06';
const PIECE = 1 << 22;
const DEFLATE = 8;
/** Known flags are bits 1 and 2 (level of compression), 3 (sizes after the data) and 11 (UTF-8); others mean encryption. */
const unknownFlags = 0xffff & ~((1 << 1) | (1 << 2) | (1 << 3) | (1 << 11));

/** @throws UserError `file_damaged` if the bytes are not such an archive */
export function openZip(source: ByteSource, { damaged, deflated }: ZipOptions): ZipArchive {
  const invalid = (): UserError => damaged(localized('zip.invalid'));
  const directory = findDirectory(source, invalid);
  if (directory.size > MAX_DIRECTORY || directory.count > MAX_COUNT) throw damaged(localized('zip.tooMany'));
  const entries = new Map<string, ZipEntry>();
  const faults = new Map<string, UserError>();
  let end = 0;
  for (const { header, flags, method, ...entry } of readDirectory(source, directory, invalid)) {
    const { name, size, isDeflated } = entry;
    const locate = (): number => {
      if ((flags & unknownFlags) !== 0) throw damaged(localized('zip.encrypted', { name: shorten(name) }));
      if (method !== 0 && !(isDeflated && deflated !== null))
        throw damaged(localized('zip.method', { name: shorten(name) }));
      if (isDeflated && deflated !== null && size > deflated.maxBytes)
        throw damaged(localized('zip.tooLarge', { name: shorten(name), most: bytes(deflated.maxBytes) }));
      if (entries.has(name)) throw damaged(localized('damage.twice', { name: quoted(name) }));
      return dataBegin(source, header, name, directory.begin, invalid);
    };
    let begin;
    try {
      begin = locate();
    } catch (error) {
      if (deflated === null) throw error;
      faults.set(name, error as UserError);
      continue;
    }
    if (header < end || begin + entry.stored > directory.begin) throw invalid();
    end = begin + entry.stored;
    entries.set(name, { ...entry, begin });
  }
  // PyTorch can omit checksums; all are zero then.
  const hasChecksums = [...entries.values()].some(({ crc }) => crc !== 0);
  const changed = (name: string) => damaged(localized('zip.changed', { name: shorten(name) }));
  const verify = ({ name, begin, size, crc }: ZipEntry): void => {
    if (!hasChecksums) return;
    let sum = 0;
    for (const piece of piecesOf(source, PIECE, begin, begin + size)) sum = crc32(piece, sum);
    if (sum !== crc) throw changed(name);
  };
  const inflated = ({ name, begin, stored, size, crc }: ZipEntry): Uint8Array => {
    let content: Uint8Array | undefined;
    try {
      content = deflated?.inflate(bytesAt(source, begin, stored), size);
    } catch {
      throw changed(name);
    }
    if (content?.length !== size || (hasChecksums && crc32(content) !== crc)) throw changed(name);
    return content;
  };
  return {
    entries,
    faults,
    verify: (entry) => (entry.isDeflated ? void inflated(entry) : verify(entry)),
    read(entry) {
      if (entry.isDeflated) return inflated(entry);
      verify(entry);
      return bytesAt(source, entry.begin, entry.size);
    },
  };
}

type Invalid = () => UserError;

/** A record of fixed size that begins with its signature. */
function recordAt(source: ByteSource, position: number, kind: keyof typeof sizes, invalid: Invalid): DataView {
  const size = sizes[kind];
  const isInside = position >= 0 && position + size <= source.byteLength;
  const view = isInside ? new DataView(bytesAt(source, position, size).buffer) : null;
  if (view?.getUint32(0, true) !== signatures[kind]) throw invalid();
  return view;
}

const number8 = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

interface Directory {
  readonly begin: number;
  readonly size: number;
  readonly count: number;
}

/** Reads the records at the end of the file, which locate the list of entries. */
function findDirectory(source: ByteSource, invalid: Invalid): Directory {
  const last = source.byteLength - sizes.end;
  if (last >= 0 && bytesAt(source, last, 4).toString('latin1') === END) {
    const found = directoryBefore(source, last, invalid);
    if (found !== null) return found;
  }
  const tailAt = Math.max(0, source.byteLength - sizes.end - MAX_TAIL);
  const tail = bytesAt(source, tailAt, source.byteLength - tailAt).toString('latin1');
  // A comment, or other bytes, may follow the end; what does not agree with its place is none.
  for (let at = tail.lastIndexOf(END); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(END, at - 1)) {
    const found = tailAt + at + sizes.end <= source.byteLength ? directoryBefore(source, tailAt + at, invalid) : null;
    if (found !== null) return found;
  }
  throw invalid();
}

function directoryBefore(source: ByteSource, endAt: number, invalid: Invalid): Directory | null {
  const end = recordAt(source, endAt, 'end', invalid);
  let expectedEnd = endAt;
  let found = { begin: end.getUint32(16, true), size: end.getUint32(12, true), count: end.getUint16(10, true) };
  const locatorAt = endAt - sizes.locator;
  if (locatorAt >= 0 && bytesAt(source, locatorAt, 4).join() === '80,75,6,7') {
    const locator = recordAt(source, locatorAt, 'locator', invalid);
    expectedEnd = number8(locator, 8);
    const end64 = recordAt(source, expectedEnd, 'end64', invalid);
    if (expectedEnd + sizes.end64 !== locatorAt) throw invalid();
    found = { begin: number8(end64, 48), size: number8(end64, 40), count: number8(end64, 32) };
  }
  return found.begin + found.size === expectedEnd ? found : null;
}

type Listed = Omit<ZipEntry, 'begin'> & { readonly header: number; readonly flags: number; readonly method: number };

function readDirectory(source: ByteSource, directory: Directory, invalid: Invalid): Listed[] {
  const content = bytesAt(source, directory.begin, directory.size);
  const view = new DataView(content.buffer);
  const listed: Listed[] = [];
  let at = 0;
  for (let i = 0; i < directory.count; i++) {
    if (at + sizes.central > content.length || view.getUint32(at, true) !== signatures.central) throw invalid();
    const field = (place: number) => view.getUint16(at + place, true);
    const nameAt = at + sizes.central;
    const extraAt = nameAt + field(28);
    const next = extraAt + field(30) + field(32);
    if (next > content.length) throw invalid();
    const name = decodeName(content.subarray(nameAt, extraAt), invalid);
    const [flags, method] = [field(8), field(10)];
    const isDeflated = method === DEFLATE;
    const wide = wideFields(view, at, extraAt, field(30));
    const [size, stored, header] = [wide(24), wide(20), wide(42)];
    if (size === undefined || stored === undefined || header === undefined) throw invalid();
    if (!Number.isSafeInteger(size + stored + header) || (method === 0 && size !== stored)) throw invalid();
    listed.push({ name, size, stored, isDeflated, header, flags, method, crc: view.getUint32(at + 16, true) });
    at = next;
  }
  if (at !== content.length) throw invalid();
  return listed.sort((a, b) => a.header - b.header);
}

/** Reads 32-bit fields of an entry; those that are all ones follow in the zip64 extra field, in this order. */
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

function decodeName(content: Uint8Array, invalid: Invalid): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw invalid();
  }
}

/** Where an entry's bytes begin: after its own header, which must give the same name as the list. */
function dataBegin(source: ByteSource, header: number, name: string, limit: number, invalid: Invalid): number {
  const local = recordAt(source, header, 'local', invalid);
  const nameSize = local.getUint16(26, true);
  const begin = header + sizes.local + nameSize + local.getUint16(28, true);
  if (begin > limit) throw invalid();
  if (decodeName(bytesAt(source, header + sizes.local, nameSize), invalid) !== name) throw invalid();
  return begin;
}
