// The text of web pages, EPUB, Word and PDF documents as a reader of them reads it, and a clear word about those that cannot be read.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInputs, type InputFacts, readTexts } from '../../../main/storage/texts/read-texts.js';
import { docxOf as docxFrom } from '../../../renderer/client/docx.js';
import { type Line, type PdfOptions, pdfOf } from '../../../tools/support/pdf-of.js';
import { docxOf, epubOf, zipOf } from '../../../tools/support/zip-of.js';
import { inEnglish } from '../../support/messages.js';
import { faultOfAsync } from '../fault-of.js';
import { temporaryFolder } from '../faults.js';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => path.join(folder, name);

async function read(name: string, bytes: string | Uint8Array, facts: InputFacts[] = []): Promise<string> {
  fs.writeFileSync(at(name), bytes);
  let text = '';
  for await (const piece of readTexts([at(name)], { onFile: (one) => facts.push(one) })) text += piece.text;
  return text;
}

describe('a web page', () => {
  it('gives paragraphs, headings, lists and tables, and nothing that is not read', async () => {
    const page = `<!DOCTYPE html><html><head><title>No</title><style>p { no: 1 }</style><script>no("<p>")</script>
      <body><nav><ul><li>No</nav><header><h1>The  <em>whale</em></h1></header>
      <p>It was
      a day &amp; a night<!-- no -->,<br>and a&nbsp;day. <a href="no">See</a>.<p>co\u00adoperate
      <ul><li>one<li>two <b>and</b> more</ul><div hidden>no</div>
      <table><tr><th>a<th>b<tr><td>1<td>2</table><pre>  as
    it   is

stands</pre><form>Fill <button>No</button></form><p>The end</body></html>`;
    const facts: InputFacts[] = [];
    expect(await read('page.html', page, facts)).toBe(
      [
        'The whale',
        'It was a day & a night,\nand a\u00a0day. See.',
        'cooperate',
        'one\ntwo and more',
        'a\tb\n1\t2',
        '  as\n    it   is\n\nstands',
        'Fill',
        'The end',
      ].join('\n\n'),
    );
    expect(inEnglish(describeInputs(facts))).toBe('HTML');
  });

  it('is read in the encoding that it declares, and refused in none', async () => {
    const page = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252"><p>';
    expect(await read('a.htm', Buffer.from(`${page}caf\xe9 \x93so\x94`, 'latin1'))).toBe('café “so”');
    expect(await read('b.html', Buffer.from(`\ufeff<p>wide`, 'utf16le'))).toBe('wide');
    const mixed = Buffer.concat([Buffer.from('<p>éé'), Buffer.from('\xff\xff', 'latin1'), Buffer.from('!')]);
    expect((await faultOfAsync(read('c.html', mixed))).message).toContain('not UTF-8');
    expect(await faultOfAsync(read('d.html', '<script>only()</script>'))).toMatchObject({ code: 'text_too_short' });
    expect((await faultOfAsync(read('e.html', '<div>'.repeat(5000)))).message).toContain('2048 deep');
  });
});

describe('an EPUB', () => {
  it('is read in the order of its spine, without its contents', async () => {
    const chapters = [
      '<h1>One</h1><p>First<a id="x"/> words.</p>',
      '<p>Second</p><script src="no"/><p>words</p>',
      '<p>Third</p>',
    ];
    expect(await read('book.epub', epubOf(chapters))).toBe('One\n\nFirst words.\n\nSecond\n\nwords\n\nThird');
  });

  it('that is cut short is refused, and read where only what nobody needs is damaged', async () => {
    expect(await read('fragment.epub', epubOf(['<?xml version="1.0"?>\n<!DOCTYPE html>\n<p>One</p>']))).toBe('One');
    const book = epubOf(['<p>One</p>']);
    for (const bytes of [book.subarray(0, 400), Buffer.from('PK')]) {
      const fault = await faultOfAsync(read('cut.epub', bytes));
      expect(fault).toMatchObject({ code: 'file_damaged', field: 'data_path' });
      expect(fault.message).toContain('is not a readable EPUB document');
    }
    expect(await read('type.epub', Buffer.from(book).fill(0, 45, 60))).toBe('One');
  });
});

/** Reads a document and describes it. */
async function described(name: string, bytes: Uint8Array): Promise<[string, string]> {
  const facts: InputFacts[] = [];
  const text = await read(name, bytes, facts);
  return [text, inEnglish(describeInputs(facts))];
}

describe('a damaged document', () => {
  const chapters = ['<p>One</p>', '<p>Two</p>', '<p>Three</p>'];
  const book = epubOf(chapters);
  const changed = (bytes: Buffer, at: number, replacement: string): Buffer => {
    const copy = Buffer.from(bytes);
    copy.write(replacement, at, 'latin1');
    return copy;
  };
  const page = (text: string, y: number): string => `BT /F1 10 Tf 72 ${y} Td (${text}) Tj ET`;
  const pdf = pdfOf([['one'], `${page('two', 700)} q /X Do Q ${page('after', 600)}`, ['three']]);
  const more = { 100: '<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [1002 0 R 1004 0 R] >>' };
  const pages = pdfOf([['one'], ['two'], ['three']], { more });
  const counted = (count: string): Buffer => changed(pages, pages.indexOf('/Count') + 7, count);
  const nested = changed(counted('2'), pages.indexOf('1002 0 R 1004 0 R'), '0100 0 R         ');
  const stored = (body: string): Buffer =>
    zipOf([
      { name: 'a.opf', bytes: '<package><manifest><item id="a" href="a.html"/><item id="c" href="cover.html"/></manifest><spine><itemref idref="c"/><itemref idref="a"/><itemref idref="none"/><itemref idref="a"/></spine></package>' }, // oxfmt-ignore
      { name: 'a.html', bytes: Buffer.from(body, 'latin1') },
    ]);

  it.each<[string, Buffer, string, string]>([
    [
      'comment.epub',
      Buffer.concat([book, Buffer.from('a comment, or the end of a download')]),
      'One\n\nTwo\n\nThree',
      'EPUB',
    ],
    [
      'chapter.epub',
      changed(book, book.indexOf('book/text/chapter 2.xhtml') + 40, 'damage'),
      'One\n\nThree',
      'EPUB; 1 chapter is missing or damaged, and left out in whole or in part',
    ],
    ['latin.epub', stored('<p>caf\xe9</p>'), '', 'names a chapter that it does not list'],
    ['picture.pdf', pdf, 'one two after three', 'PDF; 1 page is damaged or has no text'],
    [
      'page.pdf',
      changed(pdf, pdf.indexOf('stream', pdf.indexOf('1003 0 obj')) + 12, 'damage, damage'),
      'one three',
      'PDF; 1 page is damaged or has no text',
    ],
    // The tree of pages names one that is none.
    ['tree.pdf', changed(pdf, pdf.indexOf('1002 0 R'), '9999'), 'one three', 'PDF; 1 page is damaged or has no text'],
    ['count.pdf', counted('2'), 'one two', 'PDF; 1 page is damaged or has no text'],
    ['more.pdf', counted('7'), 'one two three', 'PDF'],
    ['few.pdf', counted('1'), '', 'page 2 is in the tree'],
    ['nested.pdf', nested, 'one two', 'PDF; 1 page is damaged or has no text'],
    ['kids.pdf', changed(pdf, pdf.indexOf('/Kids'), '/None'), '', 'page 1'],
  ])('%s is read in part, with a report, or refused', async (name, bytes, text, report) => {
    if (text === '') expect((await faultOfAsync(read(name, bytes))).message).toContain(report);
    else expect(await described(name, bytes)).toEqual([text, report]);
  });
});

describe('a Word document', () => {
  const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const body = [
    `<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr>${run('A ')}${run('title')}</w:p>`,
    `<w:p>${run('kept')}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins>${run(' &amp; new')}</w:ins><w:r><w:tab/><w:t>far</w:t><w:br/><w:t>below</w:t></w:r></w:p>`,
    '<w:p/>',
    ...['one', 'two'].map((item) => `<w:p><w:pPr><w:numPr/></w:pPr>${run(item)}</w:p>`),
    `<w:tbl><w:tr><w:tc><w:p>${run('a')}</w:p></w:tc><w:tc><w:p>${run('b')}</w:p></w:tc></w:tr></w:tbl>`,
    `<w:p><mc:AlternateContent><mc:Choice>${run('once')}</mc:Choice><mc:Fallback>${run('twice')}</mc:Fallback></mc:AlternateContent></w:p>`,
  ].join('');
  const text = 'A title\n\nkept & new\tfar\nbelow\n\none\ntwo\na\tb\n\nonce';

  it('gives paragraphs, tabs and breaks as they are after all changes, whatever packed it', async () => {
    expect(await read('letter.docx', docxOf(body))).toBe(text);
    const packing =
      'import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:\n' +
      '  z.writestr("[Content_Types].xml", "<Types/>"); z.writestr("word/document.xml", sys.stdin.read())';
    const document = `<w:document><w:body>${body}</w:body></w:document>`;
    expect(spawnSync('python3', ['-c', packing, at('python.docx')], { input: document }).status).toBe(0);
    expect(await read('python.docx', fs.readFileSync(at('python.docx')))).toBe(text);
  });

  it.each([
    'One line,\nanother\n\na paragraph <with> signs & "marks" \u00e9 \u9cb8 \ud83d\udc0b',
    '\u0634\u0645\u0633\tfar  off\n\n\u2028\ufffd end',
  ])('gives what the writing page exported: %j', async (written) => {
    expect(await read('own.docx', Buffer.concat(docxFrom(written)))).toBe(written);
    const check =
      'import sys, zipfile, xml.dom.minidom as x\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n[x.parseString(z.read(n)) for n in z.namelist()]';
    fs.writeFileSync(at('own.docx'), Buffer.concat(docxFrom(`${written}\0\x1f\ud800\uffff`)));
    expect(spawnSync('python3', ['-c', check, at('own.docx')], { encoding: 'utf8' }).stderr).toBe('');
  });

  it('gives the letters of equations and symbols', async () => {
    const math = (name: string, inside: string): string => `<m:${name}>${inside}</m:${name}>`;
    const letter = (text: string): string => math('r', math('t', text));
    const symbol = (font: string, code: string): string => `<w:sym w:font="${font}" w:char="${code}"/>`;
    const power = math('sSup', math('e', letter('r')) + math('sup', letter('2')));
    const half = math('f', math('num', letter('a')) + math('den', letter('b')));
    const symbols = [
      symbol('Symbol', 'F061'),
      symbol('Wingdings', 'F0E0'),
      symbol('Segoe UI Symbol', '2713'),
      symbol('Wingdings', 'F001'),
    ];
    const body = `<w:p>${run('Area ')}${math('oMath', letter('π') + power)}, ${math('oMath', half)}<w:r>${symbols.join('')}</w:r></w:p>`;
    expect(await read('math.docx', docxOf(body))).toBe('Area πr^2a/bα→✓\ufffd');
  });

  it('of an old kind, or protected, is refused as such', async () => {
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1000)]);
    expect((await faultOfAsync(read('old.docx', old))).message).toContain('an old or a protected Office document');
  });
});

describe('a PDF', () => {
  const pages = (...all: Line[][]): Promise<string> => read('book.pdf', pdfOf(all));
  const refusal = async (page: Line[] | string, options: PdfOptions = {}): Promise<string> =>
    (await faultOfAsync(read('bad.pdf', pdfOf([page], options)))).message;

  it('gives paragraphs of its lines, in the order of its pages', async () => {
    const facts: InputFacts[] = [];
    const chapter: Line[] = [
      { text: 'A (small) title', size: 18, y: 760 },
      { text: 'It was a day', y: 720 },
      'and a night, as caf\xe9s',
      'say.',
      { text: 'Set in, a new one', x: 84 },
      'goes on',
      { text: 'Far below, another one begins and', y: 600 },
    ];
    expect(await read('book.pdf', pdfOf([chapter, ['ends on the next page.']]), facts)).toBe(
      [
        'A (small) title',
        'It was a day and a night, as cafés say.',
        'Set in, a new one goes on',
        'Far below, another one begins and ends on the next page.',
      ].join('\n\n'),
    );
    expect(inEnglish(describeInputs(facts))).toBe('PDF');
  });

  it('has its divided words whole again, and their own hyphens where it writes them so', async () => {
    expect(
      await pages([
        'The well-known har-',
        'pooner was a well-',
        'known man of Nan-',
        'tucket, and of New-',
        'England, in 1850-',
        'and later.',
      ]),
    ).toBe('The well-known harpooner was a well-known man of Nantucket, and of New- England, in 1850- and later.');
    // Divided by the end of a page, too.
    expect(await pages(['The har-'], ['pooner.'])).toBe('The harpooner.');
  });

  const names = (letters: (code: number) => string) =>
    Array.from({ length: 116 }, (_, i) => `${i + 11} /${letters(i + 11)}`).join(' ');
  const bitmaps = (letters: (code: number) => string): string =>
    `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [0.1 0 0 0.1 0 0] /FirstChar 0 /LastChar 127 /Widths [${'5 '.repeat(128)}] /Encoding << /Differences [${names(letters)}] >> /CharProcs << >> >>`;
  it.each<[font: string, object: string, isOld: boolean]>([
    ['TeX’s bitmaps', bitmaps((code) => `a${code}`), true],
    ['bitmaps of other names', bitmaps((code) => `G${code.toString(16)}`), true],
    [
      'a font that is not in the file',
      `<< /Type /Font /Subtype /Type1 /BaseFont /CMR10 /FirstChar 0 /LastChar 127 /Widths [${'500 '.repeat(128)}] /FontDescriptor << /Type /FontDescriptor /FontName /CMR10 /Flags 4 >> >>`,
      true,
    ],
    ['a newer encoding', bitmaps((code) => `a${code}`), false],
  ])('has the ligatures of %s', async (_, font, isOld) => {
    const code = (place: number): string => String.fromCharCode((isOld ? 11 : 27) + place);
    const [ff, fi, fl, ffi, ffl] = [0, 1, 2, 3, 4].map(code);
    const line = `the de${fi}nition of signi${fi}cant e${ff}ects, o${ff}, ${fl}oor, e${ffi}cient, ba${ffl}ed \\so"\r`;
    expect(await read('tex.pdf', pdfOf([[line, 'and more']], { more: { 3: font } }))).toBe(
      `the definition of significant effects, off, floor, efficient, baffled ${isOld ? '“so”' : '\\so"'} and more`,
    );
  });

  it('is read without what stands at the edges of its pages', async () => {
    const page = (i: number, words: string): Line[] => [
      { text: i % 2 === 0 ? 'THE WHALE' : `CHAPTER ${i}`, y: 800 },
      { text: words, y: 720 },
      { text: String(i), y: 40 },
    ];
    const words = ['one', 'two', 'three', 'four', 'five'];
    expect(await pages(...words.map((word, i) => page(i + 1, word)))).toBe('one two three four five');
    // A page of its own kind keeps its edges.
    expect(await pages([{ text: 'Part', y: 800 }, 'of all', 'of it'], page(2, 'two'))).toContain('Part');
  });

  it('that holds no text, is protected or damaged, is refused with the reason', async () => {
    expect(await faultOfAsync(read('scan.pdf', pdfOf(['0 0 595 842 re f', '0 0 9 9 re f'])))).toMatchObject({
      code: 'text_too_short',
      message: expect.stringContaining('its pages (2) are') as string,
      hint: expect.stringContaining('OCR') as string,
    });
    expect(await refusal(['locked'], { protection: 'password' })).toContain('protected by a password');
    expect(await refusal(['locked'], { protection: 'no copying' })).toContain(
      'does not allow its text to be taken out',
    );
    expect(await refusal(['letters'], { encoding: '90ms-RKSJ-H' })).toContain('"90ms-RKSJ-H"');
    const whole = pdfOf([['one'], ['two']]);
    for (const bytes of [Buffer.from('%PDF-1.7'), Buffer.alloc(5000), whole.subarray(0, 100)]) {
      const fault = await faultOfAsync(read('cut.pdf', bytes));
      expect(fault).toMatchObject({ code: 'file_damaged', field: 'data_path' });
      expect(fault.message).toContain('is not a readable PDF document');
    }
  });
});
