// Bundles the worker that reads other people's files (main/storage/texts/extract/in-worker.ts): one self-contained text, as it is
// given to the worker and not loaded by it, which works from within an Electron archive too.
import { renameSync, writeFileSync } from 'node:fs';

export const FILE_READER = 'file-reader.cjs';

/**
 * @param {string} root the checkout
 * @param {string} file what it becomes
 * @returns {Promise<number>} its size
 */
export async function buildFileReader(root, file) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['main/storage/texts/extract/file-reader.ts'],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node18',
    minify: true,
    logLevel: 'silent',
  });
  const contents = outputFiles[0]?.contents ?? new Uint8Array();
  // Whole or not at all: another process may read it just now.
  const fresh = `${file}.${String(process.pid)}`;
  writeFileSync(fresh, contents);
  renameSync(fresh, file);
  return contents.length;
}
