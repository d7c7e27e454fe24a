/** Extracts the visible text of a web page or an EPUB chapter. Runs in file-reader.ts. */
import { Parser } from 'htmlparser2';
import { UserError } from '../../../../../shared/errors.js';
import { localized, type Message } from '../../../../../shared/messages/message.js';
import { firstBytes, piecesOf } from '../../../../formats/byte-source.js';
import { quoted } from '../../../../formats/shorten.js';
import type { OpenFile } from '../../../disk/file-bytes.js';
import { decoderOf, isKnown, MAX_SURVEY, Survey } from '../encoding.js';
import { type Damaged, damagedDocument, type DocumentPiece } from '../pieces.js';
import { Paragraphs } from './paragraphs.js';

/** Unclosed tags nest deep, and each tag is searched among the open ones. */
const MAX_DEPTH = 2048;
const MAX_TAG = 1 << 22;
const CHUNK_BYTES = 1 << 18;
const HEAD_BYTES = 1 << 12;

const unread = new Set(
  'title script style noscript template nav iframe object canvas audio video svg math map select button textarea datalist rp rt'.split(
    ' ',
  ),
);
const unreadInFictionBook = new Set(['description', 'binary', 'stylesheet']);
/** Elements with an empty line around them. */
const paragraphs = new Set(
  'address article aside blockquote body center details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html main ol p pre section summary table title ul'.split(
    ' ',
  ),
);
/** Elements that begin a new line. */
const lines = new Set('br caption dd dt li tr tbody thead tfoot v'.split(' '));
/** Elements without an end tag, which must not start skipping. */
const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

interface HtmlText {
  push(text: string): void;
  end(): void;
}

export function htmlText(out: Paragraphs, isXhtml: boolean, damaged: Damaged, isBook = false): HtmlText {
  const skips = isBook ? unreadInFictionBook : unread;
  let depth = 0;
  /** Name of the outermost skipped element, and how many of its name are open. */
  let skipped: string | null = null;
  let skippedDepth = 0;
  let pre = 0;
  const around = (name: string): void => {
    if (paragraphs.has(name)) out.endLine(2);
    else if (lines.has(name)) out.endLine(1, name === 'br');
    else if (name === 'td' || name === 'th') out.tab();
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH) throw damaged(localized('documents.too_deep', { most: MAX_DEPTH }));
        if (skipped !== null) {
          if (name === skipped) skippedDepth++;
          return;
        }
        const isHidden = 'hidden' in attributes || attributes['role'] === 'navigation';
        if (!empty.has(name) && (skips.has(name) || (isHidden && name !== 'body'))) {
          [skipped, skippedDepth] = [name, 1];
          return;
        }
        if (name === 'td' || name === 'th') return;
        around(name);
        if (name === 'pre') pre++;
      },
      ontext(text) {
        if (skipped === null) out.add(text, pre > 0);
      },
      onclosetag(name) {
        depth = Math.max(0, depth - 1);
        if (skipped !== null) {
          if (name === skipped && --skippedDepth === 0) skipped = null;
          return;
        }
        if (name !== 'br') around(name);
        if (name === 'pre') pre = Math.max(0, pre - 1);
      },
    },
    { decodeEntities: true, recognizeSelfClosing: isXhtml, recognizeCDATA: isXhtml, xmlMode: isBook },
  );
  let sinceEvent = 0;
  let place = 0;
  return {
    push(text) {
      // Without any tag or text in all this, the parser is collecting a token that has no end.
      sinceEvent = parser.startIndex === place ? sinceEvent + text.length : 0;
      place = parser.startIndex;
      if (sinceEvent > MAX_TAG) throw damaged(localized('documents.open_tag'));
      parser.write(text);
    },
    end: () => parser.end(),
  };
}

/** @throws UserError `text_encoding`, `file_damaged` */
export function* htmlTexts(file: string, source: OpenFile, kind: 'html' | 'fb2'): Generator<DocumentPiece> {
  const head = firstBytes(source, HEAD_BYTES);
  const { label, detected } = encodingOf(file, head, source);
  const decode = decoderOf(label);
  const out = new Paragraphs();
  const isBook = kind === 'fb2';
  const isXhtml = isBook || /^\s*(<\?xml|<!DOCTYPE[^>]*XHTML)/i.test(head.toString('latin1', 0, 512));
  const damaged: Damaged = (why) => damagedDocument(file, kind, why);
  const html = htmlText(out, isXhtml, damaged, isBook);
  let fileBytes = 0;
  for (const bytes of piecesOf(source, CHUNK_BYTES)) {
    const text = decode(bytes);
    html.push((fileBytes === 0 ? text.replace(/^\ufeff/, '') : text).replaceAll('\0', '\ufffd'));
    fileBytes += bytes.length;
    yield { text: out.take(), fileBytes, detected };
  }
  html.push(decode());
  html.end();
  yield { text: out.take(true), fileBytes, detected };
}

/** Returns the encoding: by mark, XML declaration or meta element (HTML, 13.2.3.2), else as detected. */
function encodingOf(file: string, head: Buffer, source: OpenFile): { label: string; detected?: string } {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return { label: 'utf-16le' };
  if (first === 0xfe && second === 0xff) return { label: 'utf-16be' };
  const text = head.toString('latin1');
  const declared =
    /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w-]+)/i.exec(text)?.[1] ??
    /<meta\b[^>]*\bcharset\s*=\s*["']?\s*([\w-]+)/i.exec(text)?.[1] ??
    'utf-8';
  const survey = new Survey();
  for (const bytes of piecesOf(source, CHUNK_BYTES, 0, Math.min(MAX_SURVEY, source.byteLength))) survey.push(bytes);
  if (survey.isBinary()) throw notEncoded(file, localized('documents.zero_bytes'));
  // A declaration that is readable as Latin-1 is not in UTF-16, whatever it claims.
  if (!/^utf-?(8|16)/i.test(declared)) {
    if (isKnown(declared)) return { label: declared };
    throw notEncoded(file, localized('documents.unknown_encoding', { encoding: quoted(declared, 40) }));
  }
  const chosen = survey.choose();
  if (chosen === null) throw notEncoded(file, localized('documents.other_encoding', { encoding: 'UTF-8' }));
  return chosen === 'UTF-8' ? { label: chosen } : { label: chosen, detected: chosen };
}

const notEncoded = (file: string, why: Message): UserError =>
  new UserError({
    code: 'text_encoding',
    message: localized('documents.cannot_read_page', { file, why }),
    hint: localized('documents.save_utf_8_name_text'),
    field: 'data_path',
  });
