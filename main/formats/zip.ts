/** Reads stored or deflated entries of a zip archive; all lengths, places and checksums are checked. (APPNOTE.TXT 4.3, 4.5) */
import type { UserError } from '../../shared/errors.js';
import { crc32 } from './crc32.js';
import { quoted, shorten } from './shorten.js';
import { bytesAt, piecesOf, type ByteSource } from './byte-source.js';

/** Unpacks a raw DEFLATE stream; throws when it is none, or gives more bytes than it may. */
export type Inflate = (bytes: Uint8Array, maxBytes: number) => Uint8Array;

/** What is wrong with an archive, as an error. */
export type Damaged = (why: string) => UserError;

interface ZipOptions {
  readonly damaged: Damaged;
  /** How entries are inflated that are deflated, and how many bytes one may then have; null where all are stored as they are. */
  readonly deflated: { readonly maxBytes: number; readonly inflate: Inflate } | null;
}

export interface ZipEntry {
  readonly name: string;
  readonly begin: number;
  readonly size: number;
  /** Bytes that it takes in the file: as many, where it is not deflated. */
  readonly stored: number;
  readonly isDeflated: boolean;
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
const DEFLATE = 8;
/** Encrypted, or sizes in a form that is not known here; bits 1 and 2 (how hard it was packed), 3 (sizes after the data) and 11 (UTF-8) are fine. */
const unknownFlags = 0xffff & ~((1 << 1) | (1 << 2) | (1 << 3) | (1 << 11));

/** @throws UserError `file_damaged` when the bytes are not such an archive */
export function openZip(source: ByteSource, { damaged, deflated }: ZipOptions): ZipArchive {
  const directory = findDirectory(source, damaged);
  const entries = new Map<string, ZipEntry>();
  let end = 0;
  for (const { header, ...entry } of readDirectory(source, directory, damaged, deflated?.maxBytes ?? null)) {
    if (entries.has(entry.name)) throw damaged(`it holds ${quoted(entry.name)} twice`);
    if (header < end) throw damaged('its parts overlap');
    const begin = dataBegin(source, header, entry.name, directory.begin, damaged);
    end = begin + entry.stored;
    if (end > directory.begin) throw damaged(`${quoted(entry.name)} does not fit into it`);
    entries.set(entry.name, { ...entry, begin });
  }
  // PyTorch can omit checksums; all are zero then.
  const hasChecksums = [...entries.values()].some(({ crc }) => crc !== 0);
  const compare = ({ name, crc }: ZipEntry, sum: number): void => {
    if (hasChecksums && sum !== crc) throw damaged(`the bytes of ${shorten(name)} are not those that were written`);
  };
  const verify = (entry: ZipEntry): void => {
    const { begin, size } = entry;
    let sum = 0;
    const pieces = hasChecksums ? piecesOf(source, PIECE, begin, begin + size) : [];
    for (const piece of pieces) sum = crc32(piece, sum);
    compare(entry, sum);
  };
  return {
    entries,
    verify: (entry) => (entry.isDeflated ? void inflated(entry) : verify(entry)),
    read(entry) {
      if (entry.isDeflated) return inflated(entry);
      verify(entry);
      return bytesAt(source, entry.begin, entry.size);
    },
  };

  function inflated(entry: ZipEntry): Uint8Array {
    const { name, begin, stored, size } = entry;
    let bytes: Uint8Array;
    try {
      bytes = deflated?.inflate(bytesAt(source, begin, stored), size) ?? new Uint8Array();
    } catch {
      throw damaged(`${shorten(name)} cannot be unpacked`);
    }
    if (bytes.length !== size) throw damaged(`${shorten(name)} has ${bytes.length} bytes instead of ${size}`);
    compare(entry, crc32(bytes));
    return bytes;
  }
}

/** A record of fixed size that begins with its signature. */
function recordAt(source: ByteSource, position: number, kind: keyof typeof sizes, damaged: Damaged): DataView {
  const size = sizes[kind];
  const isInside = position >= 0 && position + size <= source.byteLength;
  const view = isInside ? new DataView(bytesAt(source, position, size).buffer) : null;
  if (view?.getUint32(0, true) !== signatures[kind]) throw damaged('it is cut short or not a zip archive');
  return view;
}

const number8 = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

interface Directory {
  readonly begin: number;
  readonly size: number;
  readonly count: number;
}

/** Reads the records at the end of the file, which say where the list of entries is. */
function findDirectory(source: ByteSource, damaged: Damaged): Directory {
  const endAt = source.byteLength - sizes.end;
  const end = recordAt(source, endAt, 'end', damaged);
  if (end.getUint16(20, true) !== 0) throw damaged('it has a comment');
  let expectedEnd = endAt;
  let found = { begin: end.getUint32(16, true), size: end.getUint32(12, true), count: end.getUint16(10, true) };
  const locatorAt = endAt - sizes.locator;
  if (locatorAt >= 0 && bytesAt(source, locatorAt, 4).join() === '80,75,6,7') {
    const locator = recordAt(source, locatorAt, 'locator', damaged);
    expectedEnd = number8(locator, 8);
    const end64 = recordAt(source, expectedEnd, 'end64', damaged);
    if (expectedEnd + sizes.end64 !== locatorAt) throw damaged('its last parts do not fit together');
    found = { begin: number8(end64, 48), size: number8(end64, 40), count: number8(end64, 32) };
  }
  const { begin, size, count } = found;
  if (size > MAX_DIRECTORY || count > MAX_COUNT) throw damaged('its list of contents is too long');
  if (begin + size !== expectedEnd) throw damaged('its list of contents is not where it says');
  return found;
}

interface Listed {
  readonly name: string;
  readonly size: number;
  readonly stored: number;
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly header: number;
}

/** Lists the entries in order of their places. @param maxBytes of a deflated one; null if none may be deflated */
function readDirectory(source: ByteSource, directory: Directory, damaged: Damaged, maxBytes: number | null): Listed[] {
  const bytes = bytesAt(source, directory.begin, directory.size);
  const view = new DataView(bytes.buffer);
  const listed: Listed[] = [];
  let at = 0;
  for (let i = 0; i < directory.count; i++) {
    if (at + sizes.central > bytes.length || view.getUint32(at, true) !== signatures.central) {
      throw damaged('its list of contents is damaged');
    }
    const [nameSize, extraSize, commentSize] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const nameAt = at + sizes.central;
    const extraAt = nameAt + (nameSize ?? 0);
    const next = extraAt + (extraSize ?? 0) + (commentSize ?? 0);
    if (next > bytes.length) throw damaged('its list of contents is damaged');
    const name = decodeName(bytes.subarray(nameAt, extraAt), damaged);
    if ((view.getUint16(at + 8, true) & unknownFlags) !== 0) throw damaged(`${shorten(name)} is encrypted`);
    const method = view.getUint16(at + 10, true);
    const isDeflated = method === DEFLATE && maxBytes !== null;
    if (method !== 0 && !isDeflated) throw damaged(`${shorten(name)} is compressed in a way that is not read`);
    const wide = wideFields(view, at, extraAt, extraSize ?? 0);
    const [size, stored, header] = [24, 20, 42].map((place) => wide(place));
    const isClear =
      size !== undefined && stored !== undefined && header !== undefined && (isDeflated || size === stored);
    if (!isClear || !Number.isSafeInteger(size + stored + header)) {
      throw damaged(`the size of ${shorten(name)} is unclear`);
    }
    if (isDeflated && size > maxBytes) throw damaged(`${shorten(name)} would have more than ${maxBytes} bytes`);
    listed.push({ name, size, stored, isDeflated, header, crc: view.getUint32(at + 16, true) });
    at = next;
  }
  if (at !== bytes.length) throw damaged('its list of contents is damaged');
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

function decodeName(bytes: Uint8Array, damaged: Damaged): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw damaged('the name of a part is not text');
  }
}

/** Where an entry's bytes begin: after its own header, which must give the same name as the list. */
function dataBegin(source: ByteSource, header: number, name: string, limit: number, damaged: Damaged): number {
  const local = recordAt(source, header, 'local', damaged);
  const nameSize = local.getUint16(26, true);
  const begin = header + sizes.local + nameSize + local.getUint16(28, true);
  if (begin > limit || decodeName(bytesAt(source, header + sizes.local, nameSize), damaged) !== name) {
    throw damaged(`${quoted(name)} has two names`);
  }
  return begin;
}
