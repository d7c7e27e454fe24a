/** Serves the built window. Requests are looked up among the files that exist, so no path leads elsewhere. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

export interface StaticFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Its name holds a hash of its contents: it can be kept for ever. */
  readonly immutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

export type StaticFiles = ReturnType<typeof createStaticFiles>;

export function createStaticFiles(folder: string) {
  let known = filesIn(folder);
  return {
    /** @param path of the address, as it was sent; null when there is no such file */
    find(path: string) {
      const wanted = path === '/' ? '/index.html' : path;
      // The window may have been built again since: then its files have other names.
      if (!known.has(wanted)) known = filesIn(folder);
      const file = known.get(wanted);
      if (file === undefined || !existsSync(file)) return null;
      return {
        bytes: readFileSync(file),
        type: types[extname(file).toLowerCase()] ?? 'application/octet-stream',
        immutable: /^\/assets\/.+-[\w-]{8}\.\w+$/.test(wanted),
      };
    },
  };
}

/** Path of the address to file; what is linked from elsewhere is left out. */
function filesIn(folder: string, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const stats = lstatSync(file);
    if (stats.isDirectory()) for (const [path, inner] of filesIn(file, `${prefix}/${name}`)) found.set(path, inner);
    else if (stats.isFile()) found.set(`${prefix}/${encodeURI(name)}`, file);
  }
  return found;
}
