/** Facts about worker-read files that both sides of the worker share: the pieces of text, and the faults. */
import { localized, type Message } from '../../../../shared/messages/message.js';
import type { DocumentKind } from '../../../../shared/config/file-kinds.js';
import { UserError } from '../../../../shared/errors.js';

/** Some of a document's text. */
export interface DocumentPiece {
  readonly text: string;
  /** Bytes of the file read so far. */
  readonly fileBytes: number;
}

/** Some texts of a Parquet column. */
export interface ParquetTexts {
  readonly texts: readonly string[];
  readonly fileBytes: number;
}

/** Names of document kinds in messages. */
export const documentNames = { html: 'HTML', epub: 'EPUB', docx: 'Word', pdf: 'PDF' } as const satisfies Record<
  DocumentKind,
  string
>;

export function damagedDocument(file: string, kind: DocumentKind, why: string | Message, cause?: unknown): UserError {
  const name = documentNames[kind];
  return new UserError(
    {
      code: 'file_damaged',
      message: localized('extract.not_readable', { file, name, why }),
      hint: localized('extract.cut_short_damaged_protected_use'),
      field: 'data_path',
    },
    { cause },
  );
}

export function damagedParquet(file: string, why: string, cause?: unknown): UserError {
  return new UserError(
    {
      code: 'file_damaged',
      message: localized('extract.parquet_file_can_read', { file, why }),
      hint: localized('extract.cut_short_damaged_use_another'),
      field: 'data_path',
    },
    { cause },
  );
}
