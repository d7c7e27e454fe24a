// `npm run study:ratings`: what human evaluation promises, tried on simulated raters.
import { runProgram } from '../../support/program.mjs';

await runProgram({
  outdir: 'dist/study-ratings',
  entryPoints: { index: 'tools/study/ratings/index.ts' },
  needs: ['packages'],
  /** @param {{ main: (args: readonly string[]) => number }} program */
  start: async ({ main }, _root, args) => main(args),
});
