// The module `#locales`: every message catalogue of resources/locales by its language. A file there is a language, and nothing
// else has to name it. Both bundlers get the same module: esbuild (command line) and Vite (window, tests).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const NAME = '#locales';
/** Without the #: Vite's development server makes a URL of it, and the browser cuts a URL at a #. */
const VIRTUAL = '\0locales';

/** @param {string} root the checkout */
function sourceOf(root) {
  const folder = join(root, 'resources/locales');
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const imports = files.map((file, at) => `import c${String(at)} from ${JSON.stringify(join(folder, file))};`);
  const entries = files.map((file, at) => `${JSON.stringify(file.slice(0, -'.json'.length))}: c${String(at)}`);
  return `${imports.join('\n')}\nexport default { ${entries.join(', ')} };\n`;
}

/**
 * @param {string} root the checkout
 * @returns {import('esbuild').Plugin}
 */
export const localesInEsbuild = (root) => ({
  name: 'verisim:locales',
  setup(build) {
    build.onResolve({ filter: /^#locales$/ }, () => ({ path: NAME, namespace: 'locales' }));
    build.onLoad({ filter: /.*/, namespace: 'locales' }, () => ({ contents: sourceOf(root), resolveDir: root }));
  },
});

/**
 * @param {string} root the checkout
 * @returns {import('vite').Plugin}
 */
export const localesInVite = (root) => ({
  name: 'verisim:locales',
  enforce: 'pre',
  resolveId: (id) => (id === NAME ? VIRTUAL : null),
  load: (id) => (id === VIRTUAL ? sourceOf(root) : null),
});
