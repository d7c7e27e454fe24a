/** Unpacks an archive of test files into a folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';

export function unpackInto(folder: string) {
  const archive = extract();
  archive.on('entry', (header, stream, next) => {
    void buffer(stream).then((bytes) => {
      const path = join(folder, header.name);
      if (header.type === 'file') {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, bytes);
      } else mkdirSync(path, { recursive: true });
      next();
    }, next);
  });
  return archive;
}
