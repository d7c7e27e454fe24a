/** Identifies a file by its first bytes and name, before any reader parses it. */
import { type DocumentKind, documentKindOf, textFormatOf } from '../../../shared/config/file-kinds.js';
import { UserError } from '../../../shared/errors.js';
import { localized, type Message } from '../../../shared/messages/message.js';
import { type Signature, signatureOf } from '../../formats/signatures.js';
import { isWhatsApp } from './extract/chats.js';

export type Packing = 'gzip' | 'zstd';
export type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE';

export type Identity =
  | { readonly kind: 'document'; readonly format: DocumentKind }
  | { readonly kind: 'packed'; readonly packing: Packing }
  | { readonly kind: 'parquet' }
  /** @property mark whether a byte order mark precedes the text */
  | {
      readonly kind: 'plain' | 'lines' | 'json' | 'subtitles' | 'table' | 'chat';
      readonly encoding: Encoding;
      readonly mark: boolean;
    };

export const HEAD_BYTES = 1024;
/** Share of bytes that are zero in UTF-16 of any script, for its blanks. */
const LEAST_ZEROS = 0.02;

export const TOKEN_FILES = localized('texts.token_files_read_input_mode');

const nameText = localized('texts.name_text_file');
/** What to do with the kinds that are not read. */
const hints: Readonly<Partial<Record<Signature, Message>>> = {
  lfs: localized('formats.hint.lfs'),
  page: localized('formats.hint.page'),
  xml: localized('texts.name_xml_html'),
  mail: localized('texts.save_plain_text_utf_8'),
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
  const written = encodingOf(head, name);
  const bytes = littleEndian(head, written);
  const start = bytes.toString('latin1');
  const signature = signatureOf(bytes);
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
  return { kind: textKind(bytes, format, signature), ...written };
}

/** Whether a file's name is that of something else than a page or plain text. */
const isOther = (name: string, named: DocumentKind | null): boolean =>
  named === null ? !['plain', null].includes(textFormatOf(name)) : named !== 'html';

/** A list, or an object of several lines, is no JSON Lines, whatever its name. */
function textKind(head: Buffer, format: ReturnType<typeof textFormatOf>, signature: Signature | null) {
  const start = head.toString(head[0] === 0xff && head[1] === 0xfe ? 'utf16le' : 'utf8');
  if (format === 'lines') return /^[^\w"]*\[|^[^\w"]*\{\s*\n/.test(start) ? 'json' : 'lines';
  if (format === 'json' || signature === 'json') return 'json';
  if (format === 'table') return 'table';
  if (format === 'subtitles' || signature === 'subtitles') return 'subtitles';
  return isWhatsApp(start) ? 'chat' : 'plain';
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

function encodingOf(head: Uint8Array, name: string): { encoding: Encoding; mark: boolean } {
  const [first, second, third] = head;
  if (first === 0xff && second === 0xfe) return { encoding: 'UTF-16LE', mark: true };
  if (first === 0xfe && second === 0xff) return { encoding: 'UTF-16BE', mark: true };
  const encoding = (['UTF-16LE', 'UTF-16BE'] as const).find((one) => isUnmarked(head, one));
  // Small token ids have zero bytes too; a .bin file gets its own hint.
  if (encoding !== undefined && !name.endsWith('.bin')) return { encoding, mark: false };
  return { encoding: 'UTF-8', mark: first === 0xef && second === 0xbb && third === 0xbf };
}

/** Whether bytes are UTF-16 without a mark: blanks and Latin letters have a zero byte, all on one side; nothing is a control character. */
function isUnmarked(head: Uint8Array, encoding: 'UTF-16LE' | 'UTF-16BE'): boolean {
  const whole = head.subarray(0, head.length - (head.length % 2));
  const zeros = [0, 1].map((side) => whole.filter((byte, i) => i % 2 === side && byte === 0).length);
  const [other = 0, own = 0] = encoding === 'UTF-16LE' ? zeros : [...zeros].reverse();
  if (other > 0 || own < LEAST_ZEROS * whole.length) return false;
  // Of ASCII with some zeros, every pair would be a character too.
  if (own <= whole.length / 4 && whole.every((byte) => byte < 0x7f && (byte === 0 || byte > 8))) return false;
  return !/(?![\t\n\r\f\p{Cf}])\p{C}/u.test(new TextDecoder(encoding).decode(whole));
}

/** Writes the head of a text in UTF-16 as little endian with a mark, as signatures are sought in it. */
function littleEndian(head: Uint8Array, { encoding, mark }: { encoding: Encoding; mark: boolean }): Buffer {
  if (encoding === 'UTF-8') return Buffer.from(head);
  const pairs = Buffer.from(head.subarray(0, head.length - (head.length % 2)));
  return Buffer.concat([Buffer.from(mark ? '' : 'fffe', 'hex'), encoding === 'UTF-16BE' ? pairs.swap16() : pairs]);
}

export const notText = (message: Message, hint: Message): UserError =>
  new UserError({ code: 'text_encoding', message, hint, field: 'data_path' });
