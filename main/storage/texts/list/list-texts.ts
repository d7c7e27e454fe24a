/** Lists the files that `data_path` means: a file, a folder's input or all its texts, or the matches of a pattern. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Cleaning } from '../../../../shared/config/data.js';
import { inputNames, isNamedAs } from '../../../../shared/config/file-kinds.js';
import { isPattern } from '../../../../shared/config/input-names.js';
import { UserError } from '../../../../shared/errors.js';
import { onFile } from '../../../../shared/file-errors.js';
import { systemCode } from '../../../../shared/file-faults.js';
import { bytes, localized, type Message, share, verbatim } from '../../../../shared/messages/message.js';
import { fileSize } from '../../disk/file-bytes.js';
import { kindAt, nodeFileOperations as ops } from '../../disk/file-operations.js';
import { readTexts } from '../read-texts.js';
import { filesMatching, fixedFolder } from './glob.js';
import { nameIn, type PartChoice, type Parts, partsOf, withoutCopies } from './parts.js';

/** Whether a program or system left the file, which no user knows of: Word's `~$owner.docx`. */
const isLitter = (name: string): boolean => /^(?:~\$|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/.test(name);

const MAX_DEPTH = 32;
/** Refuses a whole disk, chosen by mistake. */
const MAX_ENTRIES = 100_000;
const MAX_BYTES = 64 * 2 ** 30;
const SHOWN = 10;

export interface Skipped {
  /** Path within the folder, with slashes; a folder ends in one. */
  readonly name: string;
  readonly message: Message;
}

export interface FolderTexts {
  /** Sorted by code unit: the same order on every machine. */
  readonly files: readonly string[];
  readonly skipped: readonly Skipped[];
}

interface TextFiles {
  /** At least one, sorted. */
  readonly files: readonly string[];
  /** Folder of the data, which may hold a meta.pkl, and whose name may contain "char". */
  readonly folder: string;
  /** Set if a whole folder is read, or if something is left out: the texts, and what was skipped. */
  readonly whole?: FolderTexts;
  /** The last of the files, if they are held out; else the end of the text is. */
  readonly heldOut?: readonly string[];
  /** The values that `held_out` may have. */
  readonly choices?: readonly string[];
  /** For each file that cleaning leaves out or holds out, by what. */
  readonly cleaned?: readonly Cleaning[];
}

/** @throws UserError `file_not_found`, `file_not_readable`, `bad_input` */
export function findTextFiles(dataPath: string, choice: PartChoice = {}): TextFiles {
  const found = namedFiles(dataPath);
  return inParts(found, partsOf(found.folder, found.files, choice), choice);
}

/** Leaves out copies too, which takes time for files of the same size. */
export function findTexts(dataPath: string, choice: PartChoice = {}): TextFiles {
  const found = namedFiles(dataPath);
  return inParts(found, withoutCopies(partsOf(found.folder, found.files, choice), choice), choice);
}

function inParts(
  found: TextFiles,
  { files, heldOut, leftOut, choices }: Parts,
  { held_out = 'auto' }: PartChoice,
): TextFiles {
  const { folder, whole } = found;
  if (found.files.length === 1) return found;
  const byName = held_out === 'auto' ? heldOut.map(() => 'parts' as const) : [];
  const skipped = leftOut.map(({ file, why }) => {
    const name = nameIn(folder, file);
    return { name, message: localized('list.skipped', { name, why }) };
  });
  const isWhole = skipped.length > 0 || whole !== undefined;
  return {
    files,
    folder,
    heldOut,
    choices,
    cleaned: [...leftOut.map(({ by }) => by), ...byName],
    ...(isWhole && { whole: { files, skipped: [...skipped, ...(whole?.skipped ?? [])] } }),
  };
}

function namedFiles(dataPath: string): TextFiles {
  const kind = kindAt(dataPath);
  if (kind === 'file') return { files: [dataPath], folder: path.dirname(dataPath) };
  if (kind === 'folder') return textsOf(dataPath);
  if (kind === 'other') {
    throw new UserError({
      code: 'file_not_readable',
      message: localized('list.neither_file_nor_folder', { dataPath }),
      hint: localized('list.text_read_more_once_must'),
      field: 'data_path',
    });
  }
  const files = isPattern(dataPath) ? filesMatching(dataPath).filter((file) => !isLitter(path.basename(file))) : [];
  if (files.length > 0) return { files, folder: fixedFolder(dataPath) };
  const message = isPattern(dataPath)
    ? localized('list.no_file_matches_data_path', { dataPath })
    : localized('list.data_file_found', { dataPath });
  throw notFound(message, localized('list.check_path_may_text_file'));
}

function textsOf(folder: string): TextFiles {
  const names = onFile(folder, 'read', () => ops.list(folder));
  const found = inputNames.find((name) => names.includes(name) && ops.kind(path.join(folder, name)) === 'file');
  if (found !== undefined) return { files: [path.join(folder, found)], folder };
  const whole = textsInFolder(folder);
  if (whole.files.length > 0) return { files: whole.files, folder, whole };
  const skipped = whole.skipped.slice(0, 3).map(({ message }) => message);
  throw notFound(localized('list.folder_holds_no_text', { folder }), localized('list.put_texts_there', { skipped }));
}

const notFound = (message: Message, hint: Message): UserError =>
  new UserError({ code: 'file_not_found', message, hint, field: 'data_path' });

/**
 * Lists the texts of a folder tree by path, and what was skipped and why. Links are not followed.
 * @throws UserError `file_not_found`, `file_not_readable` for the folder itself; `bad_input` if it holds too much
 */
export function textsInFolder(folder: string, maxEntries = MAX_ENTRIES, maxBytes = MAX_BYTES): FolderTexts {
  const files: string[] = [];
  const skipped: Skipped[] = [];
  let entries = 0;
  const skip = (name: string, why: Message): void =>
    void skipped.push({ name, message: localized('list.skipped', { name, why }) });
  const walk = (inside: string, depth: number): void => {
    for (const entry of entriesOf(folder, inside, skip)) {
      if (++entries > maxEntries) throw tooMany(folder, maxEntries);
      if (isLitter(entry.name)) continue;
      const name = inside === '' ? entry.name : `${inside}/${entry.name}`;
      const file = path.join(folder, name);
      const why = reasonToSkip(folder, name, entry, maxBytes);
      if (why !== null) skip(entry.isDirectory() ? `${name}/` : name, why);
      else if (!entry.isDirectory()) files.push(file);
      else if (depth < MAX_DEPTH) walk(name, depth + 1);
      else skip(`${name}/`, localized('list.skip.too_deep', { most: MAX_DEPTH }));
    }
  };
  walk('', 0);
  files.sort();
  skipped.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, skipped };
}

function entriesOf(folder: string, inside: string, skip: (name: string, why: Message) => void): readonly fs.Dirent[] {
  const place = path.join(folder, inside);
  try {
    return onFile(place, 'read', () => fs.readdirSync(place, { withFileTypes: true }));
  } catch (error) {
    if (inside === '') throw error;
    skip(`${inside}/`, localized('list.skip.unreadable'));
    return [];
  }
}

/** Returns null for a folder, and for a file with a text's name that can be opened. */
function reasonToSkip(folder: string, name: string, entry: fs.Dirent, maxBytes: number): Message | null {
  if (entry.name.startsWith('.')) return localized('list.skip.hidden');
  if (entry.isSymbolicLink()) return localized('list.skip.link');
  if (entry.isDirectory()) return null;
  if (!entry.isFile()) return localized('list.skip.special');
  if (!isNamedAs('text', name)) return localized('list.skip.no_text');
  const file = path.join(folder, name);
  try {
    fs.accessSync(file, fs.constants.R_OK);
    const { size } = fs.statSync(file);
    if (size === 0) return localized('list.skip.empty');
    return size > maxBytes ? localized('list.skip.too_large', { most: bytes(maxBytes) }) : null;
  } catch (error) {
    if (systemCode(error) === null) throw error;
    return localized('list.skip.unreadable');
  }
}

/** Describes what was read and what was not: `Read from texts, 2 files: a.txt, b/c.md. Not read: d.png (not a kind of text that is read).` */
export function describeFolder(folder: string, { files, skipped }: FolderTexts): Message {
  const names = files.map((file) => nameIn(folder, file));
  return localized('list.folder_read', {
    folder: path.basename(path.resolve(folder)),
    count: files.length,
    names: [...names.slice(0, SHOWN), ...more(names.length)],
    skipped: [...skipped.slice(0, SHOWN).map(({ message }) => message), ...more(skipped.length)],
  });
}

/** Names what is held out: files, the end of each, or the end of the text and the file in which it begins. */
export function describeHeldOut(
  { folder, files, heldOut = [] }: Pick<TextFiles, 'folder' | 'files' | 'heldOut'>,
  trainSplit: number,
  wanted: string | undefined,
): Message {
  const names = [...heldOut.slice(0, SHOWN).map((file) => nameIn(folder, file)), ...more(heldOut.length)];
  if (names.length > 0) return localized('list.held_out', { names });
  if (wanted === 'each' && files.length > 1) {
    return localized('list.each_held_out', { share: share(1 - trainSplit), count: files.length });
  }
  const sizes = files.map((file) => fileSize(file));
  const begins = trainSplit * sizes.reduce((sum, size) => sum + size, 0);
  let [at, before] = [0, 0];
  while (at < files.length - 1 && before + (sizes[at] ?? 0) <= begins) before += sizes[at++] ?? 0;
  return localized('list.end_held_out', {
    share: share(1 - trainSplit),
    name: files.length > 1 ? nameIn(folder, files[at] ?? '') : null,
    rest: share((begins - before) / Math.max(1, sizes[at] ?? 1)),
    others: files.length - 1 - at,
  });
}

const more = (count: number): Message[] =>
  count > SHOWN ? [localized('list.and_more', { count: count - SHOWN })] : [];

const faults: readonly string[] = [
  'file_damaged',
  'text_encoding',
  'bad_input',
  'text_too_short',
  'file_not_readable',
  'file_not_found',
];

/** Explains why a file of a folder is skipped; null if the error is not about the file. */
export function skippedFor(folder: string, file: string, error: unknown): Skipped | null {
  if (!(error instanceof UserError) || !faults.includes(error.code)) return null;
  const name = nameIn(folder, file);
  const { message } = error.toFault();
  if (typeof message === 'string' || !('code' in message)) return { name, message: verbatim(error.message) };
  return { name, message: { ...message, params: { ...message.params, file: name } } };
}

/**
 * Selects the files that can be read to their ends.
 * @param onRead receives all bytes read so far
 * @throws UserError of the first file if none can be read
 */
export async function onlyReadable(
  folder: string,
  whole: FolderTexts,
  textField: string | undefined,
  onRead: (bytes: number) => Promise<void>,
): Promise<FolderTexts> {
  const files: string[] = [];
  const skipped: Skipped[] = [];
  let before = 0;
  let first: unknown = null;
  for (const file of whole.files) {
    try {
      for await (const { bytesRead } of readTexts([file], { textField })) await onRead(before + bytesRead);
      files.push(file);
    } catch (error) {
      const fault = skippedFor(folder, file, error);
      if (fault === null) throw error;
      first ??= error;
      skipped.push(fault);
    }
    before += fileSize(file);
  }
  if (files.length === 0 && first !== null) throw first;
  return { files, skipped: [...skipped, ...whole.skipped] };
}

function tooMany(folder: string, most: number): UserError {
  return new UserError({
    code: 'bad_input',
    message: localized('list.holds_more_files_folders', { folder, most }),
    hint: localized('list.choose_folder_texts_name_them'),
    field: 'data_path',
  });
}
