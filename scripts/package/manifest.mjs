// The signed list of what a version consists of, which an app that looks for updates reads (main/services/updates/manifest.ts).
// Only where a key is named: VERISIM_UPDATES_SIGNING_KEY, a file with an Ed25519 private key (PEM).
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hashFile } from '../../main/installation/download.mjs';
import { runtimePackage } from './about.mjs';

/** As the app has it (`blockSize`). */
const blockSize = 1 << 20;
const kinds = /** @type {const} */ (['AppImage', 'deb', 'rpm', 'tar.gz']);

/** @param {string} file @returns {Promise<string[]>} the hash of each block */
async function blocksOf(file) {
  const hashes = [];
  const { size } = statSync(file);
  for (let at = 0; at < size; at += blockSize) {
    const hash = createHash('sha256');
    for await (const part of createReadStream(file, { start: at, end: Math.min(at + blockSize, size) - 1 }))
      hash.update(part);
    hashes.push(hash.digest('hex'));
  }
  return hashes;
}

/**
 * @param {object} options
 * @param {string} options.version
 * @param {string} options.runtime the runtime's version
 * @param {readonly string[]} options.packages their files
 * @param {string} options.output the folder that the list is written into
 * @param {string} options.key the private key's file
 * @returns {Promise<string>} the list's file
 */
export async function writeManifest({ version, runtime, packages, output, key }) {
  const files = [];
  for (const file of packages) {
    const name = basename(file);
    const kind = kinds.find((ending) => name.endsWith(`.${ending}`));
    if (!kind) continue;
    const part = kind === 'AppImage' || kind === 'tar.gz' ? 'all' : name.startsWith(runtimePackage) ? 'runtime' : 'app';
    const blocks = kind === 'AppImage' ? { blocks: await blocksOf(file) } : {};
    files.push({ kind, part, name, size: statSync(file).size, sha256: await hashFile(file), ...blocks });
  }
  const bytes = Buffer.from(`${JSON.stringify({ version, runtime, files }, null, 1)}\n`);
  const target = join(output, 'updates.json');
  writeFileSync(target, bytes);
  writeFileSync(`${target}.sig`, `${sign(null, bytes, createPrivateKey(readFileSync(key))).toString('base64')}\n`);
  return target;
}
