/** Before the tests: the worker that reads other people's files, built from the sources as they are. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { buildFileReader, FILE_READER } from '../../scripts/setup/file-reader.mjs';

export async function setup(): Promise<void> {
  const root = path.resolve(import.meta.dirname, '../..');
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  await buildFileReader(root, path.join(root, 'dist', FILE_READER));
}
