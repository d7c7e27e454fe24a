/**
 * The order of the test files: the slowest first. On a fresh machine Vitest knows no durations and begins with the largest
 * files, so that one of a minute ran alone at the end while the other core had nothing to do. Files that share a process
 * (vitest.config.ts) stay together: a worker's process is kept only where the next file is of the same kind.
 */
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take more than ten seconds of the processor, the longest of each kind first. */
export const SLOW_FILES: readonly string[] = [
  'tests/e2e/browser.test.ts',
  'tests/golden/golden.test.ts',
  'tests/e2e/rating.test.ts',
  'tests/shared/costs/memory.test.ts',
  'tests/e2e/training.test.ts',
  'tests/crash/kill.test.ts',
  'tests/cluster/cycle.test.ts',
  'tests/supervisor/process.test.ts',
  'tests/crash/exact-resume.test.ts',
  'tests/crash/faults.test.ts',
  'tests/e2e/wizard.test.ts',
  'tests/crash/any-order.test.ts',
  'tests/e2e/rating-task.test.ts',
  'tests/ipc/contract.test.ts',
  'tests/supervisor/tensorflow.test.ts',
  'tests/e2e/window.test.ts',
  'tests/renderer/project-screen.test.ts',
  'tests/renderer/screens.test.ts',
  'tests/renderer/figures.test.ts',
  'tests/renderer/keyboard.test.ts',
  'tests/renderer/wizard.test.ts',
  'tests/engine/model/recompute.test.ts',
  'tests/engine/cycle/cycle.test.ts',
  'tests/engine/generate/decode.test.ts',
  'tests/parity/llama.test.ts',
  'tests/engine/grpo/grpo.test.ts',
  'tests/cluster/train.test.ts',
  'tests/cli/process.test.ts',
  'tests/cli/foreign-models.test.ts',
  'tests/jobs/initial-model.test.ts',
  'tests/jobs/project/taught.test.ts',
];

/** The kinds of files: the light ones fill the end, where the other worker still has a longer one. */
const KINDS: readonly string[] = ['slow', 'pages', 'tensorflow', 'operations', 'programs', 'jobs', 'own', 'light'];

/** Kind by kind; in each the slow ones in their order, then the others in Vitest's. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root;
    const ranked = (await super.sort(files)).map((file) => {
      const place = SLOW_FILES.indexOf(path.relative(root, file.moduleId).replaceAll(path.sep, '/'));
      const shares = !file.project.config.isolate;
      const kind = KINDS.indexOf(shares ? file.project.name : place === -1 ? 'own' : 'slow');
      return { file, rank: kind * (SLOW_FILES.length + 1) + (place === -1 ? SLOW_FILES.length : place) };
    });
    return ranked.sort((a, b) => a.rank - b.rank).map(({ file }) => file);
  }
}
