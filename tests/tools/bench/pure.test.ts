/** The benchmark's arithmetic: operations counted, turns taken, rows, table and figures, and the command line. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forwardFlops, multipliedWeights, trainingFlops } from '../../../shared/costs/network.js';
import { flopsOf } from '../../../tools/bench/flops.js';
import { parseOptions, UsageError } from '../../../tools/bench/options.js';
import { planRotations } from '../../../tools/bench/plan.js';
import { median, resultSchema, rowOf, rowSchema, type Row } from '../../../tools/bench/rows.js';
import { describeWork, measures, shapeNames, workOf } from '../../../tools/bench/shapes.js';
import { columns, plainNumber, rowTable } from '../../../tools/bench/table.js';
import { repeatsWithin, turns } from '../../../tools/bench/turns.js';

const settings = { precision: 'f32', threads: 2, quick: false } as const;

const row = (changes: Partial<Row>, samples = [1, 2, 3]): Row => ({
  ...rowOf(
    { measure: 'train_step', shape: 'tiny', precision: 'f32', contender: 'verisim', variant: null, work: '' },
    samples.map((ms) => ({ ms })),
    { otherLoad: 0 },
  ),
  ...changes,
});

describe('operations', () => {
  it('counts the weights of the tiny model that tokens are multiplied with', () => {
    const { model } = workOf('train_step', 'tiny', settings);
    const C = 128;
    // Per layer: attention 4 C², MLP 8 C², their biases 9 C, two norms 4 C; then the last norm and the tied embedding.
    expect(multipliedWeights(model)).toBe(4 * (12 * C * C + 13 * C) + 2 * C + 65 * C);
  });

  it('counts 6 N + 12 L C T for a trained token', () => {
    const { model, batch } = workOf('train_step', 'baby', settings);
    const perToken = 6 * multipliedWeights(model) + 12 * 6 * 384 * 256;
    expect(trainingFlops(model)).toBe(perToken);
    expect(flopsOf('train_step', workOf('train_step', 'baby', settings))).toBe(batch * 256 * perToken);
  });

  it('counts rollouts, two forward passes and one training pass for a GRPO step', () => {
    const work = workOf('grpo_step', 'tiny', settings);
    const writing = flopsOf('generate', work) ?? NaN;
    const passes = 32 * 64 * (2 * forwardFlops(work.model, 64) + trainingFlops(work.model));
    expect(flopsOf('grpo_step', work)).toBe(writing + passes);
  });

  it('describes the work of every measure', () => {
    for (const shape of shapeNames) {
      const words = measures.map((measure) => describeWork(measure, workOf(measure, shape, settings)));
      expect(words.every((text) => text.length > 3)).toBe(true);
    }
  });
});

describe('turns', () => {
  const counts = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 5 });

  it('gives everyone its number of repeats', () => {
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

  it('spreads the few repeats of a slow contender over the whole time', () => {
    const places = turns([10, 2]).flatMap((one, place) => (one === 1 ? [place] : []));
    expect(places).toEqual([5, 10]);
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

  it('has the share of the peak and what comes on top of the session', () => {
    const identity = { ...row({}), measure: 'train_step' } as const;
    const sample = { ms: 105, session_ms: 100 };
    const made = rowOf(identity, [sample], { otherLoad: 0.01, flops: 5.25e9, peakGflops: 100 });
    expect(made.share_of_peak).toBeCloseTo(0.5);
    expect(made.extra_percent).toBeCloseTo(5);
  });

  it('has memory in MiB and no time for it', () => {
    const made = rowOf({ ...row({}), measure: 'peak_memory' }, [{ ms: 9, mib: 300 }], { otherLoad: null });
    expect(made).toMatchObject({ median_ms: null, median_mib: 300 });
    expect(rowSchema.parse(made)).toEqual(made);
  });

  it('is refused with an unknown measure or contender', () => {
    expect(rowSchema.safeParse({ ...row({}), measure: 'nothing' }).success).toBe(false);
    expect(resultSchema.safeParse({ rows: [] }).success).toBe(false);
  });
});

describe('what a run says', () => {
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

  it('aligns columns and keeps numbers short', () => {
    expect(
      columns(
        [
          ['a', '1'],
          ['bbb', '10'],
        ],
        1,
      ),
    ).toBe('a     1\nbbb  10');
    expect([1234.5, 12.34, 1.234, NaN].map(plainNumber)).toEqual(['1,235', '12.3', '1.23', '-']);
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

  it('covers every measure, and peers only when asked', () => {
    const all = planRotations(parseOptions([]), machine).flatMap(({ contestants }) => contestants);
    expect(new Set(all.map(({ measure }) => measure))).toEqual(new Set(measures));
    expect(all.every(({ contender }) => contender === 'verisim')).toBe(true);
  });

  it('reads its options, and says what it does not know', () => {
    const options = parseOptions(['--only', 'train_step,generate', '--shape', 'tiny', '--quick']);
    expect(options).toMatchObject({ only: ['train_step', 'generate'], shapes: ['tiny'], repeats: 3, peers: false });
    expect(() => parseOptions(['--only', 'speed'])).toThrow(UsageError);
    expect(() => parseOptions(['--repeats', '0'])).toThrow(UsageError);
    expect(() => parseOptions(['--fast'])).toThrow(UsageError);
  });
});
