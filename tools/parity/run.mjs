// `node tools/parity/run.mjs`: whole models and long texts against the Python packages that define what is right. Slow,
// and in need of Python packages and files that the tests do without: run by hand where a reader or tokenizer changes.
import { runProgram } from '../support/program.mjs';

await runProgram({
  outdir: 'dist/parity',
  entryPoints: { index: 'tools/parity/index.ts' },
  needs: [],
  /** @param {{ compare: (root: string, args: readonly string[]) => Promise<number> }} program */
  start: ({ compare }, root, args) => compare(root, args),
});
