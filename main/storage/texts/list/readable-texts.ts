/** Selects the files that can be read to their ends; damaged ones are listed as skipped. */
import * as path from 'node:path';
import { UserError } from '../../../../shared/errors.js';
import { shorten } from '../../../formats/shorten.js';
import { fileSize } from '../../disk/file-bytes.js';
import type { FolderTexts, Skipped } from './folder-texts.js';
import { readTexts } from '../read-texts.js';

/** Codes of faults in the file itself. */
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
  if (!(error instanceof UserError) || !faults.includes(error.toFault().code)) return null;
  const name = path.relative(folder, file).split(path.sep).join('/');
  // The list names the file already.
  const why = error.message.startsWith(file)
    ? error.message.slice(file.length).replace(/^:? (is )?/, '')
    : error.message;
  return { name, reason: shorten(why.replaceAll(file, name), 160) };
}

/** @param onRead receives all bytes read so far. @throws UserError of the first file if none can be read */
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
      const left = skippedFor(folder, file, error);
      if (left === null) throw error;
      first ??= error;
      skipped.push(left);
    }
    before += fileSize(file);
  }
  if (files.length === 0 && first !== null) throw first;
  return { files, skipped: [...skipped, ...whole.skipped] };
}
