/** Which files are documents, and what is said of a bad one: what is known of them outside of the worker that reads them. */
import type { DocumentKind } from '../../../../shared/config/file-kinds.js';
import { UserError } from '../../../../shared/errors.js';

/** Some of a document's text. */
export interface DocumentPiece {
  readonly text: string;
  /** How much of the file has been read. */
  readonly fileBytes: number;
}

/** What each is called in messages. */
export const documentNames = { html: 'HTML', epub: 'EPUB', docx: 'Word', pdf: 'PDF' } as const satisfies Record<
  DocumentKind,
  string
>;

export function damagedDocument(file: string, kind: DocumentKind, why: string, cause?: unknown): UserError {
  const name = documentNames[kind];
  return new UserError(
    {
      code: 'file_damaged',
      message: `${file} is not ${/^[EH]/.test(name) ? 'an' : 'a'} ${name} document that can be read: ${why}`,
      hint: 'It was cut short, damaged or protected; use another copy, or save it as plain text (UTF-8).',
      field: 'data_path',
    },
    { cause },
  );
}
