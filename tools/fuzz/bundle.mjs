// What the fuzzer is bundled from: for `npm run fuzz` and for its test.

/** Two folders deep, as the sources are: they find the repository's files by that. */
export const fuzzer = {
  outdir: 'dist/fuzz',
  entryPoints: { index: 'tools/fuzz/index.ts', child: 'tools/fuzz/child.ts' },
};
