// The text of web pages, EPUB and Word documents as a reader of them reads it, and a clear word about those that cannot be read.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInputs, type InputFacts, readTexts } from '../../../main/storage/texts/text-input.js';
import { docxOf, epubOf } from '../../../tools/support/zip-of.js';
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
    expect(describeInputs(facts)).toBe('HTML');
  });

  it('is read in the encoding that it declares, and refused in none', async () => {
    const page = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252"><p>';
    expect(await read('a.htm', Buffer.from(`${page}caf\xe9 \x93so\x94`, 'latin1'))).toBe('café “so”');
    expect(await read('b.html', Buffer.from(`\ufeff<p>wide`, 'utf16le'))).toBe('wide');
    expect((await faultOfAsync(read('c.html', Buffer.from('<p>caf\xe9', 'latin1')))).message).toContain('not UTF-8');
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

  it('that is cut short, or changed, is refused', async () => {
    const book = epubOf(['<p>One</p>']);
    for (const bytes of [book.subarray(0, 400), Buffer.from('PK'), Buffer.from(book).fill(0, 45, 60)]) {
      const fault = await faultOfAsync(read('cut.epub', bytes));
      expect(fault).toMatchObject({ code: 'file_damaged', field: 'data_path' });
      expect(fault.message).toContain('is not an EPUB document that can be read');
    }
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

  it('gives paragraphs, tabs and breaks as they are after all changes, whoever packed it', async () => {
    expect(await read('letter.docx', docxOf(body))).toBe(text);
    const packing =
      'import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:\n' +
      '  z.writestr("[Content_Types].xml", "<Types/>"); z.writestr("word/document.xml", sys.stdin.read())';
    const document = `<w:document><w:body>${body}</w:body></w:document>`;
    expect(spawnSync('python3', ['-c', packing, at('python.docx')], { input: document }).status).toBe(0);
    expect(await read('python.docx', fs.readFileSync(at('python.docx')))).toBe(text);
  });

  it('of an old kind, or protected, is told as such', async () => {
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1000)]);
    expect((await faultOfAsync(read('old.docx', old))).message).toContain('an old or a protected Office document');
  });
});
