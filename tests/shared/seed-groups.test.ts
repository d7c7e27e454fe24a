/** Which runs are one experiment with several seeds, and what their figures come to. */
import { expect, it } from 'vitest';
import { differencesBetween, type Circumstances } from '../../shared/run-report.js';
import { groupsOverSeeds, overSeeds } from '../../shared/seed-groups.js';

const run = (seed: number, change: Partial<Circumstances> = {}, settings: Record<string, unknown> = {}) => ({
  circumstances: {
    verisim: '1.0.0',
    settings: { seed, n_layer: 2, ...settings },
    environments: [],
    changes: [],
    data: [{ file: 'train.bin', bytes: 4, sha256: 'a'.repeat(64) }],
    ...change,
  } satisfies Circumstances,
});

it('groups runs that differ by their seed alone', () => {
  const [one, two, three] = [run(1), run(2), run(3)];
  const skipped = { cycle: 0, phase: 'base_training', step: 5, settings: {}, iterations: 0, skip: true } as const;
  const others = [
    run(4, {}, { n_layer: 3 }),
    run(5, { verisim: '2.0.0' }),
    run(6, { changes: [skipped] }),
    run(7, { data: [{ file: 'train.bin', bytes: 4, sha256: 'b'.repeat(64) }] }),
  ];
  expect(groupsOverSeeds([one, ...others, two, run(2), three])).toEqual([[one, two, three]]);
  expect(groupsOverSeeds(others)).toEqual([]);
});

it('is told what differs, not what is found out once a run has begun', () => {
  const environment = {
    ...{ verisim: '1.0.0', runtime: 'tensorflow 2.21.0', device: 'cpu', precision: 'f32' },
    ...{ processor: 'AMD EPYC', threads: 1 },
  } as Circumstances['environments'][number];
  const waits = run(2, { data: [] }, { vocab_size: 50304 });
  const runs = [run(1, { environments: [environment] }, { vocab_size: 1024 }), waits];
  const differing = (all: typeof runs) => differencesBetween(all.map(({ circumstances }) => circumstances));
  expect(differing(runs).map(({ key }) => key)).toEqual(['seed']);
  expect(groupsOverSeeds(runs)).toEqual([runs]);
  // Beside others that do differ it is the one of which nothing is known.
  const other = run(3, { environments: [environment] }, { vocab_size: 80 });
  expect(differing([...runs, other]).find(({ key }) => key === 'vocab_size')?.values).toEqual([1024, null, 80]);
});

it('gives the mean, its interval and n, of what is known', () => {
  // Student's 97.5 % quantile at two degrees of freedom is 4.30265, the standard error 1 / √3.
  const found = overSeeds([1, null, 2, 3, NaN]);
  expect(found).toMatchObject({ mean: 2, n: 3 });
  expect(found?.interval?.low).toBeCloseTo(2 - 4.30265 / Math.sqrt(3), 4);
  expect(found?.interval?.high).toBeCloseTo(2 + 4.30265 / Math.sqrt(3), 4);
  expect(overSeeds([5, null])).toEqual({ mean: 5, interval: null, n: 1 });
  expect(overSeeds([null])).toBeNull();
});
