// Bundles the worker that reads other people's files (main/storage/texts/extract/in-worker.ts): one self-contained text, as it is
// given to the worker and not loaded by it, which works from within an Electron archive too.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

export const FILE_READER = 'file-reader.cjs';

/** The walk through a PDF's tree of pages. */
const WALK = /async getAllPageDicts\(.*?\}return s\}/;
/**
 * Changes of pdf.js: codes of TeX's ligatures, which fonts without names leave as they are, are no blanks; and what is damaged
 * in the tree of pages does not end the walk through it.
 * @type {readonly (readonly [string | RegExp, string | ((walk: string) => string)])[]}
 */
const changes = [
  ['new RegExp("^(\\\\s)|', 'new RegExp("^([^\\\\S\\v\\f\\r])|'],
  ['""===t&&(n||=', '""===t&&e>31&&(n||='],
  [WALK, (walk) => walk.replace(',e.posInKids++}return', '}return').replace('posInKids:a}=e;', '$&e.posInKids++;')],
  [WALK, (walk) => walk.replace(/(Kids"\).*?;)break(.*?;)break/, '$1i.pop();continue$2i.pop();continue')],
  [WALK, (walk) => walk.replaceAll(';break}', ';continue}')],
];

/** @type {import('esbuild').Plugin} */
const changedPdf = {
  name: 'changed-pdf',
  setup(building) {
    building.onLoad({ filter: /unpdf\/dist\/pdfjs\.mjs$/ }, ({ path }) => {
      const contents = changes.reduce(
        (text, [from, to]) => {
          const changed = text.replace(from, typeof to === 'string' ? () => to : to);
          if (changed === text) throw new Error(`${String(from)} is not in ${path}`);
          return changed;
        },
        readFileSync(path, 'utf8'),
      );
      return { contents };
    });
  },
};

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
    plugins: [changedPdf],
  });
  const contents = outputFiles[0]?.contents ?? new Uint8Array();
  // Whole or not at all: another process may read it just now.
  const fresh = `${file}.${String(process.pid)}`;
  writeFileSync(fresh, contents);
  renameSync(fresh, file);
  return contents.length;
}
