/** Extracts the visible text of a web page or an EPUB chapter. Runs in file-reader.ts. */
import { Parser } from 'htmlparser2';
import { UserError } from '../../../../../shared/errors.js';
import { localized, type Message } from '../../../../../shared/messages/message.js';
import { firstBytes, piecesOf } from '../../../../formats/byte-source.js';
import { quoted } from '../../../../formats/shorten.js';
import type { OpenFile } from '../../../disk/file-bytes.js';
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
/** Elements with an empty line around them. */
const paragraphs = new Set(
  'address article aside blockquote body center details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html main ol p pre section summary table ul'.split(
    ' ',
  ),
);
/** Elements that begin a new line. */
const lines = new Set('br caption dd dt li tr tbody thead tfoot'.split(' '));
/** Elements without an end tag, which must not start skipping. */
const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));

interface HtmlText {
  push(text: string): void;
  end(): void;
}

export function htmlText(out: Paragraphs, isXhtml: boolean, damaged: Damaged): HtmlText {
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
        if (!empty.has(name) && (unread.has(name) || (isHidden && name !== 'body'))) {
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
    { decodeEntities: true, recognizeSelfClosing: isXhtml, recognizeCDATA: isXhtml },
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
export function* htmlTexts(file: string, source: OpenFile): Generator<DocumentPiece> {
  const head = firstBytes(source, HEAD_BYTES);
  const label = encodingOf(head);
  const decoder = decoderOf(file, label);
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (error) {
      throw notEncoded(file, localized('documents.other_encoding', { encoding: label.toUpperCase() }), error);
    }
  };
  const out = new Paragraphs();
  const isXhtml = /^\s*(<\?xml|<!DOCTYPE[^>]*XHTML)/i.test(head.toString('latin1', 0, 512));
  const html = htmlText(out, isXhtml, (why) => damagedDocument(file, 'html', why));
  let fileBytes = 0;
  for (const bytes of piecesOf(source, CHUNK_BYTES)) {
    fileBytes += bytes.length;
    const text = decode(bytes);
    if (text.includes('\0')) throw notEncoded(file, localized('documents.zero_bytes'));
    html.push(text);
    yield { text: out.take(), fileBytes };
  }
  html.push(decode());
  html.end();
  yield { text: out.take(true), fileBytes };
}

/** Returns the declared encoding: by mark, XML declaration or meta element; UTF-8 by default. (HTML, 13.2.3.2) */
function encodingOf(head: Buffer): string {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const text = head.toString('latin1');
  if (text.startsWith('\xef\xbb\xbf')) return 'utf-8';
  const declared =
    /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w-]+)/i.exec(text)?.[1] ??
    /<meta\b[^>]*\bcharset\s*=\s*["']?\s*([\w-]+)/i.exec(text)?.[1] ??
    'utf-8';
  // A declaration that is readable as Latin-1 is not in UTF-16, whatever it claims.
  return /^utf-?16/i.test(declared) ? 'utf-8' : declared.toLowerCase();
}

function decoderOf(file: string, label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch (error) {
    throw notEncoded(file, localized('documents.unknown_encoding', { encoding: quoted(label, 40) }), error);
  }
}

const notEncoded = (file: string, why: Message, cause?: unknown): UserError =>
  new UserError(
    {
      code: 'text_encoding',
      message: localized('documents.cannot_read_page', { file, why }),
      hint: localized('documents.save_utf_8_name_text'),
      field: 'data_path',
    },
    { cause },
  );
