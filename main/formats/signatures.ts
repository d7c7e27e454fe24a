/** Recognizes files by their first bytes: above all those that are often in the place of another. */
import { UserError } from '../../shared/errors.js';
import { localized } from '../../shared/messages/message.js';
import { type ByteSource, firstBytes } from './byte-source.js';

const HEAD_BYTES = 1024;

const signatures = [
  ['lfs', /^version https:\/\/git-lfs\.github\.com/],
  ['page', /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<(?:!doctype html|html|head|body)\b/i],
  ['fb2', /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*<FictionBook\b/],
  ['xml', /^\s*(?:<\?xml\b|<!doctype\b|<svg\b)/i],
  ['rtf', /^\s*\{\\rtf/],
  ['json', /^\s*(?:\[\s*)*\{\s*"(?:[^"\\\n]|\\.){0,99}"\s*:|^\s*\[\s*"(?:[^"\\\n]|\\.)*"\s*,\s*"/],
  ['subtitles', /^\s*(?:WEBVTT\b|\[Script Info\]|1\s*\n\d\d:\d\d:\d\d[,.]\d{3} +-->)/],
  // E-mails, and web pages that were saved with their pictures.
  ['mail', /^(?:From \S+@[^\n]*\n)?(?:[A-Z][\w-]*: [^\n]*\n(?:[ \t][^\n]*\n)*){0,30}MIME-Version: /i],
  ['sqlite', /^SQLite format 3\0/],
  ['xz', '\xfd7zXZ\0'],
  ['bzip2', /^BZh[1-9]1AY/],
  ['7zip', '7z\xbc\xaf\x27\x1c'],
  ['zip', 'PK\x03\x04'],
  ['pdf', '%PDF'],
  ['doc', '\xd0\xcf\x11\xe0'],
  ['png', '\x89PNG'],
  ['jpeg', '\xff\xd8\xff'],
  ['program', '\x7fELF'],
  ['tokens', '\x88\xd8\x34\x01'],
  ['tar', /^[^]{257}ustar/],
  ['utf32', /^(?:\xff\xfe\0\0|\0\0\xfe\xff)/],
  ['gguf', 'GGUF'],
  ['safetensors', /^[^]{5}\0\0\0\{/],
  ['pickle', '\x80\x02'],
] as const;

export type Signature = (typeof signatures)[number][0];

/** Returns the first kind whose signature the bytes begin with; null for others, such as plain text. */
export function signatureOf(head: Uint8Array): Signature | null {
  const bytes = Buffer.from(head);
  const start = /^\xff\xfe[^\0]/.test(bytes.toString('latin1', 0, 3))
    ? bytes.toString('utf16le', 2)
    : bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  return (
    signatures.find(([, mark]) => (typeof mark === 'string' ? start.startsWith(mark) : mark.test(start)))?.[0] ?? null
  );
}

/** Refuses a file that is recognized as another kind than those expected. @throws UserError `file_damaged` */
export function refuseOther(file: ByteSource | Uint8Array, what: string, ...expected: readonly Signature[]): void {
  const kind = signatureOf(file instanceof Uint8Array ? file.subarray(0, HEAD_BYTES) : firstBytes(file, HEAD_BYTES));
  if (kind === null || expected.includes(kind)) return;
  const message = localized('formats.is_kind', { what, kind: localized(`texts.kind.${kind}`) });
  const hint = localized(kind === 'lfs' || kind === 'page' ? `formats.hint.${kind}` : 'damage.hint');
  throw new UserError({ code: 'file_damaged', message, hint });
}
