// TensorFlow.js loaded as the CommonJS that it is. Imported, Node looks through all of it for names first: a third of a second
// at every start of a program, and in every file of tests. For esbuild (build.mjs) and for Vitest.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const TFJS = '@tensorflow/tfjs';

/**
 * A module that has every name of TensorFlow.js, as its `import` has.
 * @param {string} root the checkout
 * @param {string} from an expression, of what its folder is looked for from
 */
function source(root, from) {
  const names = Object.keys(/** @type {object} */ (createRequire(join(root, 'package.json'))(TFJS)));
  return `import { createRequire } from 'node:module';
    export const { ${names.join(', ')} } = createRequire(${from})('${TFJS}');`;
}

/**
 * @param {string} root the checkout
 * @returns {import('esbuild').Plugin}
 */
export const requireTensorflow = (root) => ({
  name: 'require-tensorflow',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${TFJS}$`) }, ({ path }) => ({ path, namespace: 'required' }));
    build.onLoad({ filter: /./, namespace: 'required' }, () => ({
      contents: source(root, 'import.meta.url'),
      resolveDir: root,
    }));
  },
});

/**
 * @param {string} root the checkout
 * @returns {import('vitest/config').Plugin}
 */
export const requireTensorflowInTests = (root) => ({
  name: 'require-tensorflow',
  enforce: 'pre',
  resolveId: (id) => (id === TFJS ? `\0${TFJS}` : null),
  load: (id) => (id === `\0${TFJS}` ? source(root, JSON.stringify(join(root, 'package.json'))) : null),
});
