/**
 * The lanes of the test files and the order in which they run. The suffix of a file's name decides its lane: `name.tf.test.ts` runs
 * in lane `tf`, `name.test.ts` in lane `light` (tests/README.md).
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

interface Lane {
  /** Whether its files share a process: starting one and loading what they need takes half a second of the processor a file. */
  readonly shared: boolean;
  /** Whether XLA compiles as it does for users; elsewhere as fast as it can. */
  readonly asShipped: boolean;
  /** Whether its tests wait for other processes. On a busy machine in CI they get a second try, which the reporter shows. */
  readonly waits?: boolean;
}

/** In the order in which they run: the longest files first, the shortest fill the end. */
export const LANES = {
  own: { shared: false, asShipped: false, waits: true },
  job: { shared: true, asShipped: false, waits: true },
  measured: { shared: false, asShipped: true },
  page: { shared: true, asShipped: false },
  tf: { shared: true, asShipped: false },
  shipped: { shared: true, asShipped: true },
  program: { shared: true, asShipped: false, waits: true },
  light: { shared: true, asShipped: false },
} as const satisfies Record<string, Lane>;

const names = Object.keys(LANES);

/** The globs of a lane's files. */
export const filesOf = (lane: string): { include: string[]; exclude: string[] } =>
  lane === 'light'
    ? { include: ['tests/**/*.test.ts'], exclude: ['tests/**/*.*.test.ts'] }
    : { include: [`tests/**/*.${lane}.test.ts`], exclude: [] };

/** Sorts lane by lane, in each as Vitest does: a worker keeps its process only while the next file is of the same lane. */
export class LaneByLane extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification): number => names.indexOf(project.name);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
