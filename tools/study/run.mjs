// `npm run study`: what was tried of the method, measured.
import { runProgram } from '../support/program.mjs';

await runProgram({
  outdir: 'dist/study',
  entryPoints: { index: 'tools/study/index.ts' },
  needs: ['packages', 'tensorflow', 'sample'],
  /** @param {{ main: (root: string, args: readonly string[]) => Promise<number> }} program */
  start: ({ main }, root, args) => main(root, args),
});
