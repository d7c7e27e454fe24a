/** Appends to logs in JSON Lines. A line counts once its newline is there; on resume a log is cut back to its checkpoint. */
import * as path from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { isDamage, onFile } from '../../../shared/file-errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { parseBoundedJson } from '../../formats/bounded-json.js';
import { bytesAt, type ByteSource, piecesOf } from '../../formats/byte-source.js';
import { ensureFolder } from './atomic.js';
import { fileSize, type OpenFile, openFile, withFile, writeAll } from './file-bytes.js';
import { type FileOperations, kindAt, nodeFileOperations } from './file-operations.js';

export type JsonLinesWriter = ReturnType<typeof openJsonLines>;

const NEWLINE = 0x0a;
const PIECE_BYTES = 1 << 16;
/** Ten times a sample of the longest context. */
const MAX_LINE = 1 << 22;

/** Opens a log for appending, making it and its folder if need be; cuts off what a crash left of a line. */
export function openJsonLines(file: string, ops = nodeFileOperations) {
  ensureFolder(path.dirname(file), ops);
  return onFile(file, 'write', () => {
    let byteLength = cutBack(file, wholeLength(file, ops), ops);
    let handle: number | null = ops.open(file, 'a');
    /** Part of a line may be at the end; readers do not count it. */
    let torn = false;
    const write = (action: (open: number) => void): void => {
      const open = handle;
      if (open === null) throw new Error('the log is closed');
      onFile(file, 'write', () => action(open));
    };
    return {
      /** Bytes of all whole lines: what a checkpoint stores, and `cutBack` takes. */
      get byteLength(): number {
        return byteLength;
      },
      /** Adds a line; NaN and infinities become null. @throws UserError `disk_full`, `file_not_writable`; the log keeps its lines */
      append(row: object): void {
        const line = Buffer.from(`${JSON.stringify(row)}\n`);
        write((open) => {
          if (torn) ops.truncate(open, byteLength);
          torn = true;
          writeAll(open, line, ops);
          torn = false;
          byteLength += line.byteLength;
        });
      },
      sync: () =>
        write((open) => {
          ops.sync(open);
          ops.syncFolder(path.dirname(file));
        }),
      close(): void {
        const open = handle;
        // A handle that could not be closed is gone all the same.
        handle = null;
        if (open !== null) onFile(file, 'write', () => ops.close(open));
      },
    };
  });
}

function wholeLength(file: string, ops: FileOperations): number {
  if (ops.kind(file) === 'none') return 0;
  const find = (source: OpenFile) => {
    for (let end = source.byteLength; end > 0; end -= PIECE_BYTES) {
      const begin = Math.max(0, end - PIECE_BYTES);
      const at = bytesAt(source, begin, end - begin).lastIndexOf(NEWLINE);
      if (at >= 0) return begin + at + 1;
    }
    return 0;
  };
  return withFile(file, find, ops);
}

/** Yields whole lines between two positions, without their newline, each with its end. */
export function* wholeLines(
  source: ByteSource,
  from = 0,
  until = source.byteLength,
  maxLine = Infinity,
): Generator<{ readonly line: Buffer; readonly end: number }> {
  let rest: Buffer = Buffer.alloc(0);
  let position = from;
  for (const piece of piecesOf(source, PIECE_BYTES, from, until)) {
    position += piece.byteLength;
    const bytes = rest.byteLength === 0 ? piece : Buffer.concat([rest, piece]);
    let start = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
      yield { line: bytes.subarray(start, at), end: position - bytes.byteLength + at + 1 };
      start = at + 1;
    }
    rest = bytes.subarray(start);
    if (rest.byteLength > maxLine) throw new RangeError('a line is too long');
  }
}

/** Yields the rows; an incomplete last line does not count. @param parse checks a row. @throws UserError `file_damaged` naming the line */
export function* readJsonLines<T>(file: string, parse: (row: unknown) => T, ops = nodeFileOperations): Generator<T> {
  for (const { row } of rows(file, parse, ops)) yield row;
}

function* rows<T>(
  file: string,
  parse: (row: unknown) => T,
  ops: FileOperations,
  from = 0,
): Generator<{ row: T; end: number }> {
  if (kindAt(file, ops) === 'none') return;
  const source = openFile(file, ops);
  let number = 1;
  try {
    for (const { line, end } of wholeLines(source, from, source.byteLength, MAX_LINE)) {
      yield { row: parse(parseBoundedJson(line.toString('utf8'))), end };
      number += 1;
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw damaged(localized('disk.line_damaged', { file, number: String(number) }), error);
  } finally {
    source.close();
  }
}

export interface RowsToKeep {
  /** Bytes at the beginning that stay in any case; 0 by default. */
  readonly after?: number;
  /** Of what follows, all rows before the first for which this is false. */
  readonly keep: (row: unknown) => boolean;
}

/** Cuts a log back to a length or to the rows to keep, up to the first unreadable one, and syncs it. @throws UserError `file_damaged` */
export function cutBack(file: string, keep: number | RowsToKeep, ops = nodeFileOperations): number {
  return onFile(file, 'write', () => {
    const length = ops.kind(file) === 'none' ? 0 : fileSize(file, ops);
    const least = typeof keep === 'number' ? keep : (keep.after ?? 0);
    if (length < least) throw damaged(localized('disk.log_too_short', { file, length, least }));
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

const damaged = (message: Message, cause?: unknown): UserError =>
  new UserError({ code: 'file_damaged', message, hint: localized('disk.move_file_away_continue_without') }, { cause });
