/** Identifies a file by its first bytes and name. One table lists what is refused, with advice. */
import { localized } from '../../../shared/messages/message.js';
import { type DocumentKind, documentKindOf, isJsonLines } from '../../../shared/config/file-kinds.js';
import { UserError } from '../../../shared/errors.js';
import { type Sentence } from '../../../shared/sentence.js';

export type Packing = 'gzip' | 'zstd';
export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE';

export type Identity =
  | { readonly kind: 'document'; readonly format: DocumentKind }
  | { readonly kind: 'packed'; readonly packing: Packing }
  | { readonly kind: 'parquet' }
  /** @property mark length of the byte order mark */
  | { readonly kind: 'plain' | 'records'; readonly encoding: Encoding; readonly mark: number };

/** Length of the head that identifies a file. */
export const HEAD_BYTES = 512;

export const TOKEN_FILES = localized('texts.token_files_read_input_mode');

/** Signatures of files that hold no plain text: hexadecimal, name, hint. */
const refused: readonly (readonly [string, string, Sentence])[] = [
  ['fd377a585a00', 'an xz archive', localized('texts.unpack_first_unxz')],
  ['425a68', 'a bzip2 archive', localized('texts.unpack_first_bunzip2')],
  ['377abcaf271c', 'a 7-Zip archive', localized('texts.unpack_first')],
  [
    '504b0304',
    'a zip archive (Word, OpenDocument and EPUB files are zip archives too)',
    localized('texts.unpack_give_document_ending_docx'),
  ],
  ['25504446', 'a PDF document', localized('texts.give_ending_pdf')],
  ['d0cf11e0', 'an old Word document', localized('texts.save_plain_text_utf_8')],
  ['89504e47', 'a PNG image', localized('texts.name_text_file')],
  ['ffd8ff', 'a JPEG image', localized('texts.name_text_file')],
  ['7f454c46', 'a program', localized('texts.name_text_file')],
  ['88d83401', 'an llm.c token file', TOKEN_FILES],
];

/** @param head first bytes. @param name its ending decides without a signature. @throws UserError `text_encoding` if it is no text */
export function identify(head: Uint8Array, name: string, packedWith: Packing | null = null): Identity {
  const format = documentKindOf(name);
  if (format !== null) return { kind: 'document', format };
  const label = labelOf(name, packedWith);
  const packing = packingOf(head);
  if (packing !== null && packedWith !== null) throw packedTwice(label, packing);
  if (packing !== null) return { kind: 'packed', packing };
  if (ascii(head, 0, 4) === 'PAR1') return { kind: 'parquet' };
  refuseOthers(head, label);
  return { kind: isJsonLines(name) ? 'records' : 'plain', ...encodingOf(head, label) };
}

/** Names a text in messages. */
export const labelOf = (name: string, packing: Packing | null): string =>
  packing === null ? name : `what is packed in ${name}`;

function packingOf(head: Uint8Array): Packing | null {
  const hex = hexOf(head.subarray(0, 4));
  if (hex.startsWith('1f8b')) return 'gzip';
  // A skippable frame (184D2A50 to 5F, little-endian) may precede the first real one.
  return hex === '28b52ffd' || /^5.2a4d18$/.test(hex) ? 'zstd' : null;
}

function refuseOthers(head: Uint8Array, label: string): void {
  const hex = hexOf(head);
  for (const [magic, kind, hint] of refused) {
    // "BZh" may begin a text; an archive continues with its level and a fixed mark.
    if (!hex.startsWith(magic) || (magic === '425a68' && !/^[1-9]1AY/.test(ascii(head, 3, 7)))) continue;
    throw notText(`${label} is ${kind}, not plain text`, hint);
  }
  if (ascii(head, 257, 262) === 'ustar') {
    throw notText(`${label} is a tar archive, not plain text`, localized('texts.unpack_name_text_files'));
  }
  if (hex.startsWith('fffe0000') || hex.startsWith('0000feff')) {
    throw notText(`${label} is UTF-32, which is not read`, localized('texts.save_utf_8'));
  }
}

function encodingOf(head: Uint8Array, label: string): { encoding: Encoding; mark: number } {
  const hex = hexOf(head.subarray(0, 3));
  if (hex.startsWith('efbbbf')) return { encoding: 'UTF-8', mark: 3 };
  if (hex.startsWith('fffe')) return { encoding: 'UTF-16LE', mark: 2 };
  if (hex.startsWith('feff')) return { encoding: 'UTF-16BE', mark: 2 };
  const first = head.subarray(0, 64);
  const zeros = [0, 1].map((parity) => first.filter((byte, i) => i % 2 === parity && byte === 0).length);
  // Small token ids have zero bytes too; a .bin file gets its own hint.
  if (!label.endsWith('.bin') && Math.max(...zeros) > first.length / 4 && Math.min(...zeros) === 0) {
    throw notText(`${label} looks like UTF-16 without a byte order mark`, localized('texts.save_utf_8_utf_16'));
  }
  return { encoding: 'UTF-8', mark: 0 };
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const ascii = (head: Uint8Array, from: number, to: number): string =>
  Buffer.from(head.subarray(from, to)).toString('latin1');

const packedTwice = (label: string, packing: Packing): UserError =>
  packing === 'gzip'
    ? notText(`${label} is a gzip archive, not plain text`, localized('texts.packed_more_once_unpack_first'))
    : notText(`${label} is a Zstandard archive, not plain text`, localized('texts.packed_twice'));

export function notText(message: string, hint: Sentence): UserError {
  return new UserError({ code: 'text_encoding', message, hint, field: 'data_path' });
}
