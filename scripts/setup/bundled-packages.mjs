// The packages that are bundled with the program; all others stay outside (esbuild's `packages: 'external'`). Every
// process needs Zod at once, and its 80 files took a sixth of the startup time.

/** For esbuild's `alias`, relative to the checkout, which must be its working directory. */
export const bundledPackages = { zod: './node_modules/zod/index.js' };
