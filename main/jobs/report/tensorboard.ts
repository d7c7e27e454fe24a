/** Every number that runs have logged as TensorBoard's event files: a folder for each phase of each cycle of each run. */
import { localized } from '../../../shared/messages/message.js';
import { existsSync, readdirSync, renameSync, rmSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../shared/errors.js';
import { onFile } from '../../../shared/file-errors.js';
import { createTensorboard } from '../../storage/projects/tensorboard.js';
import type { LoggedNumber } from './gather.js';

/** A run's name as a folder's. */
const folderName = (name: string): string => name.replace(/[^\p{L}\p{N}._ -]/gu, '_').replace(/^\.+/, '_') || '_';

/**
 * The whole folder or nothing. When a row was logged is not kept with it, so all of them have the time of writing.
 * @param runs by which each number's run is numbered
 * @throws UserError `exists` for a folder that holds something; those of files
 */
export function writeEventFiles(
  folder: string,
  runs: readonly string[],
  numbers: Iterable<LoggedNumber>,
  milliseconds: number,
): void {
  const isThere = existsSync(folder);
  if (isThere && onFile(folder, 'read', () => readdirSync(folder)).length > 0) {
    throw new UserError({
      code: 'exists',
      message: localized('report.folder_not_empty', { folder }),
      hint: localized('report.new_folder'),
      field: 'file',
    });
  }
  const unfinished = `${folder}.${process.pid}.unfinished`;
  const events = createTensorboard(unfinished);
  try {
    for (const { at, cycle, phase, step, metric, value } of numbers) {
      // Two runs may be called alike.
      const name = runs.length === 1 ? '' : `${at + 1} ${folderName(runs[at] ?? '')}`;
      events.append(join(name, `${String(cycle).padStart(2, '0')}-${phase}`), step, { [metric]: value }, milliseconds);
    }
    events.close();
    onFile(folder, 'write', () => {
      if (isThere) rmdirSync(folder);
      if (existsSync(unfinished)) renameSync(unfinished, folder);
    });
  } finally {
    events.close();
    rmSync(unfinished, { recursive: true, force: true });
  }
}
