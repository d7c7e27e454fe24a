/** A folder of its own for each test, with a place for a dataset in it; all are removed when the file is done. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import { temporaryFolder } from '../faults.js';

/** @returns the path of a dataset by its name in the running test's folder */
export function useDatasetFolder(): (name?: string) => string {
  const folders: string[] = [];
  beforeEach(() => {
    folders.push(temporaryFolder());
  });
  afterAll(() => {
    for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
  });
  return (name = 'data') => path.join(folders.at(-1) ?? '', name);
}
