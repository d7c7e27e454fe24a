/** The benchmark's arithmetic: turns, rows, table, plan and the command line. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseOptions, UsageError } from '../../../tools/bench/options.js';
import { planRotations, repeatsWithin, turns } from '../../../tools/bench/plan.js';
import { median, rowOf, rowTable, type Row } from '../../../tools/bench/rows.js';
import { measures } from '../../../tools/bench/shapes.js';

const row = (changes: Partial<Row>, samples = [1, 2, 3]): Row => ({
  ...rowOf(
    { measure: 'train_step', shape: 'tiny', precision: 'f32', contender: 'verisim', variant: null, work: '' },
    samples.map((ms) => ({ ms })),
  ),
  ...changes,
});

describe('turns', () => {
  const counts = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 5 });

  it('gives each its number of repeats', () => {
    fc.assert(
      fc.property(counts, (wanted) => {
        const order = turns(wanted);
        wanted.forEach((count, i) => expect(order.filter((one) => one === i)).toHaveLength(count));
      }),
    );
  });

  it('takes one repeat of each in turn, beginning with another every round', () => {
    expect(turns([2, 2, 2])).toEqual([0, 1, 2, 1, 2, 0]);
  });

  it('keeps a slow contender within its budget, but measures it twice at least', () => {
    const limits = { most: 9, least: 2, budgetMs: 1000 };
    expect(repeatsWithin(10, limits)).toBe(9);
    expect(repeatsWithin(250, limits)).toBe(4);
    expect(repeatsWithin(5000, limits)).toBe(2);
  });
});

describe('rows', () => {
  it('takes the middle of the repeats, whatever their order', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(row({}, [30, 10, 20])).toMatchObject({ median_ms: 20, min_ms: 10, max_ms: 30, repeats: 3 });
  });
});

describe('the table', () => {
  const rows = [
    row({ median_ms: 40 }),
    row({ contender: 'pytorch-eager', median_ms: 60 }),
    row({ contender: 'pytorch-compile', median_ms: 50 }),
    row({ measure: 'generate', median_ms: 100 }),
    row({ measure: 'generate', contender: 'transformers', variant: 'dynamic-cache', median_ms: 150 }),
  ];

  it('shows how many times faster Verisim is than each', () => {
    const lines = rowTable(rows).split('\n');
    expect(lines).toHaveLength(rows.length + 1);
    expect(lines[2]).toMatch(/pytorch-eager .*1\.50×$/);
  });
});

describe('the plan', () => {
  const machine = { threads: 2, precisions: ['f32', 'bf16'] } as const;

  it('gives every contender of a measure the same work', () => {
    for (const { contestants } of planRotations(parseOptions(['--peers']), machine)) {
      for (const measure of new Set(contestants.map((one) => one.measure))) {
        const works = contestants.filter((one) => one.measure === measure).map(({ work }) => JSON.stringify(work));
        expect(new Set(works).size).toBe(1);
      }
    }
  });

  it('puts PyTorch on the GPU and on the processor next to WebGPU', () => {
    const [train] = planRotations(parseOptions(['--peers', '--device', 'webgpu', '--only', 'train_step']), machine);
    expect(train?.contestants.map(({ contender, variant }) => [contender, variant])).toEqual([
      ['verisim', null],
      ['pytorch-eager', null],
      ['pytorch-eager', 'processor'],
    ]);
  });

  it('covers every measure, and peers only on request', () => {
    const all = planRotations(parseOptions([]), machine).flatMap(({ contestants }) => contestants);
    expect(new Set(all.map(({ measure }) => measure))).toEqual(new Set(measures));
    expect(all.every(({ contender }) => contender === 'verisim')).toBe(true);
  });

  it('reads its options, and refuses unknown ones', () => {
    const options = parseOptions(['--only', 'train_step,generate', '--shape', 'tiny', '--quick']);
    expect(options).toMatchObject({ only: ['train_step', 'generate'], shapes: ['tiny'], repeats: 3, peers: false });
    expect(() => parseOptions(['--only', 'speed'])).toThrow(UsageError);
    expect(() => parseOptions(['--repeats', '0'])).toThrow(UsageError);
    expect(() => parseOptions(['--fast'])).toThrow(UsageError);
  });
});
