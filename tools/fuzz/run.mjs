// `npm run fuzz`: every reader against damaged files, as many as one has time for.
import { runProgram } from '../support/program.mjs';
import { fuzzer } from './bundle.mjs';

await runProgram({
  ...fuzzer,
  needs: ['packages', 'build'],
  /** @param {{ fuzz: (root: string, args: readonly string[]) => Promise<number> }} program */
  start: ({ fuzz }, root, args) => fuzz(root, args),
});
