/** Pieces that the worker sends, and the faults of the files that it reads: what both sides of it share. */
import type { DocumentKind } from '../../../../shared/config/file-kinds.js';
import { UserError } from '../../../../shared/errors.js';
import { localized, type Message } from '../../../../shared/messages/message.js';
import type { Packing } from '../identify.js';
import type { Choice } from './choice.js';
import type { Omitted } from './omissions.js';

/** Some of a file, and how many of its bytes have been read so far. */
export type Piece<T> = T & { readonly fileBytes: number };
/** @property detected encoding, if the document does not declare one. @property omitted damaged parts so far */
export type DocumentPiece = Piece<{
  readonly text: string;
  readonly detected?: string | undefined;
  readonly omitted?: Omitted;
}>;
export type ParquetTexts = Piece<{ readonly texts: readonly string[]; readonly choice: Choice }>;
export type UnpackedPiece = Piece<{ readonly bytes: Uint8Array }>;

/** The reason of a fault; a string is a library's own message. */
export type Reason = string | Message;
export type Damaged = (why: Reason) => UserError;

export const documentNames = {
  html: 'HTML',
  epub: 'EPUB',
  docx: 'Word',
  pdf: 'PDF',
  rtf: 'RTF',
  fb2: 'FictionBook',
} as const satisfies Record<DocumentKind, string>;

export const damagedDocument = (file: string, kind: DocumentKind, why: Reason, cause?: unknown): UserError =>
  damaged(
    localized('extract.not_readable', { file, format: documentNames[kind], why }),
    localized('extract.cut_short_damaged_protected_use'),
    cause,
  );

export const damagedParquet = (file: string, why: Reason, cause?: unknown): UserError =>
  damaged(
    localized('extract.parquet_file_can_read', { file, why }),
    localized('extract.cut_short_damaged_use_another'),
    cause,
  );

export const damagedPacking = (file: string, packing: Packing, why: Reason, cause?: unknown): UserError =>
  damaged(
    localized('extract.cannot_unpacked', { file, packing, why }),
    localized('extract.file_cut_short_damaged_use'),
    cause,
  );

const damaged = (message: Message, hint: Message, cause: unknown): UserError =>
  new UserError({ code: 'file_damaged', message, hint, field: 'data_path' }, { cause });

/** Yields batches of at least `size`, except the last: each message between worker and process has a cost. */
export function* inBatches<T>(items: Iterable<T>, size: number, sizeOf: (item: T) => number): Generator<T[]> {
  let batch: T[] = [];
  let gathered = 0;
  for (const item of items) {
    batch.push(item);
    gathered += sizeOf(item);
    if (gathered < size) continue;
    yield batch;
    [batch, gathered] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
