/** Identifies a file by its first bytes and name. One table lists what is refused, with advice. */
import { type DocumentKind, documentKindOf, isJsonLines } from '../../../shared/config/file-kinds.js';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';

export type Packing = 'gzip' | 'zstd';
export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE';

export type Identity =
  | { readonly kind: 'document'; readonly format: DocumentKind }
  | { readonly kind: 'packed'; readonly packing: Packing }
  | { readonly kind: 'parquet' }
  /** @property mark whether a byte order mark precedes the text */
  | { readonly kind: 'plain' | 'records'; readonly encoding: Encoding; readonly mark: boolean };

export const HEAD_BYTES = 512;

export const TOKEN_FILES = localized('texts.token_files_read_input_mode');

const nameText = localized('texts.name_text_file');
/** Signatures of files that hold no plain text, in Latin-1, with what they are and what to do. */
const refused: readonly (readonly [string | RegExp, Message, Message])[] = [
  ['\xfd7zXZ\0', localized('texts.kind.xz'), localized('texts.unpack_first_unxz')],
  [/^BZh[1-9]1AY/, localized('texts.kind.bzip2'), localized('texts.unpack_first_bunzip2')],
  ['7z\xbc\xaf\x27\x1c', localized('texts.kind.7zip'), localized('texts.unpack_first')],
  ['PK\x03\x04', localized('texts.kind.zip'), localized('texts.unpack_give_document_ending_docx')],
  ['%PDF', localized('texts.kind.pdf'), localized('texts.give_ending_pdf')],
  ['\xd0\xcf\x11\xe0', localized('texts.kind.doc'), localized('texts.save_plain_text_utf_8')],
  ['\x89PNG', localized('texts.kind.png'), nameText],
  ['\xff\xd8\xff', localized('texts.kind.jpeg'), nameText],
  ['\x7fELF', localized('texts.kind.program'), nameText],
  ['\x88\xd8\x34\x01', localized('texts.kind.tokens'), TOKEN_FILES],
  [/^[^]{257}ustar/, localized('texts.kind.tar'), localized('texts.unpack_name_text_files')],
  ['\xff\xfe\0\0', localized('texts.kind.utf32'), localized('texts.save_utf_8')],
  ['\0\0\xfe\xff', localized('texts.kind.utf32'), localized('texts.save_utf_8')],
];

/** @param head first bytes. @param name its ending decides without a signature. @throws UserError `text_encoding` if it is no text */
export function identify(head: Uint8Array, name: string, packedWith: Packing | null = null): Identity {
  const format = documentKindOf(name);
  if (format !== null) return { kind: 'document', format };
  const file = labelOf(name, packedWith);
  const start = Buffer.from(head).toString('latin1');
  const packing = packingOf(start);
  if (packing !== null && packedWith !== null)
    throw notText(localized('texts.packed_twice', { file }), packedTwice[packing]);
  if (packing !== null) return { kind: 'packed', packing };
  if (start.startsWith('PAR1')) return { kind: 'parquet' };
  const other = refused.find(([mark]) => (typeof mark === 'string' ? start.startsWith(mark) : mark.test(start)));
  if (other) throw notText(localized('texts.is_kind', { file, kind: other[1] }), other[2]);
  // Small token ids have zero bytes too; a .bin file gets its own hint.
  if (!name.endsWith('.bin') && looksLikeUtf16(head.subarray(0, 64), start)) {
    throw notText(localized('texts.like_utf16', { file }), localized('texts.save_utf_8_utf_16'));
  }
  return { kind: isJsonLines(name) ? 'records' : 'plain', ...encodingOf(start) };
}

export const labelOf = (file: string, packing: Packing | null): string | Message =>
  packing === null ? file : localized('texts.packed_in', { file });

const packedTwice: Readonly<Record<Packing, Message>> = {
  gzip: localized('texts.unpack_first_gunzip'),
  zstd: localized('texts.unpack_first_unzstd'),
};

function packingOf(start: string): Packing | null {
  if (start.startsWith('\x1f\x8b')) return 'gzip';
  // A skippable frame (184D2A50 to 5F, little-endian) may precede the first real one.
  return start.startsWith('\x28\xb5\x2f\xfd') || start.slice(1, 4) === '\x2a\x4d\x18' ? 'zstd' : null;
}

function encodingOf(start: string): { encoding: Encoding; mark: boolean } {
  if (start.startsWith('\xff\xfe')) return { encoding: 'UTF-16LE', mark: true };
  if (start.startsWith('\xfe\xff')) return { encoding: 'UTF-16BE', mark: true };
  return { encoding: 'UTF-8', mark: start.startsWith('\xef\xbb\xbf') };
}

function looksLikeUtf16(first: Uint8Array, start: string): boolean {
  if (encodingOf(start).mark) return false;
  const zeros = [0, 1].map((parity) => first.filter((byte, i) => i % 2 === parity && byte === 0).length);
  return Math.max(...zeros) > first.length / 4 && Math.min(...zeros) === 0;
}

export const notText = (message: Message, hint: Message): UserError =>
  new UserError({ code: 'text_encoding', message, hint, field: 'data_path' });
