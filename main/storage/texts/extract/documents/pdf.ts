/** Extracts a PDF's paragraphs from the positions of its letters, with unpdf. Runs in file-reader.ts. (ISO 32000-1, 9.10) */
import { getDocument, PDFDataRangeTransport, PermissionFlag, type PDFDocumentProxy } from 'unpdf/pdfjs';
import { UserError } from '../../../../../shared/errors.js';
import { localized, share } from '../../../../../shared/messages/message.js';
import { quoted } from '../../../../formats/shorten.js';
import type { OpenFile } from '../../../disk/file-bytes.js';
import { Omissions } from '../omissions.js';
import { type Damaged, damagedDocument, type DocumentPiece } from '../pieces.js';
import { MAX_LOST } from './archives.js';
import { listedPages } from './pdf-pages.js';
import { type PageLine, type PageText, PdfParagraphs } from './pdf-paragraphs.js';
import { withTexLetters } from './tex-letters.js';

const MAX_PAGES = 1 << 14;
/** Of one page, in UTF-16 units: fifty times a page of small print. */
const MAX_PAGE_UNITS = 1 << 20;
/** Overhead of a piece of a line, whatever its length. */
const ITEM_UNITS = 8;
/** Share of characters without a letter: a damaged table of letters gives far more. */
const MAX_UNREADABLE = 0.1;
/** Faults of a page's pictures, without which its text is whole. */
const PICTURES = /XObject|image|JPX|JBIG2|JPEG|color ?space/i;
/** No letter known: the replacement character, private letters and control characters. */
const UNREADABLE = /[\ufffd\ue000-\uf8ff\u0000-\u0008\u000e-\u001f]/g; // eslint-disable-line no-control-regex

class Ranges extends PDFDataRangeTransport {
  constructor(private readonly source: OpenFile) {
    super(source.byteLength, null);
  }

  override requestDataRange(begin: number, end: number): void {
    const bytes = new Uint8Array(Math.max(0, Math.min(end, this.source.byteLength) - begin));
    this.source.read(begin, bytes);
    // The library is not ready for an answer before it has returned.
    setImmediate(() => this.onDataRange(begin, bytes));
  }
}

/** Refuses tables of Chinese, Japanese and Korean letters that a file only names. */
function noTables(onMissing: (name: string) => void): new () => { fetch(what: { name: string }): Promise<never> } {
  return class {
    fetch({ name }: { name: string }): Promise<never> {
      onMissing(name);
      return Promise.reject(new Error(`${name} is not available`));
    }
  };
}

/** @throws UserError `file_damaged`; `text_too_short` when it is only pictures of pages */
export async function* pdfTexts(file: string, source: OpenFile): AsyncGenerator<DocumentPiece> {
  const damaged: Damaged = (why) => damagedDocument(file, 'pdf', why);
  let table: string | null = null;
  const begin = (stopAtErrors: boolean) =>
    getDocument({
      range: new Ranges(source),
      disableAutoFetch: true,
      disableStream: true,
      verbosity: 0,
      isEvalSupported: false,
      stopAtErrors,
      useWasm: false,
      useWorkerFetch: false,
      useSystemFonts: false,
      disableFontFace: true,
      isOffscreenCanvasSupported: false,
      enableXfa: false,
      CMapReaderFactory: noTables((name) => (table ??= name)),
    });
  /** The second ignores damage. */
  const tasks = [begin(true)];
  const omissions = new Omissions(MAX_LOST);
  const numberOf = new Map<number, number>();
  let incomplete = 0;
  const readPage = async (document: PDFDocumentProxy, page: number): Promise<PageText> => {
    try {
      const text = await pageText(document, page, numberOf, damaged);
      if (text.lines.length === 0) incomplete++;
      omissions.add(1);
      return text;
    } catch (error) {
      incomplete++;
      const isPicture = error instanceof UserError && PICTURES.test(error.message);
      const lenient = isPicture ? await (tasks[1] ??= begin(false)).promise : null;
      const text = lenient && (await pageText(lenient, page, numberOf, damaged).catch(() => null));
      omissions.add(1, text === null ? (error as UserError) : undefined);
      return text ?? { lines: [] };
    }
  };
  try {
    const document = await opened((tasks[0] ?? begin(true)).promise, damaged);
    const listed = listedPages(source);
    const out = new PdfParagraphs();
    let letters = 0;
    let unreadable = 0;
    for (let page = 1; page <= document.numPages; page++) {
      const text = await readPage(document, page);
      if (table !== null) throw damaged(localized('documents.unknown_table', { table: quoted(table) }));
      for (const { text: line } of text.lines) {
        letters += line.replace(/\s+/g, '').length;
        unreadable += line.match(UNREADABLE)?.length ?? 0;
      }
      if (letters > 1000 && unreadable > letters * MAX_UNREADABLE) throw noLetters(damaged, unreadable / letters);
      out.add(text);
      yield { text: out.take(), fileBytes: Math.floor((source.byteLength * page) / (document.numPages + 1)) };
    }
    for (let page = document.numPages + 1; page <= listed; page++) {
      incomplete++;
      omissions.add(1, damaged(localized('documents.page_uncounted', { number: page })));
    }
    omissions.check(true);
    if (document.numPages === 0) throw damaged(localized('documents.no_pages'));
    if (letters === 0) throw onlyPictures(file, document.numPages);
    if (unreadable > letters * MAX_UNREADABLE) throw noLetters(damaged, unreadable / letters);
    yield { text: out.end(), fileBytes: source.byteLength, omitted: { what: 'pages', count: incomplete } };
  } finally {
    // Not awaited: the library waits for pages that were given up, too.
    for (const task of tasks) void task.destroy();
  }
}

async function opened(opening: Promise<PDFDocumentProxy>, damaged: Damaged): Promise<PDFDocumentProxy> {
  let document;
  try {
    document = await opening;
  } catch (error) {
    if ((error as Error).name === 'PasswordException') throw damaged(localized('documents.password'));
    throw damaged(reasonOf(error));
  }
  const permitted = await document.getPermissions();
  if (permitted !== null && !permitted.includes(PermissionFlag.COPY)) {
    throw damaged(localized('documents.no_copying'));
  }
  if (document.numPages > MAX_PAGES) throw damaged(localized('documents.too_many_pages', { most: MAX_PAGES }));
  return document;
}

/** @param numberOf the numbers of the pages read before, by their objects, as a damaged tree repeats some */
async function pageText(
  document: PDFDocumentProxy,
  number: number,
  numberOf: Map<number, number>,
  damaged: Damaged,
): Promise<PageText> {
  try {
    const page = await document.getPage(number);
    const first = numberOf.get(page.ref?.num ?? -number) ?? number;
    if (first !== number) throw damaged(localized('documents.page_twice', { number, first }));
    numberOf.set(page.ref?.num ?? -number, number);
    const lines: PageLine[] = [];
    let line = { text: '', x: 0, y: 0, size: 0 };
    const endLine = (): void => {
      if (line.text.trim() !== '') lines.push({ ...line, text: line.text.trim() });
      line = { text: '', x: 0, y: 0, size: 0 };
    };
    const tooLong = () => damaged(localized('documents.page_too_long', { number, most: MAX_PAGE_UNITS }));
    for (const { str, transform, height, hasEOL } of withTexLetters(await itemsOf(page, tooLong))) {
      if (str.trim() !== '' && line.text === '') [line.x, line.y] = [transform[4] ?? 0, transform[5] ?? 0];
      line.text += str;
      line.size = Math.max(line.size, height);
      if (hasEOL) endLine();
    }
    endLine();
    page.cleanup();
    return { lines };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw damaged(localized('documents.page', { number, why: reasonOf(error) }));
  }
}

type PDFPage = Awaited<ReturnType<PDFDocumentProxy['getPage']>>;

async function itemsOf(page: PDFPage, tooLong: () => UserError): Promise<readonly Placed[]> {
  const items: Placed[] = [];
  let units = 0;
  const reader = page.streamTextContent().getReader() as ReadableStreamDefaultReader<{ items: Placed[] }>;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return items;
    for (const item of value.items) units += item.str.length + ITEM_UNITS;
    if (units > MAX_PAGE_UNITS) {
      // The library would go on with the page, and the next one would wait.
      const fault = tooLong();
      await reader.cancel(fault);
      throw fault;
    }
    items.push(...value.items);
  }
}

/** Some letters and their place: `transform` ends with x and y of the first in points from the lower left. */
interface Placed {
  readonly str: string;
  readonly transform: readonly number[];
  readonly height: number;
  readonly hasEOL: boolean;
  readonly fontName: string;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200);

const noLetters = (damaged: Damaged, part: number): UserError =>
  damaged(localized('documents.no_letters', { share: share(part) }));

const onlyPictures = (file: string, pages: number): UserError =>
  new UserError({
    code: 'text_too_short',
    message: localized('documents.holds_no_text_pages_pictures', { file, pages }),
    hint: localized('documents.text_recognised_first_ocr_name'),
    field: 'data_path',
  });
