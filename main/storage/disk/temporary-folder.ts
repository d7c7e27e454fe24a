/** A folder for what is soon removed, where the system keeps such things. */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { onFile } from '../../../shared/file-errors.js';

interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

/** @param purpose part of its name. @throws UserError `disk_full`, `file_not_writable` */
export function makeTemporaryFolder(purpose: string): TemporaryFolder {
  const start = path.join(os.tmpdir(), `verisim-${purpose}-`);
  const folder = onFile(start, 'temporary', () => fs.mkdtempSync(start));
  return { path: folder, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}
