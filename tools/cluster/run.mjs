// `npm run cluster -- --parity …`: several processes of the real program on one machine, more than the tests have time for.
import { runProgram } from '../support/program.mjs';

await runProgram({
  outdir: 'dist/cluster',
  entryPoints: { index: 'tools/cluster/index.ts', exchange: 'tools/cluster/exchange.ts' },
  needs: ['packages', 'tensorflow', 'build'],
  /** @param {{ cluster: (args: readonly string[]) => Promise<number> }} program */
  start: ({ cluster }, root, args) => {
    process.chdir(root);
    return cluster(args);
  },
});
