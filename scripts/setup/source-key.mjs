// Whether sources have changed since they were built: one hash over names, sizes and times, so that no file is read.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lockHash } from './packages.mjs';

/** Made by a build itself, or no source. */
const skipped = new Set(['node_modules', 'dist']);

/**
 * @param {string} root the checkout
 * @param {readonly string[]} sources folders and files, from the root
 * @param {unknown} settings what else the result depends on
 */
export function sourceKey(root, sources, settings) {
  const hash = createHash('sha256').update(JSON.stringify([lockHash(root), settings]));
  hash.update(readFileSync(join(root, 'package.json'))); // the program states its version
  /** @param {string} name */
  const add = (name) => {
    const stats = statSync(join(root, name));
    if (!stats.isDirectory()) hash.update(`${name} ${String(stats.size)} ${String(stats.mtimeMs)}\n`);
    else for (const inside of readdirSync(join(root, name))) if (!skipped.has(inside)) add(`${name}/${inside}`);
  };
  for (const source of sources) add(source);
  return hash.digest('hex');
}
