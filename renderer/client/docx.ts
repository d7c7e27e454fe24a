/** Encodes a text as a Word document: a zip of three stored files. (ECMA-376 part 1, 17; APPNOTE.TXT 4.3) */
import crc32 from 'crc-32';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'application/vnd.openxmlformats';
const TYPES = `<Default Extension="rels" ContentType="${OFFICE}-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${OFFICE}-officedocument.wordprocessingml.document.main+xml"/>`;
const MAIN = `<Relationship Id="main" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>`;
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** @param text its paragraphs are separated by empty lines */
export const docxOf = (text: string) =>
  zipOf({
    '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types">${TYPES}</Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships">${MAIN}</Relationships>`,
    'word/document.xml': `${XML}<w:document xmlns:w="${WORD}"><w:body>${paragraphs(text)}</w:body></w:document>`,
  });

const paragraphs = (text: string): string =>
  text
    .split(/\n{2,}/)
    .map(
      (paragraph) =>
        `<w:p><w:r>${paragraph
          .split(/(?=[\n\t])/)
          .map(run)
          .join('')}</w:r></w:p>`,
    )
    .join('');

function run(text: string): string {
  const mark = { '\n': '<w:br/>', '\t': '<w:tab/>' }[text.charAt(0)] ?? '';
  const written = (mark === '' ? text : text.slice(1))
    // XML has no other control characters, not even escaped.
    .replace(/[^\n\t\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `${mark}<w:t xml:space="preserve">${written}</w:t>`;
}

const utf8 = new TextEncoder();

/** Numbers, each in so many bytes. */
const fields = (...numbers: readonly (readonly [value: number, bytes: number])[]) =>
  Uint8Array.from(numbers.flatMap(([value, bytes]) => Array.from({ length: bytes }, (_, at) => value / 256 ** at)));

function zipOf(files: Readonly<Record<string, string>>) {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  const lengthOf = (parts: readonly Uint8Array[]) => parts.reduce((sum, { length }) => sum + length, 0);
  for (const [name, text] of Object.entries(files)) {
    const [title, content] = [utf8.encode(name), utf8.encode(text)];
    const [{ length }, sum] = [content, crc32.buf(content) >>> 0];
    // Version, flags, method, time, date (1 January 1980), checksum, sizes, lengths of name and extra field.
    const facts = fields(
      [20, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [0x21, 2],
      [sum, 4],
      [length, 4],
      [length, 4],
      [title.length, 2],
      [0, 2],
    );
    directory.push(fields([0x02014b50, 4], [20, 2]), facts, fields([0, 10], [lengthOf(pieces), 4]), title);
    pieces.push(fields([0x04034b50, 4]), facts, title, content);
  }
  const count = Object.keys(files).length;
  const sizes = fields([count, 2], [count, 2], [lengthOf(directory), 4], [lengthOf(pieces), 4], [0, 2]);
  return [...pieces, ...directory, fields([0x06054b50, 4], [0, 4]), sizes];
}
