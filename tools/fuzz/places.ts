/** Where the files that the subjects begin with lie, and bytes as the readers take them. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OpenFile } from '../../main/storage/disk/file-bytes.js';

/** The repository: this file's grandparent, and the bundle's (dist/fuzz) too. */
const root = new URL('../../', import.meta.url);

const repositoryFile = (path: string): string => {
  const file = fileURLToPath(new URL(path, root));
  if (!existsSync(file)) throw new Error(`${file} is missing`);
  return file;
};

export const samplesFile = (name: string): string => repositoryFile(`tools/fuzz/samples/${name}`);
export const readRepositoryFile = (path: string): Buffer => readFileSync(repositoryFile(path));

/** Bytes in memory in place of a file; a reader that asks for what is not there has a bug. */
export function sourceOf(bytes: Uint8Array): OpenFile {
  return {
    byteLength: bytes.length,
    read(position, into) {
      if (!(position >= 0 && position + into.length <= bytes.length)) throw new Error('it reads outside of the file');
      into.set(bytes.subarray(position, position + into.length));
    },
    identity: () => '',
    close: () => undefined,
  };
}
