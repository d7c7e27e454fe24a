/** Extracts the text of EPUB and Word documents. Runs in file-reader.ts. (EPUB 3.3; ECMA-376 part 1, section 17) */
import { posix } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import type { UserError } from '../../../../../shared/errors.js';
import { bytes, localized } from '../../../../../shared/messages/message.js';
import { firstBytes } from '../../../../formats/byte-source.js';
import { quoted } from '../../../../formats/shorten.js';
import { type Inflate, openZip, type ZipArchive } from '../../../../formats/zip.js';
import type { OpenFile } from '../../../disk/file-bytes.js';
import { decoderOf, Survey } from '../encoding.js';
import { Omissions } from '../omissions.js';
import type { Damaged, DocumentPiece } from '../pieces.js';
import { htmlText } from './html.js';
import { Paragraphs } from './paragraphs.js';

/** Limit of one chapter or a whole Word document, unpacked. */
const MAX_PART = 1 << 26;
const MAX_ITEMS = 1 << 14;
const MAX_DEPTH = 512;
/** Share of a document's chapters or pages that may be damaged. */
export const MAX_LOST = 0.5;

/** Inflates with a limit of at least one byte, as zlib accepts no limit of none. */
const inflate: Inflate = (bytes, maxBytes) => inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxBytes) });

interface Archive {
  readonly entries: ZipArchive['entries'];
  /** Returns a part that another can be found without, or nothing. */
  optional(name: string): string;
  /** Returns a part as text. @throws UserError `file_damaged` if it is missing or not UTF-8 */
  text(name: string): string;
}

function openArchive(source: OpenFile, damaged: Damaged): Archive {
  if (firstBytes(source, 4).toString('hex') === 'd0cf11e0') throw damaged(localized('documents.old_office'));
  const zip = openZip(source, { damaged, deflated: { maxBytes: MAX_PART, inflate } });
  const archive: Archive = {
    entries: zip.entries,
    optional(part) {
      try {
        return archive.text(part);
      } catch {
        return '';
      }
    },
    text(part) {
      const name = quoted(part);
      const entry = zip.entries.get(part);
      const fault = zip.faults.get(part);
      if (fault !== undefined) throw fault;
      if (entry === undefined) throw damaged(localized('documents.no_part', { name }));
      if (entry.size > MAX_PART) throw damaged(localized('documents.part_too_large', { name, most: bytes(MAX_PART) }));
      const read = zip.read(entry);
      const mark = Buffer.from(read.subarray(0, 2)).toString('hex');
      const survey = new Survey(mark === 'fffe' ? 'UTF-16LE' : mark === 'feff' ? 'UTF-16BE' : 'UTF-8');
      survey.push(Buffer.from(read));
      const encoding = survey.choose();
      if (encoding === null) throw damaged(localized('documents.part_not_utf8', { name }));
      const content = decoderOf(encoding)(read).replace(/^\ufeff/, '');
      if (/<!ENTITY\b/.test(content)) throw damaged(localized('documents.entities', { name }));
      return content;
    },
  };
  return archive;
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
        if (++depth > MAX_DEPTH || found.length > 4 * MAX_ITEMS) throw damaged(localized('documents.lists_too_long'));
        found.push({ name: name.slice(name.indexOf(':') + 1), attributes });
      },
      onclosetag: () => void depth--,
    },
    { xmlMode: true },
  );
  parser.write(xml);
  if (depth > 0) throw damaged(localized('documents.cut'));
  parser.end();
  return found;
}

/** Yields the chapters of a book in its order, each once. */
export function* epubTexts(source: OpenFile, damaged: Damaged): Generator<DocumentPiece> {
  const { entries, text, optional } = openArchive(source, damaged);
  const root = elements(optional('META-INF/container.xml'), damaged).find(({ name }) => name === 'rootfile');
  const packagePath = root?.attributes['full-path'] ?? [...entries.keys()].find((name) => name.endsWith('.opf'));
  if (packagePath === undefined) throw damaged(localized('documents.no_book'));
  const omissions = new Omissions(MAX_LOST);
  const book = elements(text(packagePath), damaged);
  const folder = posix.dirname(packagePath);
  const chapters = spine(book, folder, damaged, omissions);
  const encrypted = elements(optional('META-INF/encryption.xml'), damaged).filter(
    ({ name }) => name === 'CipherReference',
  );
  const locked = new Set(encrypted.map(({ attributes }) => decoded(attributes['URI'] ?? '')));
  const unlisted = unlistedPages(book, folder, entries.keys());
  const out = new Paragraphs();
  for (const [index, chapter] of chapters.entries()) {
    if (locked.has(chapter)) throw damaged(localized('documents.copy_protected'));
    try {
      const html = htmlText(out, true, damaged);
      const page = text(chapter);
      const open = page.lastIndexOf('<');
      // A tag without its end is no text.
      html.push(open < 0 || page.includes('>', open) ? page : page.slice(0, open));
      html.end();
      if (!isWhole(page)) throw damaged(localized('documents.part_cut', { name: quoted(chapter) }));
      omissions.add(1);
    } catch (error) {
      omissions.add(1, error as UserError);
    }
    out.endLine(2);
    yield { text: out.take(), fileBytes: Math.floor((source.byteLength * (index + 1)) / chapters.length) };
  }
  omissions.check(true);
  const omitted = { what: 'chapters', count: Math.max(omissions.count, unlisted) } as const;
  yield { text: out.take(true), fileBytes: source.byteLength, omitted };
}

function spine(book: readonly Element[], folder: string, damaged: Damaged, omissions: Omissions): readonly string[] {
  const listed = book.filter(({ name }) => name === 'item').reverse();
  // The first of one name counts.
  const items = new Map(listed.map(({ attributes }) => [attributes['id'] ?? '', attributes]));
  const places = book.flatMap(({ name, attributes }) => {
    if (name !== 'itemref' || attributes['linear'] === 'no') return [];
    const item = items.get(attributes['idref'] ?? '');
    if (item === undefined) {
      omissions.add(1, damaged(localized('documents.unlisted_chapter')));
      return [];
    }
    const isContents = (item['properties'] ?? '').split(/\s+/).includes('nav');
    const isPage = /html|xml/.test(item['media-type'] ?? 'html') && !/svg/.test(item['media-type'] ?? '');
    return isContents || !isPage ? [] : [posix.normalize(posix.join(folder, decoded(item['href'] ?? '')))];
  });
  if (places.length === 0) throw damaged(localized('documents.no_chapters'));
  return [...new Set(places)];
}

/** Counts pages of the archive that the book does not list: damaged lists name one page twice instead. */
function unlistedPages(book: readonly Element[], folder: string, names: Iterable<string>): number {
  const listed = new Set(book.map(({ attributes }) => posix.join(folder, decoded(attributes['href'] ?? ''))));
  return Array.from(names).filter((name) => /\.x?html?$/i.test(name) && !listed.has(name)).length;
}

/** Whether a page has an end, or is a fragment that needs none. */
const isWhole = (page: string): boolean =>
  /<\/(html|body)\s*>/i.test(page) || (page.trim() !== '' && !/<(html|body)\b/i.test(page));

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference.replace(/#.*$/s, ''));
  } catch {
    return reference;
  }
}

/** Elements of duplicates, deletions, moved text and instructions. */
const skippedInWord = new Set(['w:del', 'w:moveFrom', 'mc:Fallback', 'w:instrText', 'w:delText']);

export function* docxTexts(source: OpenFile, damaged: Damaged): Generator<DocumentPiece> {
  const { text, optional } = openArchive(source, damaged);
  const main = elements(optional('_rels/.rels'), damaged).find(({ attributes }) =>
    attributes['Type']?.endsWith('/officeDocument'),
  );
  const place = posix.normalize((main?.attributes['Target'] ?? 'word/document.xml').replace(/^\//, ''));
  const out = new Paragraphs();
  wordText(text(place), out, damaged);
  yield { text: out.take(true), fileBytes: source.byteLength };
}

/** Letters and signs of the font Symbol from 0x41 on, and of both fonts by their codes. */
const GREEK = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼';
const SYMBOL =
  'a2′a3≤a5∞acc←ad↑ae→af↓b0°b1±b3≥b4×b5∝b6∂b7•b8÷b9≠ba≡bb≈bc…c7∩c8∪cc⊂ce∈cf∉d0∠d1∇d5∏d6√d7⋅d9∧da∨db⇔de⇒e5∑f2∫';
const WINGDINGS = '4a☺a7▪a8◻d8➢dc←df←e0→e8➔f0⇨fb✗fc✓fd☒fe☑';

/** The character of a symbol: fonts of symbols have their own codes, often from U+F000 on; an unknown one is U+FFFD. */
function symbolOf(font: string, code: string): string {
  const value = parseInt(code, 16);
  const isPrivate = value >= 0xf000 && value <= 0xf0ff;
  const low = isPrivate ? value - 0xf000 : value;
  if (low > 0xff || !/symbol|wingdings/i.test(font)) return isPrivate ? '\ufffd' : String.fromCharCode(value || 0xfffd);
  const isSymbol = /symbol/i.test(font);
  const greek = isSymbol && low >= 0x41 && low <= 0x7e ? [...GREEK][low - 0x41] : undefined;
  const known = new RegExp(`${low.toString(16)}(.)`, 'u').exec(isSymbol ? SYMBOL : WINGDINGS)?.[1];
  return greek ?? known ?? (isSymbol && low < 0x41 ? String.fromCharCode(low) : '\ufffd');
}

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
        if (++depth > MAX_DEPTH) throw damaged(localized('documents.too_deep', { most: MAX_DEPTH }));
        if (depth > skippedAt) return;
        if (skippedInWord.has(name)) skippedAt = depth;
        else if (name === 'w:t' || name === 'm:t') isText = true;
        else if (name === 'w:sym') out.add(symbolOf(attributes['w:font'] ?? '', attributes['w:char'] ?? ''), true);
        else if (name === 'm:sup') out.add('^');
        else if (name === 'm:sub') out.add('_');
        else if (name === 'm:den') out.add('/');
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
        if (name === 'w:t' || name === 'm:t') isText = false;
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
  parser.write(xml);
  if (depth > 0) throw damaged(localized('documents.cut'));
  parser.end();
}
