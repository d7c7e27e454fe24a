// EPUB, Word and PDF documents whose structure has one fault: read in part with a report, or refused with a sentence that names it;
// never learned wrongly. (Damaged bytes: damaged.test.ts.)
import * as fs from 'node:fs';
import * as path from 'node:path';
import { deflateSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { UserError } from '../../../shared/errors.js';
import { pdfOf } from '../../../tools/support/pdf-of.js';
import { type ZipPart, zipOf } from '../../../tools/support/zip-of.js';
import { damagedRuns, expectSentence, LONGEST } from '../../support/damage.js';
import { temporaryFolder } from '../faults.js';
import { readDamaged } from './read-damaged.js';

const folder = temporaryFolder();
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const word = fc.stringMatching(/^[a-z]{3,9}$/);
const paragraph = fc.array(word, { minLength: 4, maxLength: 9 }).map((words) => words.join(' '));
const texts = fc.array(paragraph, { minLength: 5, maxLength: 9 }).map((all) => all.map((one, i) => `n${i} ${one}`));
/** Which part is damaged, and how much. */
const at = fc.record({ part: fc.nat(1000), size: fc.integer({ min: 1, max: 4000 }) });
interface At {
  readonly part: number;
  readonly size: number;
}
const of = <T>(all: readonly T[], { part }: At): T => all[part % all.length] as T;

const BLANKS = ' '.repeat(70 << 20);
const deep = (size: number, tag: string, inner: string): string =>
  `<${tag}>`.repeat(2100 + size) + inner + `</${tag}>`.repeat(2100 + size);
const ENTITIES = `<!DOCTYPE x [<!ENTITY a "${'lol '.repeat(10)}">${Array.from({ length: 12 }, (_, i) => `<!ENTITY ${String.fromCharCode(98 + i)} "${`&${String.fromCharCode(97 + i)};`.repeat(10)}">`).join('')}]>`;

/** Faults of the archive itself. @param main the part that holds text */
const inZip = {
  'length too large': (parts: ZipPart[], at: At, main: (at: At) => number) =>
    zipOf(parts.map((one, i) => (i === main(at) ? { ...one, claims: 20_000 + at.size } : one))),
  'count too large': (parts: ZipPart[], at: At) => {
    const bytes = zipOf(parts);
    bytes.writeUInt16LE(parts.length + at.size, bytes.length - 12);
    return bytes;
  },
  'count too small': (parts: ZipPart[]) => {
    const bytes = zipOf(parts);
    bytes.writeUInt16LE(parts.length - 1, bytes.length - 12);
    return bytes;
  },
  'a part of one name twice': (parts: ZipPart[], at: At, main: (at: At) => number) =>
    zipOf([...parts, { name: parts[main(at)]?.name ?? '', bytes: '<p>never written</p>' }]),
  'a part that is not there': (parts: ZipPart[], at: At, main: (at: At) => number) =>
    zipOf(parts.filter((_, i) => i !== main(at))),
  'a part with one byte changed': (parts: ZipPart[], at: At, main: (at: At) => number) => {
    const all = parts.map((one) => ({ ...one, isStored: true }));
    const bytes = zipOf(all);
    const part = Buffer.from(all[main(at)]?.bytes as string);
    const place = bytes.indexOf(part) + (at.size % part.length);
    bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
    return bytes;
  },
  'an empty part': (parts: ZipPart[], at: At, main: (at: At) => number) =>
    zipOf(parts.map((one, i) => (i === main(at) ? { ...one, bytes: '' } : one))),
  'a part that is cut': (parts: ZipPart[], at: At, main: (at: At) => number) =>
    zipOf(
      parts.map((one, i) =>
        i === main(at) ? { ...one, bytes: String(one.bytes).slice(0, at.size % String(one.bytes).length) } : one,
      ),
    ),
  'a part that is a bomb': (parts: ZipPart[], at: At, main: (at: At) => number) =>
    zipOf(parts.map((one, i) => (i === main(at) ? { ...one, bytes: `${String(one.bytes)}${BLANKS}` } : one))),
};

interface Book {
  readonly container: string;
  readonly items: readonly string[];
  readonly order: readonly string[];
  readonly chapters: readonly ZipPart[];
}
const bookOf = (texts: readonly string[]): Book => ({
  container: '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
  items: texts.map((_, i) => `<item id="c${i}" href="c${i}.xhtml" media-type="application/xhtml+xml"/>`),
  order: texts.map((_, i) => `<itemref idref="c${i}"/>`),
  chapters: texts.map((text, i) => ({ name: `c${i}.xhtml`, bytes: `<html><body><p>${text}</p></body></html>` })),
});
const partsOf = ({ container, items, order, chapters }: Book): ZipPart[] => [
  { name: 'META-INF/container.xml', bytes: container },
  {
    name: 'book.opf',
    bytes: `<package><manifest>${items.join('')}</manifest><spine>${order.join('')}</spine></package>`,
  },
  ...chapters,
];
const changedAt = <T>(all: readonly T[], { part }: At, change: (one: T) => T): T[] =>
  all.map((one, i) => (i === part % all.length ? change(one) : one));
const inBook: Readonly<Record<string, (book: Book, at: At) => Book>> = {
  'an itemref without its item': (book, at) => ({
    ...book,
    items: book.items.filter((one) => one !== of(book.items, at)),
  }),
  'an item without its file': (book, at) => ({
    ...book,
    items: changedAt(book.items, at, (one) => one.replace('href="', 'href="no ')),
  }),
  'two items of one id': (book, at) => ({
    ...book,
    items: changedAt(book.items, at, (one) => one.replace(/id="c\d+"/, 'id="c0"')),
  }),
  'two items of one file': (book, at) => ({
    ...book,
    items: changedAt(book.items, at, (one) => one.replace(/href="c\d+/, 'href="c0')),
  }),
  'an order that repeats': (book, at) => ({
    ...book,
    order: Array.from({ length: 1 + at.size }, () => book.order).flat(),
  }),
  'an order of nothing': (book) => ({ ...book, order: [] }),
  'a container that names itself': (book) => ({
    ...book,
    container: book.container.replace('book.opf', 'META-INF/container.xml'),
  }),
  'a container that names nothing': (book) => ({ ...book, container: book.container.replace('book.opf', 'no.opf') }),
  'a chapter that names itself': (book, at) => ({
    ...book,
    chapters: changedAt(book.chapters, at, (one) => ({
      ...one,
      bytes: String(one.bytes).replace('<p>', `<iframe src="${one.name}"></iframe><p>`),
    })),
  }),
  'a chapter too deep': (book, at) => ({
    ...book,
    chapters: changedAt(book.chapters, at, (one) => ({ ...one, bytes: deep(at.size, 'div', String(one.bytes)) })),
  }),
  'a list too deep': (book, at) => ({ ...book, items: [deep(at.size, 'x', book.items.join(''))] }),
  'entities of entities': (book, at) => ({
    ...book,
    chapters: changedAt(book.chapters, at, (one) => ({
      ...one,
      bytes: ENTITIES + String(one.bytes).replace('</body>', '<p>&k;</p></body>'),
    })),
  }),
};

const paragraphsOf = (all: readonly string[]): string =>
  all.map((one) => `<w:p><w:r><w:t>${one}</w:t></w:r></w:p>`).join('');
const wordParts = (body: string): ZipPart[] => [
  { name: '[Content_Types].xml', bytes: '<Types/>' },
  {
    name: '_rels/.rels',
    bytes: '<Relationships><Relationship Type="x/officeDocument" Target="word/document.xml"/></Relationships>',
  },
  { name: 'word/document.xml', bytes: `<w:document><w:body>${body}</w:body></w:document>` },
];
const relating = (parts: ZipPart[], target: string): ZipPart[] =>
  parts.map((one) =>
    one.name === '_rels/.rels' ? { ...one, bytes: String(one.bytes).replace('word/document.xml', target) } : one,
  );
const inWord: Readonly<Record<string, (texts: readonly string[], at: At) => ZipPart[]>> = {
  'relations that name themselves': (texts) => relating(wordParts(paragraphsOf(texts)), '_rels/.rels'),
  'relations that name nothing': (texts) => relating(wordParts(paragraphsOf(texts)), 'word/no.xml'),
  'paragraphs too deep': (texts, { size }) => wordParts(deep(size, 'w:sdt', paragraphsOf(texts))),
  'entities of entities': (texts) =>
    wordParts(paragraphsOf(texts)).map((one) =>
      one.name === 'word/document.xml'
        ? { ...one, bytes: ENTITIES + String(one.bytes).replace('</w:t>', '&k;</w:t>') }
        : one,
    ),
};

let bomb: Buffer | undefined;
type Objects = Map<number, Buffer>;
const edit = (objects: Objects, number: number, from: RegExp, to: string): void => {
  const before = objects.get(number)?.toString('latin1') ?? '';
  const after = before.replace(from, to);
  if (after === before) throw new Error(`nothing to damage in ${before}`);
  objects.set(number, Buffer.from(after, 'latin1'));
};
const pageAt = ({ part }: At, count: number): number => 1000 + 2 * (part % count);
const inPdf: Readonly<Record<string, (objects: Objects, at: At, count: number) => void>> = {
  'a length too large': (objects, at, count) =>
    edit(objects, pageAt(at, count) + 1, /Length \d+/, `Length ${9999 + at.size}`),
  'a length too small': (objects, at, count) =>
    edit(objects, pageAt(at, count) + 1, /Length \d+/, `Length ${at.size % 30}`),
  'a tree that contains itself': (objects, at, count) =>
    edit(objects, 2, new RegExp(`${pageAt(at, count)} 0 R`), '2 0 R'),
  'a page that is its own parent': (objects, at, count) => {
    const page = pageAt(at, count);
    edit(objects, page, /Parent 2 0 R/, `Parent ${page} 0 R`);
  },
  'a page that is not there': (objects, at, count) => void objects.delete(pageAt(at, count)),
  'a content that is not there': (objects, at, count) => void objects.delete(pageAt(at, count) + 1),
  'a content that is its page': (objects, at, count) => {
    const page = pageAt(at, count);
    edit(objects, page, /Contents \d+/, `Contents ${page}`);
  },
  'a font that is not there': (objects) => void objects.delete(3),
  'too many pages counted': (objects, { size }) => edit(objects, 2, /Count \d+/, `Count ${100 + size}`),
  'too few pages counted': (objects) => edit(objects, 2, /Count \d+/, 'Count 2'),
  'a page twice': (objects, at, count) => edit(objects, 2, new RegExp(`${pageAt(at, count)} 0 R`), '$& $&'),
  'no pages': (objects) => edit(objects, 2, /Kids \[.*\]/, 'Kids []'),
  'a list too deep': (objects, at, count) =>
    edit(
      objects,
      pageAt(at, count),
      /MediaBox/,
      `Deep ${'['.repeat(9000 + at.size)}${']'.repeat(9000 + at.size)} /MediaBox`,
    ),
  'a picture that is not there': (objects, at, count) => {
    edit(objects, pageAt(at, count), /Contents (\d+) 0 R/, 'Contents [101 0 R $1 0 R]');
    objects.set(101, Buffer.from('<< /Length 5 >>\nstream\n/X Do\nendstream'));
  },
  'a drawing that draws itself': (objects, at, count) => {
    objects.set(100, Buffer.from(formOf('/X Do /X Do')));
    const page = pageAt(at, count);
    const content = `${
      objects
        .get(page + 1)
        ?.toString('latin1')
        .includes('X Do')
        ? ''
        : '/X Do'
    }`;
    edit(objects, page, /Contents (\d+) 0 R/, `Contents [$1 0 R 101 0 R]`);
    objects.set(101, Buffer.from(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`));
  },
  'a content that is a bomb': (objects, at, count) => {
    const bytes = (bomb ??= deflateSync(Buffer.alloc(64 << 20, 'BT /F1 9 Tf (lol) Tj ET\n')));
    objects.set(
      pageAt(at, count) + 1,
      Buffer.concat([
        Buffer.from(`<< /Length ${bytes.length} /Filter /FlateDecode >>\nstream\n`),
        bytes,
        Buffer.from('\nendstream'),
      ]),
    );
  },
};
const formOf = (content: string): string =>
  `<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 100 0 R >> >> /Length ${content.length} >>\nstream\n${content}\nendstream`;

const cases: readonly (readonly [name: string, fault: string, write: (texts: readonly string[], at: At) => Buffer])[] =
  [
    ...Object.entries(inZip).flatMap(([fault, write]) => [
      [
        'book.epub',
        fault,
        (texts: readonly string[], at: At) =>
          write(partsOf(bookOf(texts)), at, ({ part }) => 2 + (part % texts.length)),
      ] as const,
      [
        'letter.docx',
        fault,
        (texts: readonly string[], at: At) => write(wordParts(paragraphsOf(texts)), at, () => 2),
      ] as const,
    ]),
    ...Object.entries(inBook).map(
      ([fault, change]) =>
        ['book.epub', fault, (texts: readonly string[], at: At) => zipOf(partsOf(change(bookOf(texts), at)))] as const,
    ),
    ...Object.entries(inWord).map(
      ([fault, change]) =>
        ['letter.docx', fault, (texts: readonly string[], at: At) => zipOf(change(texts, at))] as const,
    ),
    ...Object.entries(inPdf).map(
      ([fault, change]) =>
        [
          'paper.pdf',
          fault,
          (texts: readonly string[], at: At) =>
            pdfOf(
              texts.map((text) => [text]),
              { change: (objects) => change(objects, at, texts.length) },
            ),
        ] as const,
    ),
  ];

/** The paragraphs that a text lacks, and what it has besides them, each once and in order. (A PDF joins lines without a full stop.) */
function comparedWith(originals: readonly string[], text: string): { missing: string[]; rest: string } {
  let [rest, end] = [text.replaceAll(/\s+/g, ' '), 0];
  const missing = originals.filter((one) => {
    const place = rest.indexOf(one, end);
    if (place < 0) return true;
    rest = rest.slice(0, place) + rest.slice(place + one.length);
    end = place;
    return false;
  });
  return { missing, rest: rest.trim() };
}

/** The same for every kind of file: several faults, so that a few runs of each make the kind's twenty or hundreds. */
const runsOf = (name: string): number =>
  Math.max(1, Math.ceil(damagedRuns.numRuns / cases.filter(([other]) => other === name).length));

it.each(cases)(
  '%s with %s',
  async (name, _, write) => {
    const file = path.join(folder, name);
    await fc.assert(
      fc.asyncProperty(texts, at, async (originals, place) => {
        fs.writeFileSync(file, write(originals, place));
        const start = performance.now();
        const found = await readDamaged(file);
        expect(performance.now() - start, 'milliseconds').toBeLessThan(LONGEST);
        if (found instanceof UserError) {
          expectSentence(found, name);
          return;
        }
        const { missing, rest } = comparedWith(originals, found.text);
        // Of a paragraph that is cut, its beginning is there.
        expect(
          ['', ...missing].some((one) => one.startsWith(rest)),
          `nobody wrote ${rest}`,
        ).toBe(true);
        if (found.reported === 0) expect(missing).toEqual([]);
      }),
      { ...damagedRuns, numRuns: runsOf(name) },
    );
  },
  damagedRuns.numRuns * LONGEST,
);
