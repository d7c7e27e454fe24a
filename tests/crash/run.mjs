// `npm run crash -- --every-step --kills N`: interruptions of real processes, far more than the tests have time for.
import { runProgram } from '../../tools/support/program.mjs';

await runProgram({
  outdir: 'dist/crash',
  entryPoints: { index: 'tests/crash/index.ts' },
  needs: ['packages', 'tensorflow'],
  /** @param {{ crash: (args: readonly string[]) => Promise<number> }} program */
  start: ({ crash }, root, args) => {
    process.chdir(root);
    return crash(args);
  },
});
