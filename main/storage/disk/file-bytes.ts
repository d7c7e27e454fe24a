/** Reads and writes whole files; short reads and writes continue, and a file counts as written when it is synced. */
import { createHash } from 'node:crypto';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { bytesAt, piecesOf, type ByteSource } from '../../formats/byte-source.js';
import { refuseOther } from '../../formats/signatures.js';
import { type FileOperations, nodeFileOperations } from './file-operations.js';
import type { FileRecord } from './manifest.js';

/** Contents of a file: text, bytes, or pieces that are made while writing, for files larger than memory. */
export type Bytes = string | Uint8Array | Iterable<Uint8Array>;

const READ_BYTES = 1 << 22;
/** One system call moves less than 2 GiB. */
const MAX_CALL = 1 << 30;
const MAX_TEXT = 1 << 24;

function* pieces(bytes: Bytes): Iterable<Uint8Array> {
  if (typeof bytes === 'string') yield Buffer.from(bytes);
  else if (bytes instanceof Uint8Array) yield bytes;
  else yield* bytes;
}

export function writeAll(handle: number, bytes: Uint8Array, ops: FileOperations): void {
  for (let done = 0; done < bytes.byteLength;) {
    done += ops.write(handle, bytes.subarray(done, done + MAX_CALL));
  }
}

export function writeNewFile(file: string, bytes: Bytes, ops: FileOperations): FileRecord {
  const steps = newFileSteps(file, bytes, ops);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Writes a new file in steps, between which other work has its turn: yields how many bytes each wrote. */
export function* newFileSteps(file: string, bytes: Bytes, ops: FileOperations): Generator<number, FileRecord, void> {
  const hash = createHash('sha256');
  let length = 0;
  const handle = ops.open(file, 'wx');
  try {
    for (const piece of pieces(bytes)) {
      writeAll(handle, piece, ops);
      hash.update(piece);
      length += piece.byteLength;
      yield piece.byteLength;
    }
    ops.sync(handle);
  } finally {
    ops.close(handle);
  }
  return { bytes: length, sha256: hash.digest('hex') };
}

export function copyNewFile(from: string, to: string, ops: FileOperations): void {
  ops.copy(from, to);
  const handle = ops.open(to, 'r+');
  try {
    ops.sync(handle);
  } finally {
    ops.close(handle);
  }
}

/** A file opened for reading by position. `close` it. */
export interface OpenFile extends ByteSource {
  /** Identifies the file's contents: differs once the file is changed or replaced. */
  identity(): string;
  close(): void;
}

/** @throws UserError `file_not_found`, `file_not_readable`; `read` throws `file_damaged` past the end */
export function openFile(file: string, ops = nodeFileOperations): OpenFile {
  return onFile(file, 'read', () => {
    const handle = ops.open(file, 'r');
    return {
      byteLength: sizeOrClose(handle, ops),
      identity: () => onFile(file, 'read', () => ops.identity(handle)),
      read(position, into) {
        onFile(file, 'read', () => {
          for (let done = 0; done < into.byteLength;) {
            const got = ops.read(handle, into.subarray(done, done + MAX_CALL), position + done);
            if (got === 0) {
              throw damaged(
                localized('disk.ends_earlier_should', { file }),
                localized('disk.cut_short_while_being_copied'),
              );
            }
            done += got;
          }
        });
      },
      close: () => onFile(file, 'read', () => ops.close(handle)),
    };
  });
}

function sizeOrClose(handle: number, ops: FileOperations): number {
  try {
    return ops.size(handle);
  } catch (error) {
    ops.close(handle);
    throw error;
  }
}

/** Reads a file later without holding it open. @throws UserError; `read`: `file_damaged` if the file has changed */
export function fileSource(file: string, ops = nodeFileOperations): ByteSource {
  const first = withFile(file, (source) => ({ byteLength: source.byteLength, identity: source.identity() }), ops);
  return {
    byteLength: first.byteLength,
    read(position, into) {
      const use = (source: OpenFile) => {
        if (source.identity() !== first.identity) {
          throw damaged(localized('disk.changed_while_use', { file }), localized('disk.try_again_once_no_other'));
        }
        source.read(position, into);
      };
      withFile(file, use, ops);
    },
  };
}

const damaged = (message: Message, hint: Message): UserError => new UserError({ code: 'file_damaged', message, hint });

export function withFile<T>(file: string, use: (source: OpenFile) => T, ops = nodeFileOperations): T {
  const source = openFile(file, ops);
  try {
    return use(source);
  } finally {
    source.close();
  }
}

export async function withFileAsync<T>(
  file: string,
  use: (source: OpenFile) => Promise<T>,
  ops: FileOperations,
): Promise<T> {
  const source = openFile(file, ops);
  try {
    return await use(source);
  } finally {
    source.close();
  }
}

export const fileSize = (file: string, ops = nodeFileOperations): number =>
  withFile(file, (source) => source.byteLength, ops);

/** Reads a file of bounded size. @throws UserError `file_damaged` above `limit` bytes; `file_not_found`, `file_not_readable` */
export function readSmall(file: string, limit: number, ops = nodeFileOperations): Uint8Array {
  const read = (source: OpenFile) => {
    const { byteLength } = source;
    if (byteLength <= limit) return bytesAt(source, 0, byteLength);
    throw damaged(
      localized('disk.bytes_long_such_file_most', { file, byteLength, limit }),
      localized('disk.check_right_file_use_another'),
    );
  };
  return withFile(file, read, ops);
}

/** Reads a file of JSON, or of a few lines, as UTF-8. @throws as readSmall; UserError `file_damaged` for another kind of file */
export function readText(file: string, ops = nodeFileOperations, limit = MAX_TEXT): string {
  const bytes = readSmall(file, limit, ops);
  refuseOther(bytes, file, 'json');
  return new TextDecoder().decode(bytes);
}

export function measureFile(file: string, ops = nodeFileOperations): FileRecord {
  const measure = (source: OpenFile) => {
    const hash = createHash('sha256');
    for (const piece of piecesOf(source, READ_BYTES)) hash.update(piece);
    return { bytes: source.byteLength, sha256: hash.digest('hex') };
  };
  return withFile(file, measure, ops);
}
