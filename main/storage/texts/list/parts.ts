/** Sorts the files of a data set into its parts by their names, and leaves out what is no text of it. */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { type Cleaning, isCleaned } from '../../../../shared/config/data.js';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { piecesOf } from '../../../formats/byte-source.js';
import { fileSize, openFile } from '../../disk/file-bytes.js';

const marks = {
  train: /(?:^|[-_.])train(?:ing)?(?:[-_.\d]|$)/,
  held: /(?:^|[-_.])(?:valid|validation|val|dev|eval)(?:[-_.\d]|$)/,
  test: /(?:^|[-_.])test(?:[-_.\d]|$)/,
} as const;
type Part = keyof typeof marks;

/** Files that describe others, and kinds that are not written by hand. */
const ABOUT = /^(?:readme|licen[cs]e|copying|dataset_?card|dataset_infos?)\b/i;
const RECORDS = /\.(?:jsonl|ndjson|parquet|csv|tsv)(?:\.|$)/i;
/** Short files may be equal by chance. */
const LEAST_COPY = 200;

/** Finds the part that the name, or the folder nearest to it, names. */
function partOf(name: string): Part | null {
  for (const step of name.toLowerCase().split('/').reverse()) {
    const [part] = (Object.keys(marks) as Part[]).filter((one) => marks[one].test(step));
    if (part !== undefined) return part;
  }
  return null;
}

export interface Parts {
  /** What is trained on first, then what is held out. */
  readonly files: readonly string[];
  /** Those of them that are held out; none if the text's end is. */
  readonly heldOut: readonly string[];
  readonly leftOut: readonly { readonly file: string; readonly why: Message; readonly by: Cleaning }[];
}

/** @param folder what the parts' names are relative to */
export function partsOf(folder: string, files: readonly string[], keep: string): Parts {
  if (files.length < 2 || !isCleaned(keep, 'parts')) return { files, heldOut: [], leftOut: [] };
  const parts = new Map(files.map((file) => [file, partOf(path.relative(folder, file).split(path.sep).join('/'))]));
  const of = (part: Part) => files.filter((file) => parts.get(file) === part);
  const isDivided = of('train').length > 0 && of('held').length + of('test').length > 0;
  const isAbout = (file: string) => ABOUT.test(path.basename(file));
  const about = isDivided || files.some((file) => RECORDS.test(file)) ? files.filter(isAbout) : [];
  const leftOut = about.map((file) => ({ file, why: localized('list.skip.about'), by: 'parts' as const }));
  const texts = files.filter((file) => !about.includes(file));
  if (!isDivided || texts.length === 0) return { files: texts.length === 0 ? files : texts, heldOut: [], leftOut };
  const isHeld = of('held').length > 0;
  const heldOut = isHeld ? of('held') : of('test');
  const unused = isHeld ? of('test') : [];
  const apart = new Set([...heldOut, ...unused]);
  return {
    files: [...texts.filter((file) => !apart.has(file)), ...heldOut],
    heldOut,
    leftOut: [...leftOut, ...unused.map((file) => ({ file, why: localized('list.skip.test'), by: 'parts' as const }))],
  };
}

/** Leaves out copies of earlier files. */
export function withoutCopies({ files, heldOut, leftOut }: Parts, keep: string): Parts {
  if (files.length < 2 || !isCleaned(keep, 'duplicates')) return { files, heldOut, leftOut };
  const sizes = new Map<number, string[]>();
  for (const file of files) {
    const size = fileSize(file);
    const same = sizes.get(size);
    if (same) same.push(file);
    else sizes.set(size, [file]);
  }
  const copies = new Map<string, string>();
  for (const [size, same] of sizes) {
    const first = new Map<string, string>();
    if (size >= LEAST_COPY && same.length > 1) {
      for (const file of same) {
        const hash = hashOf(file);
        const before = first.get(hash);
        if (before === undefined) first.set(hash, file);
        else copies.set(file, before);
      }
    }
  }
  const isOwn = (file: string) => !copies.has(file);
  const why = (file: string) => localized('list.skip.copy', { file: path.basename(file) });
  return {
    files: files.filter(isOwn),
    heldOut: heldOut.filter(isOwn),
    leftOut: [
      ...leftOut,
      ...[...copies].map(([file, before]) => ({ file, why: why(before), by: 'duplicates' as const })),
    ],
  };
}

function hashOf(file: string): string {
  const source = openFile(file);
  try {
    const hash = createHash('sha256');
    for (const bytes of piecesOf(source, 1 << 20)) hash.update(bytes);
    return hash.digest('hex');
  } finally {
    source.close();
  }
}
