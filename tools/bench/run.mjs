// `npm run bench`: the engine measured, along with others on request.
import { runProgram } from '../support/program.mjs';

await runProgram({
  outdir: 'dist/bench',
  entryPoints: { index: 'tools/bench/index.ts', worker: 'tools/bench/engine/worker.ts' },
  needs: ['packages', 'tensorflow', 'sample'],
  /** @param {{ bench: (root: string, args: readonly string[]) => Promise<number> }} program */
  start: ({ bench }, root, args) => bench(root, args),
});
