/** Documents: web pages, EPUB and Word, which are XML in a zip archive, and PDF. Read by libraries in a worker. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTexts } from '../../../main/storage/texts/text-input.js';
import { type PdfOptions, pdfOf } from '../../support/pdf-of.js';
import { docxOf, epubOf, type ZipPart, zipOf } from '../../support/zip-of.js';
import { type Subject, unknown } from '../subject.js';

const MB = 1 << 20;
const page = '<!DOCTYPE html><meta charset="utf-8"><h1>A page</h1><p>of our <b>own</b> &amp; only&nbsp;one';
const chapters = ['<h1>One</h1><p>It begins.</p>', '<p>It ends,<br/>here.</p>'];
const word = '<w:p><w:r><w:t>Of our</w:t><w:tab/><w:t>own</w:t></w:r></w:p><w:p><w:r><w:t>words.</w:t></w:r></w:p>';
const says: Readonly<Record<string, string>> = {
  epub: 'One\n\nIt begins.\n\nIt ends,\nhere.',
  docx: 'Of our\town\n\nwords.',
};
const short = (text: string): string =>
  `${text.length} ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
const document = (bytes: string | Uint8Array, more: Partial<ZipPart> = {}): Buffer =>
  zipOf([{ name: 'word/document.xml', bytes, ...more }]);
/** Objects of a PDF by their numbers, that stand in the place of its page tree. */
const pdfTree = (tree: string, more: PdfOptions['more'] = {}): Buffer =>
  pdfOf([['a']], { isPlain: true, more: { 2: tree, ...more } });
const nested = (tag: string, count: number): string => `<${tag}>`.repeat(count);

export const documents: Subject = {
  name: 'documents',
  // Ended after ten seconds, or when it has taken three quarters of a gigabyte (main/storage/texts/hostile-file.ts).
  limits: { cpuMs: 15_000, memory: 1 << 30 },
  samples: [
    { name: 'page.html', bytes: Buffer.from(page) },
    { name: 'book.epub', bytes: epubOf(chapters), onlyRandom: true },
    { name: 'letter.docx', bytes: docxOf(word), onlyRandom: true },
    { name: 'print.pdf', bytes: pdfOf([['Of our own', 'words.']], { isPlain: true }), onlyRandom: true },
  ],
  bombs: {
    'a document of 200 MB.docx': () => document(Buffer.alloc(200 * MB, '<w:t>a</w:t>')),
    'a document of 60 MB of blanks.docx': () => document(Buffer.alloc(60 * MB, ' ')),
    'more than it says.docx': () => document(Buffer.alloc(20 * MB, 'a'), { claims: 10 }),
    'less than it says.docx': () => document('a', { claims: 2 ** 31 }),
    'elements in elements.docx': () => document(nested('w:p', MB)),
    'elements in elements.html': () => Buffer.from(nested('div', MB)),
    'a text that is repeated.docx': () => document(`<w:p><w:t>${'a text '.repeat(8 * MB)}</w:t></w:p>`),
    'very many chapters.epub': () => epubOf(new Array<string>(40_000).fill('<p>a</p>')),
    'a tag without an end.html': () => Buffer.from(`<p title="${'a'.repeat(12 * MB)}`),
    'no chapters.epub': () => epubOf([]),
    'a protected chapter.epub': () =>
      epubOf(chapters, [
        {
          name: 'META-INF/encryption.xml',
          bytes: '<encryption><CipherReference URI="book/text/chapter%201.xhtml"/></encryption>',
        },
      ]),
    'a way out.epub': () =>
      zipOf([
        {
          name: 'META-INF/container.xml',
          bytes: '<container><rootfile full-path="../../../../etc/passwd"/></container>',
        },
      ]),
    'entities that grow.docx': () =>
      document('<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><w:document>&b;</w:document>'),
    'pages in themselves.pdf': () => pdfTree('<< /Type /Pages /Count 3 /Kids [2 0 R 2 0 R 2 0 R] >>'),
    'a page of 8 MB.pdf': () => pdfOf([' '.repeat(8 * MB)]),
    'a page that says the same.pdf': () =>
      pdfOf([`BT /F1 1 Tf ${`1 0 0 1 9 9 Tm (${'a text '.repeat(50)}) Tj `.repeat(4000)} ET`]),
    'a form in itself.pdf': () =>
      pdfOf(['/X Do'], {
        more: {
          100: '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 100 0 R >> >> /Length 5 >>\nstream\n/X Do\nendstream',
        },
      }),
    'arrays in arrays.pdf': () => pdfOf([`${'['.repeat(MB)} TJ`]),
    'a locked one.pdf': () => pdfOf([['a']], { protection: 'password' }),
    'not to be taken out.pdf': () => pdfOf([['a']], { protection: 'no copying' }),
    'only pictures.pdf': () => pdfOf(['0 0 9 9 re f']),
    'an old one.docx': () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(4096)]),
    'zeros.html': () => Buffer.alloc(100_000),
    'an encoding that is none.html': () => Buffer.from('<meta charset="klingon"><p>a'),
  },
  burdens: {
    'ends without a beginning.html': () => Buffer.from(`<p>a${'</b>'.repeat(MB / 2)}`),
    'very many attributes.html': () =>
      Buffer.from(`<p ${Array.from({ length: 50_000 }, (_, i) => `a${i}=1`).join(' ')}>a`),
    'attributes that are prototypes.html': () => Buffer.from('<p __proto__=1 constructor=2>a<__proto__>b'),
    'very many entities.html': () => Buffer.from(`<p>${'&amp;&#x1f600;&nosuch;'.repeat(MB / 8)}`),
    'pages that are none.pdf': () => pdfTree('<< /Type /Pages /Count 2000000000 /Kids [1000 0 R] >>'),
    'a page that writes beyond itself.pdf': () => pdfOf([`BT /F1 9 Tf ${'(a text) Tj 0 -9 Td '.repeat(MB / 32)} ET`]),
    'very many lines.html': () => Buffer.from(`<p>a${'<br>b'.repeat(MB / 4)}`),
  },
  words: [
    '<p>',
    '</p>',
    '<pre>',
    '<script>',
    '<!--',
    '<![CDATA[',
    '&#',
    '&amp;',
    '<w:del>',
    '<nav',
    '\0',
    'endobj',
    '/Length 9',
    '1000 0 R',
    'charset=utf-7',
  ],
  async read(bytes, name, folder) {
    const file = join(folder, name.replace(/.*(\.\w+)$/, 'input$1'));
    writeFileSync(file, bytes);
    let text = '';
    for await (const piece of readTexts([file])) text += piece.text;
    return short(text);
  },
  // Checksums guard what is in an archive: what is read of a damaged one is what it said before.
  again: (_, name) => {
    const known = says[/\.(\w+)$/.exec(name)?.[1] ?? ''];
    return known === undefined ? unknown : short(known);
  },
};
