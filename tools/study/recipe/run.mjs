// `npm run study:recipe`: which settings of base training learn most in the same processor seconds.
import { runProgram } from '../../support/program.mjs';

await runProgram({
  outdir: 'dist/study-recipe',
  entryPoints: { index: 'tools/study/recipe/index.ts' },
  needs: ['packages', 'tensorflow', 'sample'],
  /** @param {{ main: (root: string, args: readonly string[]) => Promise<number> }} program */
  start: ({ main }, root, args) => main(root, args),
});
