// `npm run study:pieces`: a pretrained critic with a small writer's tokens, for a trial of `npm run study`.
import { runProgram } from '../../support/program.mjs';

await runProgram({
  outdir: 'dist/study-pieces',
  entryPoints: { index: 'tools/study/pieces/index.ts' },
  needs: ['packages', 'tensorflow'],
  /** @param {{ main: (root: string, args: readonly string[]) => Promise<number> }} program */
  start: ({ main }, root, args) => main(root, args),
});
