// `npm run study -- NAME`: an experiment of docs/method.md, with projects that `verisim cycle` trained.
import { runProgram } from '../support/program.mjs';

const names = ['choices', 'voice'];
const [name = ''] = process.argv.slice(2);
if (!names.includes(name)) {
  process.stderr.write(`npm run study -- ${names.join(' | ')}\n`);
  process.exit(2);
}
await runProgram({
  outdir: 'dist/study',
  entryPoints: { index: `tools/study/${name}.ts` },
  needs: ['packages', 'tensorflow', 'sample'],
  /** @param {{ study: (args: readonly string[]) => Promise<number> }} program */
  start: ({ study }, _root, args) => study(args.slice(1)),
});
