/** The quality report: the specification's lines, verdicts, and generated text measured fairly against natural text. */
import { describe, expect, it } from 'vitest';
import { formatQuality, splitCheck, varietyCheck, measureVariety } from '../../../main/engine/reward/reward-quality.js';
import { uniformInt } from '../../../main/engine/rng.js';

const random = (index: number, n: number) => uniformInt(7, 0, 0, index, n);

describe('the report', () => {
  it("has the specification's lines (specification 3.9)", () => {
    const good = (name: string, message: string) => ({ name, message, verdict: 'good' as const });
    const split = { train: 17_560, val: 1940, trainSplit: 0.9, limited: false, perChunk: 20 };
    expect(
      formatQuality([
        good('Probability sums', 'All samples sum to 1.000000'),
        splitCheck(split),
        { name: 'Token ranges', verdict: 'bad', message: 'one' },
        { name: 'Metadata', verdict: 'warning', message: 'two' },
      ]),
    ).toBe(
      'Dataset Quality Validation:\n✅ Probability sums: All samples sum to 1.000000\n' +
        '✅ Split consistency: 90.1% train, 9.9% validation\n❌ Token ranges: one\n⚠️ Metadata: two',
    );
  });
});

describe('the splits', () => {
  const facts = { train: 900, val: 100, trainSplit: 0.9, limited: false, perChunk: 10 };
  it('are as the text was split, but for what whole chunks leave over', () => {
    expect(splitCheck(facts)).toMatchObject({ verdict: 'good', message: '90.0% train, 10.0% validation' });
    expect(splitCheck({ ...facts, train: 910, val: 90 }).verdict).toBe('good');
    expect(splitCheck({ ...facts, train: 500, val: 500 })).toMatchObject({
      verdict: 'warning',
      message: '50.0% train, 50.0% validation, but train_split was 90.0%',
    });
  });
  it('say nothing of the text where they were limited or it was split elsewhere, and must not be empty', () => {
    expect(splitCheck({ ...facts, train: 1, val: 1, limited: true }).verdict).toBe('good');
    expect(splitCheck({ ...facts, train: 1, val: 1, trainSplit: null }).verdict).toBe('good');
    expect(splitCheck({ ...facts, val: 0 }).verdict).toBe('bad');
    expect(splitCheck({ ...facts, train: 0, val: 0 }).message).toBe('There are no samples');
  });
});

describe('generation quality', () => {
  const N = 64;
  const measure = (generatedToken: (i: number) => number) => {
    const samples = Array.from({ length: 200 }, (_, sample) => {
      const crossover = 1 + random(sample, N - 1);
      const tokens = Uint16Array.from({ length: N }, (_, i) =>
        i < crossover ? random(1000 + sample * N + i, 30) : generatedToken(sample * N + i),
      );
      return { tokens, crossover };
    });
    return measureVariety(samples);
  };

  it('is good for text as varied as the natural one, at any crossover', () => {
    const variety = measure((i) => random(10 ** 6 + i, 30));
    expect(variety?.generated).toBeCloseTo(variety?.natural ?? 0, 1);
    expect(varietyCheck(variety).verdict).toBe('good');
  });

  it('warns of a model that repeats itself, and states how far', () => {
    const variety = measure((i) => i % 3);
    expect(varietyCheck(variety)).toMatchObject({ verdict: 'warning' });
    expect(varietyCheck(variety).message).toMatch(
      /^generated text has distinct-2 0\.\d{3}, natural 0\.9\d\d \(longest repetition \d+\.\d and \d\.\d tokens\): the model repeats/,
    );
    expect(variety?.generatedRun).toBeGreaterThan(10);
  });

  it('is not judged where there is nothing to compare', () => {
    const short = measureVariety([{ tokens: Uint16Array.of(1, 2), crossover: 1 }]);
    expect(varietyCheck(short)).toMatchObject({ verdict: 'warning' });
  });
});
