/** Extracts the text of EPUB and Word documents. Runs in file-reader.ts. (EPUB 3.3; ECMA-376 part 1, section 17) */
import { posix } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import type { DocumentKind } from '../../../../../shared/config/file-kinds.js';
import { type Damaged, type Inflate, openZip, type ZipArchive } from '../../../../formats/zip.js';
import { quoted } from '../../../../formats/shorten.js';
import { firstBytes } from '../../../../formats/byte-source.js';
import { type OpenFile, openFile } from '../../../disk/file-bytes.js';
import { htmlText } from './html.js';
import { damagedDocument, type DocumentPiece } from '../damaged.js';
import { Paragraphs } from './paragraphs.js';

/** Limit of one chapter or a whole Word document, unpacked. */
const MAX_PART = 1 << 26;
/** Limit of chapters, and of files that a book names. */
const MAX_ITEMS = 1 << 14;
const MAX_DEPTH = 512;

/** Inflates with a limit of at least one byte, as zlib accepts no limit of none. */
const inflate: Inflate = (bytes, maxBytes) => inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxBytes) });

interface Archive {
  readonly zip: ZipArchive;
  readonly damaged: Damaged;
  /** Returns a part as text. @throws UserError `file_damaged` if it is missing or not UTF-8 */
  text(name: string): string;
}

function* inArchive(
  file: string,
  kind: DocumentKind,
  read: (archive: Archive, source: OpenFile) => Generator<DocumentPiece>,
): Generator<DocumentPiece> {
  const source = openFile(file);
  const damaged: Damaged = (why) => damagedDocument(file, kind, why);
  try {
    const magic = firstBytes(source, 4).toString('hex');
    if (magic === 'd0cf11e0') throw damaged('it is an old or a protected Office document');
    const zip = openZip(source, { damaged, deflated: { maxBytes: MAX_PART, inflate } });
    const text = (name: string): string => {
      const entry = zip.entries.get(name);
      if (entry === undefined) throw damaged(`it has no ${quoted(name)}`);
      if (entry.size > MAX_PART) throw damaged(`${quoted(name)} would have more than ${MAX_PART} bytes`);
      const bytes = zip.read(entry);
      const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
      try {
        return new TextDecoder(isWide ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8', {
          fatal: true,
        }).decode(bytes);
      } catch {
        throw damaged(`${quoted(name)} is not UTF-8`);
      }
    };
    yield* read({ zip, damaged, text }, source);
  } finally {
    source.close();
  }
}

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Lists all elements of some XML in order, by their names without a prefix. */
function elements(xml: string, damaged: Damaged): Element[] {
  const found: Element[] = [];
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH || found.length > 4 * MAX_ITEMS) throw damaged('its lists are too long or too deep');
        found.push({ name: name.slice(name.indexOf(':') + 1), attributes });
      },
      onclosetag: () => void depth--,
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return found;
}

/** Yields the chapters of a book in its order, each once. */
export const epubFile = (file: string): Generator<DocumentPiece> =>
  inArchive(file, 'epub', function* (archive, source) {
    const { zip, damaged, text } = archive;
    const root = elements(text('META-INF/container.xml'), damaged).find(({ name }) => name === 'rootfile');
    const packagePath = root?.attributes['full-path'];
    if (packagePath === undefined) throw damaged('its container names no book');
    const chapters = spine(elements(text(packagePath), damaged), posix.dirname(packagePath), damaged);
    const rights = zip.entries.has('META-INF/encryption.xml') ? text('META-INF/encryption.xml') : '';
    const locked = new Set(
      elements(rights, damaged).flatMap(({ name, attributes }) =>
        name === 'CipherReference' ? [decoded(attributes['URI'] ?? '')] : [],
      ),
    );
    const out = new Paragraphs();
    let done = 0;
    for (const chapter of chapters) {
      if (locked.has(chapter)) throw damaged('it is protected against copying (DRM)');
      const html = htmlText(out, true, damaged);
      html.push(text(chapter));
      html.end();
      out.endLine(2);
      const piece = out.take();
      done++;
      if (piece !== '') yield { text: piece, fileBytes: Math.floor((source.byteLength * done) / chapters.length) };
    }
    const piece = out.take(true);
    if (piece !== '') yield { text: piece, fileBytes: source.byteLength };
  });

/** Lists the paths of the chapters, without the table of contents. */
function spine(book: readonly Element[], folder: string, damaged: Damaged): readonly string[] {
  const items = new Map(
    book.filter(({ name }) => name === 'item').map(({ attributes }) => [attributes['id'] ?? '', attributes]),
  );
  const places = book.flatMap(({ name, attributes }) => {
    if (name !== 'itemref' || attributes['linear'] === 'no') return [];
    const item = items.get(attributes['idref'] ?? '');
    if (item === undefined) throw damaged('its order names a chapter that it does not list');
    const isContents = (item['properties'] ?? '').split(/\s+/).includes('nav');
    const isPage = /html|xml/.test(item['media-type'] ?? 'html') && !/svg/.test(item['media-type'] ?? '');
    return isContents || !isPage ? [] : [posix.normalize(posix.join(folder, decoded(item['href'] ?? '')))];
  });
  if (places.length === 0) throw damaged('it has no chapters');
  return [...new Set(places)];
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference.replace(/#.*$/s, ''));
  } catch {
    return reference;
  }
}

/** Elements of duplicates, deletions, moved text and instructions. */
const skippedInWord = new Set(['w:del', 'w:moveFrom', 'mc:Fallback', 'w:instrText', 'w:delText']);

export const docxFile = (file: string): Generator<DocumentPiece> =>
  inArchive(file, 'docx', function* (archive, source) {
    const { zip, damaged, text } = archive;
    const relations = zip.entries.has('_rels/.rels') ? elements(text('_rels/.rels'), damaged) : [];
    const main = relations.find(({ attributes }) => attributes['Type']?.endsWith('/officeDocument'));
    const place = posix.normalize((main?.attributes['Target'] ?? 'word/document.xml').replace(/^\//, ''));
    const out = new Paragraphs();
    wordText(text(place), out, damaged);
    const piece = out.take(true);
    if (piece !== '') yield { text: piece, fileBytes: source.byteLength };
  });

function wordText(xml: string, out: Paragraphs, damaged: Damaged): void {
  let depth = 0;
  let skippedAt = Infinity;
  let isText = false;
  let cells = 0;
  /** A list item follows the previous one without an empty line. */
  let isItem = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH) throw damaged(`its elements are in one another more than ${MAX_DEPTH} deep`);
        if (depth > skippedAt) return;
        if (skippedInWord.has(name)) skippedAt = depth;
        else if (name === 'w:t') isText = true;
        else if (name === 'w:tab' && attributes['w:val'] === undefined && attributes['w:pos'] === undefined) out.tab();
        else if (name === 'w:br' || name === 'w:cr') out.endLine(1, true);
        else if (name === 'w:noBreakHyphen') out.add('\u2011', true);
        else if (name === 'w:numPr') isItem = true;
        else if (name === 'w:tc') cells++;
      },
      ontext(text) {
        if (isText && depth <= skippedAt) out.add(text.replace(/[\r\n]/g, ' '), true);
      },
      onclosetag(name) {
        const isRead = depth <= skippedAt;
        if (depth === skippedAt) skippedAt = Infinity;
        depth--;
        if (!isRead) return;
        if (name === 'w:t') isText = false;
        else if (name === 'w:p') {
          if (cells > 0) out.add(' ');
          else out.endLine(isItem ? 1 : 2);
          isItem = false;
        } else if (name === 'w:tc') {
          cells = Math.max(0, cells - 1);
          out.tab();
        } else if (name === 'w:tr') out.endLine(1);
        else if (name === 'w:tbl') out.endLine(2);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
}
