/** Appends to logs in JSON Lines. A line counts once its newline is there; on resume a log is cut back to its checkpoint. */
import { localized } from '../../../shared/messages/message.js';
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { parseBoundedJson } from '../../formats/bounded-json.js';
import { bytesAt, piecesOf } from '../../formats/byte-source.js';
import { ensureFolder } from './atomic.js';
import { fileSize, openFile, withFile, writeAll } from './file-bytes.js';
import { isDamage, onFile } from '../../../shared/file-errors.js';
import { type FileOperations, kindAt, nodeFileOperations } from './file-operations.js';

export interface JsonLinesWriter {
  /** Bytes of all whole lines: what a checkpoint notes, and `cutBack` takes. */
  readonly byteLength: number;
  /** Adds a line; NaN and infinities become null. @throws UserError `disk_full`, `file_not_writable`; the log keeps its lines */
  append(row: object): void;
  /** Returns when every line is on the disk. */
  sync(): void;
  close(): void;
}

const newline = 0x0a;
/** How much is read at a time. */
const pieceSize = 1 << 16;
/** A sample of the longest context takes a tenth of this; what has no line ends is no log. */
const MAX_LINE = 1 << 22;

/** Opens a log for appending, making it and its folder if need be; what a crash left of a line is cut off. */
export function openJsonLines(file: string, ops: FileOperations = nodeFileOperations): JsonLinesWriter {
  ensureFolder(path.dirname(file), ops);
  return onFile(file, 'write', () => {
    let byteLength = cutBack(file, wholeLength(file, ops), ops);
    const handle = ops.open(file, 'a');
    /** Part of a line may be at the end; readers do not count it. */
    let torn = false;
    let open = true;
    return {
      get byteLength() {
        return byteLength;
      },
      append(row) {
        onFile(file, 'write', () => {
          const line = Buffer.from(`${JSON.stringify(row)}\n`);
          if (torn) ops.truncate(handle, byteLength);
          torn = true;
          writeAll(handle, line, ops);
          torn = false;
          byteLength += line.byteLength;
        });
      },
      sync: () =>
        onFile(file, 'write', () => {
          ops.sync(handle);
          ops.syncFolder(path.dirname(file));
        }),
      close: () => {
        // A handle that could not be closed is gone all the same: closing it again would hide why.
        if (!open) return;
        open = false;
        onFile(file, 'write', () => ops.close(handle));
      },
    };
  });
}

/** Where the last whole line ends, found from the back. */
function wholeLength(file: string, ops: FileOperations): number {
  if (ops.kind(file) === 'none') return 0;
  return withFile(
    file,
    (source) => {
      for (let end = source.byteLength; end > 0; end -= pieceSize) {
        const begin = Math.max(0, end - pieceSize);
        const piece = bytesAt(source, begin, end - begin);
        const at = piece.lastIndexOf(newline);
        if (at >= 0) return begin + at + 1;
      }
      return 0;
    },
    ops,
  );
}

interface Line {
  readonly text: string;
  readonly end: number;
}

/** Whole lines of a file, read a piece at a time. */
function* wholeLines(file: string, ops: FileOperations, from: number): Generator<Line> {
  const source = openFile(file, ops);
  try {
    let rest = Buffer.alloc(0);
    let position = from;
    for (const piece of piecesOf(source, pieceSize, from)) {
      position += piece.byteLength;
      const bytes = Buffer.concat([rest, piece]);
      let start = 0;
      for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, start)) {
        yield { text: bytes.toString('utf8', start, at), end: position - bytes.byteLength + at + 1 };
        start = at + 1;
      }
      rest = bytes.subarray(start);
      if (rest.byteLength > MAX_LINE) throw damaged(`${file} has a line of more than ${MAX_LINE} bytes`);
    }
  } finally {
    source.close();
  }
}

/** Yields the rows; an incomplete last line does not count. @param parse checks a row. @throws UserError `file_damaged` naming the line */
export function* readJsonLines<T>(
  file: string,
  parse: (row: unknown) => T,
  ops: FileOperations = nodeFileOperations,
): Generator<T> {
  for (const { row } of rows(file, parse, ops)) yield row;
}

function* rows<T>(
  file: string,
  parse: (row: unknown) => T,
  ops: FileOperations,
  from = 0,
): Generator<{ row: T; end: number }> {
  if (kindAt(file, ops) === 'none') return;
  let number = 0;
  for (const { text, end } of wholeLines(file, ops, from)) {
    number += 1;
    let row: T;
    try {
      row = parse(parseBoundedJson(text));
    } catch (error) {
      throw damaged(`${file} line ${number} is damaged`, { cause: error });
    }
    yield { row, end };
  }
}

/** Which rows of a log stay. */
export interface RowsToKeep {
  /** Everything before this many bytes stays. Left out: nothing for certain. */
  readonly after?: number;
  /** Of what follows, all rows before the first for which this is false. */
  readonly keep: (row: unknown) => boolean;
}

/** Cuts a log back to a length or to the rows to keep, up to the first unreadable one, and syncs it. @throws UserError `file_damaged` */
export function cutBack(file: string, keep: number | RowsToKeep, ops: FileOperations = nodeFileOperations): number {
  return onFile(file, 'write', () => {
    const length = ops.kind(file) === 'none' ? 0 : fileSize(file, ops);
    const least = typeof keep === 'number' ? keep : (keep.after ?? 0);
    if (length < least) throw damaged(`${file} has ${length} bytes; its checkpoint was saved when it had ${least}`);
    const wanted = typeof keep === 'number' ? keep : keptLength(file, least, keep.keep, ops);
    if (length > wanted) truncate(file, wanted, ops);
    return wanted;
  });
}

function keptLength(file: string, after: number, keep: (row: unknown) => boolean, ops: FileOperations): number {
  let length = after;
  try {
    for (const { row, end } of rows(file, (value) => value, ops, after)) {
      if (!keep(row)) break;
      length = end;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return length;
}

function truncate(file: string, length: number, ops: FileOperations): void {
  const handle = ops.open(file, 'r+');
  try {
    ops.truncate(handle, length);
    ops.sync(handle);
  } finally {
    ops.close(handle);
  }
}

function damaged(message: string, options?: ErrorOptions): UserError {
  return new UserError(
    { code: 'file_damaged', message, hint: localized('disk.move_file_away_continue_without') },
    options,
  );
}
