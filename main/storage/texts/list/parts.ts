/** Sorts the files of a data set into its parts by their names, and leaves out what is no text of it. */
import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { type Cleaning, isCleaned, keptBefore } from '../../../../shared/config/data.js';
import { UserError } from '../../../../shared/errors.js';
import { localized, type Message } from '../../../../shared/messages/message.js';
import { piecesOf } from '../../../formats/byte-source.js';
import { fileSize, openFile } from '../../disk/file-bytes.js';

const marks = {
  train: /(?:^|[-_.])train(?:ing)?(?:[-_.\d]|$)/,
  valid: /(?:^|[-_.])(?:valid|validation|val|dev|eval)(?:[-_.\d]|$)/,
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
  /** Those of them that are held out; none if the end of a text is. */
  readonly heldOut: readonly string[];
  readonly leftOut: readonly { readonly file: string; readonly why: Message; readonly by: Cleaning }[];
  /** The values that `held_out` may have; none for a single file. */
  readonly choices: readonly string[];
}

export interface PartChoice {
  /** The cleaning that is off; left out: what earlier versions did not do. */
  readonly keep?: string | undefined;
  readonly held_out?: string | undefined;
}

/** Returns a file's path within a folder, with slashes. */
export const nameIn = (folder: string, file: string): string => path.relative(folder, file).split(path.sep).join('/');

/**
 * Decides which files are trained on and which are held out. A test part is never trained on.
 * @throws UserError `bad_input` if `held_out` names none or all of the files
 */
export function partsOf(folder: string, all: readonly string[], choice: PartChoice): Parts {
  const { keep = keptBefore, held_out: wanted = 'auto' } = choice;
  const files = filesInRoles(folder, all, isCleaned(keep, 'parts'));
  const isChosen = ({ name, role }: FileInRole) =>
    !ends.includes(wanted) &&
    (name === wanted || name.startsWith(`${wanted}/`) || (role !== 'text' && role === wanted));
  const chosen = files.filter(isChosen);
  // What is no text of the data set is one if there is nothing else.
  const trained = (['text', 'valid', 'about'] as const)
    .map((role) => files.filter((one) => one.role === role && !isChosen(one)))
    .find(({ length }) => length > 0);
  if (trained === undefined || (chosen.length === 0 && !ends.includes(wanted))) throw cannotHoldOut(folder, wanted);
  const valid = files.filter(({ role }) => role === 'valid' && trained[0]?.role !== role);
  const heldOut = wanted === 'auto' ? valid : chosen;
  const read = new Set([...trained, ...heldOut]);
  const test = files.filter(({ role }) => role === 'test');
  return {
    files: Array.from(read, ({ file }) => file),
    heldOut: heldOut.map(({ file }) => file),
    leftOut: files.flatMap((one) =>
      read.has(one) || one.role === 'text'
        ? []
        : [{ file: one.file, why: localized(`list.skip.${one.role}`), by: 'parts' as const }],
    ),
    choices: [
      ...(valid.length > 0 ? ['auto', 'end', 'each'] : ['auto', 'each']),
      ...(test.length > 0 ? ['test'] : []),
      ...files.filter(({ role }) => role === 'text').map(({ name }) => name),
    ],
  };
}

interface FileInRole {
  readonly file: string;
  readonly name: string;
  readonly role: 'text' | 'valid' | 'test' | 'about';
}

/** @param isOn whether the names decide about more than the test part */
function filesInRoles(folder: string, files: readonly string[], isOn: boolean): readonly FileInRole[] {
  const named = files.map((file) => ({ file, name: nameIn(folder, file), part: partOf(nameIn(folder, file)) }));
  const isDivided = new Set(named.flatMap(({ part }) => part ?? [])).size > 1;
  const hasAbout = isOn && files.length > 1 && (isDivided || files.some((file) => RECORDS.test(file)));
  return named.map(({ file, name, part }) => {
    if (hasAbout && ABOUT.test(path.basename(file))) return { file, name, role: 'about' };
    const isPart = isDivided && (part === 'test' || (part === 'valid' && isOn));
    return { file, name, role: isPart ? part : 'text' };
  });
}

/** Values of `held_out` that name no file. */
const ends = ['auto', 'end', 'each'];

const cannotHoldOut = (folder: string, name: string): UserError =>
  new UserError({
    code: 'bad_input',
    message: localized('list.cannot_hold_out', { folder, name }),
    hint: localized('list.name_some_of_files'),
    field: 'held_out',
  });

/** Leaves out copies of earlier files. */
export function withoutCopies(parts: Parts, { keep = keptBefore }: PartChoice): Parts {
  const { files, heldOut, leftOut } = parts;
  if (files.length < 2 || !isCleaned(keep, 'duplicates')) return parts;
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
    ...parts,
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
