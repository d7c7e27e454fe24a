/** Zip archives, and documents that are some, for tests: made here, so that every byte of them is our own. */
import { deflateRawSync } from 'node:zlib';
import { crc32 } from '../../main/formats/crc32.js';

export interface ZipPart {
  readonly name: string;
  readonly bytes: string | Uint8Array;
  /** As it is instead of deflated. */
  readonly isStored?: boolean;
  /** The length that the archive states, if it lies. */
  readonly claims?: number;
}

export function zipOf(parts: readonly ZipPart[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const { name, bytes, isStored = false, claims } of parts) {
    const content = Buffer.from(bytes as string);
    const stored = isStored ? content : deflateRawSync(content);
    const title = Buffer.from(name);
    // From the version needed to the length of the extra field, alike in both headers. (APPNOTE.TXT, 4.3.7 and 4.3.12)
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(isStored ? 0 : 8, 4);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(stored.length, 14);
    shared.writeUInt32LE(claims ?? content.length, 18);
    shared.writeUInt16LE(title.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const header = Buffer.concat([Buffer.from('504b0304', 'hex'), shared, title]);
    central.push(Buffer.concat([Buffer.from('504b01021400', 'hex'), shared, place, title]));
    local.push(header, stored);
    at += header.length + stored.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...local, directory, end]);
}

/** @param chapters bodies of pages, in the order of the book, which is not that of their names */
export const epubOf = (chapters: readonly string[], more: readonly ZipPart[] = []): Buffer => {
  const name = (i: number): string => `chapter ${String(chapters.length - i)}.xhtml`;
  const items = chapters.map(
    (_, i) => `<item id="c${i}" href="text/${encodeURI(name(i))}" media-type="application/xhtml+xml"/>`,
  );
  const order = chapters.map((_, i) => `<itemref idref="c${i}"/>`);
  return zipOf([
    { name: 'mimetype', bytes: 'application/epub+zip', isStored: true },
    {
      name: 'META-INF/container.xml',
      bytes: '<?xml version="1.0"?><container><rootfiles><rootfile full-path="book/our.opf"/></rootfiles></container>',
    },
    {
      name: 'book/our.opf',
      bytes: `<package><manifest>${[...items].reverse().join('')}<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="n"/>${order.join('')}</spine></package>`,
    },
    { name: 'book/nav.xhtml', bytes: '<html><body><p>Contents that are not read</p></body></html>' },
    ...chapters
      .map((body, i) => ({
        name: `book/text/${name(i)}`,
        bytes: `<?xml version="1.0"?><html><head><title/></head><body>${body}</body></html>`,
      }))
      .reverse(),
    ...more,
  ]);
};

/** @param body paragraphs in Word's own XML */
export const docxOf = (body: string): Buffer =>
  zipOf([
    {
      name: '_rels/.rels',
      bytes:
        '<Relationships><Relationship Type="http:officeDocument/officeDocument" Target="word/document.xml"/></Relationships>',
    },
    { name: 'word/document.xml', bytes: `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>` },
  ]);
