/** Counts the pages in a PDF's tree of pages, as a damaged /Count hides some of them without a fault. (ISO 32000-1, 7.7.3) */
import type { OpenFile } from '../../../disk/file-bytes.js';

/** Larger files are nearly all pictures. */
const MAX_BYTES = 1 << 27;
/** Of an object in the tree, and how many of them are read. */
const MAX_NODE = 1 << 18;
const MAX_NODES = 1 << 12;

/** Returns how many pages the tree lists; 0 if it is packed, which has checksums, or not readable. */
export function listedPages(source: OpenFile): number {
  if (source.byteLength > MAX_BYTES) return 0;
  const bytes = new Uint8Array(source.byteLength);
  source.read(0, bytes);
  const text = Buffer.from(bytes.buffer).toString('latin1');
  // A later object replaces an earlier one of its number.
  const kidsOf = new Map<number, readonly number[]>();
  for (const { index } of Array.from(text.matchAll(/\/Type\s*\/Pages\b/g)).slice(0, MAX_NODES)) {
    const [before, after] = [text.slice(Math.max(0, index - MAX_NODE), index), text.slice(index, index + MAX_NODE)];
    const begin = before.lastIndexOf(' obj');
    const node = before.slice(begin) + after.slice(0, after.indexOf('endobj'));
    const [number] = /\d+(?= +\d+$)/.exec(before.slice(Math.max(0, begin - 20), begin)) ?? [];
    const [, kids] = /\/Kids\s*\[([^\]]*)\]/.exec(node) ?? [];
    if (number !== undefined && kids !== undefined) kidsOf.set(Number(number), references(kids, /(\d+)\s+\d+\s+R\b/g));
  }
  const root = references(text, /\/Pages\s+(\d+)\s+\d+\s+R\b/g).findLast((node) => kidsOf.has(node));
  const seen = new Set(root === undefined ? [] : [root]);
  // A set gives what is added to it meanwhile, too.
  for (const node of seen) for (const kid of kidsOf.get(node) ?? []) seen.add(kid);
  return Array.from(seen, (node) => (kidsOf.get(node) ?? []).filter((kid) => !kidsOf.has(kid)).length).reduce(
    (a, b) => a + b,
    0,
  );
}

const references = (text: string, pattern: RegExp): number[] =>
  Array.from(text.matchAll(pattern), ([, number]) => Number(number));
