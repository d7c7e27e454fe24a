// Fetches one package of npm's registry as a file: npm knows the registry, and a pinned hash verifies the content. No code of the
// package is run, and none of its dependencies are fetched.
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { npm } from './packages.mjs';
import { lastLines, run } from './run.mjs';

/**
 * @param {string} root the checkout, whose .npmrc counts
 * @param {{ readonly name: string, readonly version: string, readonly integrity: string }} pinned integrity: as in npm's
 *   lock file, `sha512-` and base64
 * @param {string} folder empty; the package is put there
 * @returns {Promise<string>} the file, a gzipped tar archive
 * @throws if npm brings nothing, or another file
 */
export async function packNpm(root, { name, version, integrity }, folder) {
  const args = ['pack', `${name}@${version}`, `--pack-destination=${folder}`, '--silent'];
  const { code, stderr } = await npm(root, args);
  const file = readdirSync(folder).find((entry) => entry.endsWith('.tgz'));
  if (code !== 0 || !file) throw new Error(lastLines(stderr, 3).replace(/\s+/g, ' ') || 'npm pack brought nothing');
  const hash = createHash('sha512');
  await pipeline(createReadStream(join(folder, file)), hash);
  const found = `sha512-${hash.digest('base64')}`;
  if (found !== integrity) throw new Error(`the package that arrived is not the pinned one: ${found}`);
  return join(folder, file);
}

/**
 * Unpacks a gzipped tar archive with the system's program.
 * @param {string} archive
 * @param {string} folder
 * @param {readonly string[]} [more] members, or options
 */
export async function untar(archive, folder, more = []) {
  // From within the folder: tar on Windows takes the colon of a drive for a host.
  const { code, stderr } = await run('tar', ['-xzf', relative(folder, archive), ...more], { cwd: folder });
  if (code !== 0) throw new Error(`${archive} cannot be unpacked: ${lastLines(stderr, 1)}`);
}
