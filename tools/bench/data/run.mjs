// `npm run bench:data`: data preparation measured.
import { runProgram } from '../../support/program.mjs';

await runProgram({
  outdir: 'dist/bench-data',
  entryPoints: { index: 'tools/bench/data/index.ts', prepare: 'tools/bench/data/prepare.ts' },
  needs: ['packages', 'sample', 'build'],
  /** @param {{ benchData: (root: string, args: readonly string[]) => Promise<number> }} program */
  start: ({ benchData }, root, args) => benchData(root, args),
});
