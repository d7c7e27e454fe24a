/** Lists the texts of a folder tree by path, and what was skipped and why. Links are not followed. */
import { localized } from '../../../../shared/messages/message.js';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { isNamedAs } from '../../../../shared/config/file-kinds.js';
import { UserError } from '../../../../shared/errors.js';
import { onFile } from '../../../../shared/file-errors.js';
import { systemCode } from '../../../../shared/file-faults.js';

export interface Skipped {
  /** Path within the folder, with slashes; a folder ends in one. */
  readonly name: string;
  readonly reason: string;
}

export interface FolderTexts {
  /** Sorted by code unit: the same order on every machine. */
  readonly files: readonly string[];
  readonly skipped: readonly Skipped[];
}

const MAX_DEPTH = 32;
/** Refuses a whole disk, chosen by mistake. */
const MAX_ENTRIES = 100_000;
/** Limit of one file. */
const MAX_BYTES = 64 * 2 ** 30;
/** Names of each list that a sentence shows. */
const SHOWN = 10;

/** @throws UserError `file_not_found`, `file_not_readable` for the folder itself; `bad_input` if it holds too much */
export function textsInFolder(folder: string, maxEntries = MAX_ENTRIES, maxBytes = MAX_BYTES): FolderTexts {
  const files: string[] = [];
  const skipped: Skipped[] = [];
  let entries = 0;
  const walk = (inside: string, depth: number): void => {
    for (const entry of listed(folder, inside, skipped)) {
      if (++entries > maxEntries) throw tooMany(folder, maxEntries);
      const name = inside === '' ? entry.name : `${inside}/${entry.name}`;
      const skip = (reason: string): void =>
        void skipped.push({ name: entry.isDirectory() ? `${name}/` : name, reason });
      if (entry.name.startsWith('.')) skip('hidden');
      else if (entry.isSymbolicLink()) skip(linkReason(folder, name));
      else if (entry.isDirectory()) {
        if (depth < MAX_DEPTH) walk(name, depth + 1);
        else skip(`more than ${String(MAX_DEPTH)} folders deep`);
      } else if (!entry.isFile()) skip('not an ordinary file');
      else if (!isNamedAs('text', name)) skip('not a kind of text that is read');
      else {
        const reason = contentReason(path.join(folder, name), maxBytes);
        if (reason === null) files.push(path.join(folder, name));
        else skip(reason);
      }
    }
  };
  walk('', 0);
  files.sort();
  skipped.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, skipped };
}

/** Describes what was read and what was not: `Read from texts, 2 files: a.txt, b/c.md. Not read: d.png (not a kind of text that is read).` */
export function describeFolder(folder: string, { files, skipped }: FolderTexts): string {
  const read = listOf(files.map((file) => path.relative(folder, file).split(path.sep).join('/')));
  const left = listOf(skipped.map(({ name, reason }) => `${name} (${reason})`));
  const count = `${String(files.length)} ${files.length === 1 ? 'file' : 'files'}`;
  return `Read from ${path.basename(path.resolve(folder))}, ${count}: ${read}.${left === '' ? '' : ` Not read: ${left}.`}`;
}

function listed(folder: string, inside: string, skipped: Skipped[]): readonly fs.Dirent[] {
  const place = path.join(folder, inside);
  try {
    return onFile(place, 'read', () => fs.readdirSync(place, { withFileTypes: true }));
  } catch (error) {
    if (inside === '') throw error;
    skipped.push({ name: `${inside}/`, reason: 'cannot be read' });
    return [];
  }
}

function linkReason(folder: string, name: string): string {
  try {
    const [root, target] = [fs.realpathSync(folder), fs.realpathSync(path.join(folder, name))];
    const way = path.relative(root, target);
    const isOutside = way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way);
    return isOutside ? 'a link out of the folder' : 'a link to what is in the folder';
  } catch (error) {
    if (systemCode(error) === null) throw error;
    return 'a link to nothing';
  }
}

/** Returns why a file with a text's name is skipped, or null. */
function contentReason(file: string, maxBytes: number): string | null {
  try {
    fs.accessSync(file, fs.constants.R_OK);
    const { size } = fs.statSync(file);
    return size === 0 ? 'empty' : size > maxBytes ? `larger than ${String(maxBytes)} bytes` : null;
  } catch (error) {
    if (systemCode(error) === null) throw error;
    return 'cannot be read';
  }
}

const listOf = (names: readonly string[]): string =>
  names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ` and ${String(names.length - SHOWN)} more` : '');

function tooMany(folder: string, most: number): UserError {
  return new UserError({
    code: 'bad_input',
    message: localized('list.holds_more_files_folders', { folder, most }),
    hint: localized('list.choose_folder_texts_name_them'),
    field: 'data_path',
  });
}
