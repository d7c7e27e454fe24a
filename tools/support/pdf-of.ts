/** PDF documents for tests: made here, so that every byte of them is our own. (ISO 32000-1) */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** A line of print; the next one is below it unless a place is given. */
export type Line = string | { readonly text: string; readonly x?: number; readonly y?: number; readonly size?: number };

export interface PdfOptions {
  /** Content is as it is, not deflated. */
  readonly isPlain?: boolean;
  /** Needs a password, or opens without one and does not allow its text to be taken out. */
  readonly protection?: 'password' | 'no copying';
  /** The encoding of its letters, as a font names it. */
  readonly encoding?: string;
  /** Additional objects, by numbers from 100 on, the first of which pages draw by `/X Do`. */
  readonly more?: Readonly<Record<number, string>>;
  /** Changes objects before they are written; pages are 1000, 1002, …, and each one's content is the next number. */
  readonly change?: (objects: Map<number, Buffer>) => void;
}

const LEFT = 72;
const TOP = 720;
const SIZE = 10;
const PITCH = 12;
const id = '0123456789abcdef0123456789abcdef';

const escaped = (text: string): string => text.replace(/[\\()]/g, '\\$&');

/** What draws some lines, from the top down. */
function contentOf(lines: readonly Line[]): string {
  let y = TOP + PITCH;
  return lines
    .map((line) => {
      const { text, x = LEFT, size = SIZE, ...place } = typeof line === 'string' ? { text: line } : line;
      y = place.y ?? y - PITCH;
      return `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped(text)}) Tj ET`;
    })
    .join('\n');
}

/** @param pages the lines of each, or its drawing as PDF instructions */
export function pdfOf(pages: readonly (readonly Line[] | string)[], options: PdfOptions = {}): Buffer {
  const { encoding = 'WinAnsiEncoding', isPlain = false, protection, more = {}, change } = options;
  const objects = new Map<number, Buffer>();
  const put = (number: number, body: string): void => void objects.set(number, Buffer.from(body, 'latin1'));
  put(1, '<< /Type /Catalog /Pages 2 0 R >>');
  put(2, `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${1000 + 2 * i} 0 R`).join(' ')}] >>`);
  const font = encoding.includes('-')
    ? `/Type0 /BaseFont /Ours /Encoding /${encoding} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ours /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor << /Type /FontDescriptor /FontName /Ours /Flags 4 >> >>]`
    : `/Type1 /BaseFont /Helvetica /Encoding /${encoding}`;
  put(3, `<< /Type /Font /Subtype ${font} >>`);
  pages.forEach((page, i) => {
    const [own, content] = [1000 + 2 * i, 1001 + 2 * i];
    put(
      own,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> /XObject << /X 100 0 R >> >> /Contents ${content} 0 R >>`,
    );
    const plain = Buffer.from(typeof page === 'string' ? page : contentOf(page), 'latin1');
    const bytes = isPlain ? plain : deflateSync(plain);
    const head = `<< /Length ${bytes.length}${isPlain ? '' : ' /Filter /FlateDecode'} >>\nstream\n`;
    objects.set(content, Buffer.concat([Buffer.from(head), bytes, Buffer.from('\nendstream')]));
  });
  for (const [number, body] of Object.entries(more)) put(Number(number), body);
  if (protection !== undefined) put(4, protectionOf(protection));
  change?.(objects);
  return written(objects, protection === undefined ? '' : '/Encrypt 4 0 R ');
}

function written(objects: ReadonlyMap<number, Buffer>, trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  let at = parts[0]?.length ?? 0;
  const table: string[] = ['0 1\n0000000000 65535 f \n'];
  for (const [number, body] of [...objects].sort(([a], [b]) => a - b)) {
    table.push(`${number} 1\n${String(at).padStart(10, '0')} 00000 n \n`);
    const bytes = Buffer.concat([Buffer.from(`${number} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
    parts.push(bytes);
    at += bytes.length;
  }
  const size = Math.max(...objects.keys()) + 1;
  parts.push(
    Buffer.from(
      `xref\n${table.join('')}trailer\n<< /Root 1 0 R /Size ${size} ${trailer}/ID [<${id}> <${id}>] >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** Algorithms 2 and 4 of 7.6.3, revision 2. */
function protectionOf(protection: 'password' | 'no copying'): string {
  const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
  const owner = Buffer.alloc(32, 7);
  // All bits but the one for taking text out.
  const permissions = -1 & ~0b10000 & ~0b11;
  const bits = Buffer.alloc(4);
  bits.writeInt32LE(permissions);
  const key = createHash('md5')
    .update(Buffer.concat([padding, owner, bits, Buffer.from(id, 'hex')]))
    .digest()
    .subarray(0, 5);
  const user = protection === 'password' ? Buffer.alloc(32, 9) : rc4(key, padding);
  return `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P ${permissions} >>`;
}

function rc4(key: Uint8Array, bytes: Uint8Array): Buffer {
  const state = Array.from({ length: 256 }, (_, i) => i);
  const at = (i: number): number => state[i & 255] ?? 0;
  const swap = (i: number, j: number): void => void ([state[i & 255], state[j & 255]] = [at(j), at(i)]);
  for (let i = 0, j = 0; i < 256; i++) {
    j += at(i) + (key[i % key.length] ?? 0);
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    bytes.map((byte) => {
      j += at(++i);
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}
