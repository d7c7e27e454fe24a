// The packages that are bundled with the program; all others stay beside it (esbuild's `packages: 'external'`). Zod is needed by
// every process at once, and its 80 files took a sixth of a start.

/** For esbuild's `alias`: from the checkout, which it must be told to work in. */
export const bundledPackages = { zod: './node_modules/zod/index.js' };
