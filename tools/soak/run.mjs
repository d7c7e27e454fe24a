// `npm run soak`: a long run whose memory must not grow, with the garbage collector at hand.
import { runProgram } from '../support/program.mjs';

await runProgram({
  outdir: 'dist/soak',
  entryPoints: { index: 'tools/soak/index.ts' },
  needs: ['packages', 'tensorflow'],
  /** @param {{ soak: (args: readonly string[]) => Promise<number> }} program */
  start: ({ soak }, root, args) => {
    process.chdir(root);
    return soak(args);
  },
});
