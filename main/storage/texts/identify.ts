/** Identifies a file by its first bytes and name, before any reader parses it. */
import { type DocumentKind, documentKindOf, textFormatOf } from '../../../shared/config/file-kinds.js';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { type Signature, signatureOf } from '../../formats/signatures.js';

export type Packing = 'gzip' | 'zstd';
export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE';

export type Identity =
  | { readonly kind: 'document'; readonly format: DocumentKind }
  | { readonly kind: 'packed'; readonly packing: Packing }
  | { readonly kind: 'parquet' }
  /** @property mark whether a byte order mark precedes the text */
  | {
      readonly kind: 'plain' | 'lines' | 'json' | 'subtitles';
      readonly encoding: Encoding;
      readonly mark: boolean;
    };

export const HEAD_BYTES = 1024;

export const TOKEN_FILES = localized('texts.token_files_read_input_mode');

const nameText = localized('texts.name_text_file');
/** What to do with the kinds that are not read. */
const hints: Readonly<Partial<Record<Signature, Message>>> = {
  lfs: localized('formats.hint.lfs'),
  page: localized('formats.hint.page'),
  xml: localized('texts.name_xml_html'),
  xz: localized('texts.unpack_first_unxz'),
  bzip2: localized('texts.unpack_first_bunzip2'),
  '7zip': localized('texts.unpack_first'),
  zip: localized('texts.unpack_give_document_ending_docx'),
  pdf: localized('texts.give_ending_pdf'),
  doc: localized('texts.save_plain_text_utf_8'),
  tokens: TOKEN_FILES,
  tar: localized('texts.unpack_name_text_files'),
  utf32: localized('texts.save_utf_8'),
};
/** Documents that are recognized under any name. */
const documents: Readonly<Partial<Record<Signature, DocumentKind>>> = { page: 'html', fb2: 'fb2', rtf: 'rtf' };

/** @param head first bytes. @param name its ending decides without a signature. @throws UserError `text_encoding` if it is no text */
export function identify(head: Uint8Array, name: string, packedWith: Packing | null = null): Identity {
  const file = labelOf(name, packedWith);
  const start = Buffer.from(head).toString('latin1');
  const signature = signatureOf(head);
  const refusal = (hint: Message | undefined) =>
    notText(
      localized('texts.is_kind', { file, kind: localized(`texts.kind.${signature ?? 'zip'}`) }),
      hint ?? nameText,
    );
  const named = packedWith === null ? documentKindOf(name) : null;
  if (signature === 'lfs' || (signature === 'page' && isOther(name, named))) throw refusal(hints[signature]);
  if (named !== null && named !== 'rtf') return { kind: 'document', format: named };
  const packing = packingOf(start);
  if (packing !== null && packedWith !== null)
    throw notText(localized('texts.packed_twice', { file }), packedTwice[packing]);
  if (packing !== null) return { kind: 'packed', packing };
  const format = textFormatOf(name);
  if (start.startsWith('PAR1')) return { kind: 'parquet' };
  const document = signature === null ? undefined : documents[signature];
  if (document !== undefined && packedWith !== null) throw refusal(localized('texts.unpack_first'));
  if (document !== undefined) return { kind: 'document', format: document };
  if (signature !== null && signature !== 'json' && signature !== 'subtitles') throw refusal(hints[signature]);
  if (format === 'parquet') return { kind: 'parquet' };
  // Small token ids have zero bytes too; a .bin file gets its own hint.
  if (!name.endsWith('.bin') && looksLikeUtf16(head.subarray(0, 64), start)) {
    throw notText(localized('texts.like_utf16', { file }), localized('texts.save_utf_8_utf_16'));
  }
  return { kind: textKind(start, format, signature), ...encodingOf(start) };
}

/** Whether a file's name is that of something else than a page or plain text. */
const isOther = (name: string, named: DocumentKind | null): boolean =>
  named === null ? !['plain', null].includes(textFormatOf(name)) : named !== 'html';

/** A list, or an object of several lines, is no JSON Lines, whatever its name. */
function textKind(start: string, format: ReturnType<typeof textFormatOf>, signature: Signature | null) {
  if (format === 'lines') return /^[^\w"]*\[|^[^\w"]*\{\s*\n/.test(start) ? 'json' : 'lines';
  if (format === 'json' || signature === 'json') return 'json';
  return format === 'subtitles' || signature === 'subtitles' ? 'subtitles' : 'plain';
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
