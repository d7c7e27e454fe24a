/** The posterior over the crossover: against enumeration, at extremes, and a scale that finds itself again. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  crossoversOf,
  fitEvidenceScale,
  naturalFraction,
  naturalFractions,
} from '../../../main/engine/reward/crossover.js';
import { normals, uniform, uniformInt } from '../../../main/engine/rng.js';

/** E[min(K, n)/n | the first n tokens], by listing every K with its probability. */
function listed(evidence: readonly number[], scale: number, n: number): number {
  const N = evidence.length;
  let [weight, total] = [0, 0];
  for (let K = 1; K < N; K++) {
    let sum = 0;
    for (let t = 1; t < Math.min(K, n); t++) sum += scale * (evidence[t] ?? NaN);
    weight += Math.exp(sum);
    total += Math.exp(sum) * Math.min(K, n);
  }
  return total / weight / n;
}

const rows = fc.array(fc.double({ min: -4, max: 4, noNaN: true }), { minLength: 2, maxLength: 20 });

describe('the natural fraction', () => {
  it('is what listing every crossover gives, for the whole and for each prefix', () => {
    fc.assert(
      fc.property(rows, fc.double({ min: 0, max: 3, noNaN: true }), (evidence, scale) => {
        const N = evidence.length;
        expect(naturalFraction(evidence, scale)).toBeCloseTo(listed(evidence, scale, N), 10);
        const prefixes = naturalFractions(evidence, scale);
        prefixes.forEach((fraction, i) => expect(fraction).toBeCloseTo(listed(evidence, scale, i + 1), 10));
        expect(prefixes[N - 1]).toBeCloseTo(naturalFraction(evidence, scale), 12);
      }),
    );
  });

  it('is the mean of all crossovers where there is no evidence, and the nearest end where it is overwhelming', () => {
    const N = 64;
    expect(naturalFraction(new Float32Array(N), 1)).toBeCloseTo(0.5, 12);
    expect(naturalFraction(new Float32Array(N).fill(1e30), 1)).toBeCloseTo((N - 1) / N, 12);
    expect(naturalFraction(new Float32Array(N).fill(-1e30), 1)).toBeCloseTo(1 / N, 12);
    // A clear change in the middle is found.
    const change = Array.from({ length: N }, (_, t) => (t < 20 ? 5 : -5));
    expect(naturalFraction(change, 1)).toBeCloseTo(20 / N, 2);
    expect(naturalFractions(change, 1)[19]).toBeCloseTo(1, 2);
  });

  it('does not read the evidence of the first token, which is always natural', () => {
    expect(naturalFraction([9, 1, -1, 2], 1)).toBe(naturalFraction([-9, 1, -1, 2], 1));
  });
});

describe('the scale', () => {
  /** Rows whose crossovers are drawn from the posterior under `scale` itself. */
  function drawn(scale: number, samples: number, N: number) {
    const evidence = normals(3, 30, 0, 0, samples * N);
    const crossovers = Int32Array.from({ length: samples }, (_, row) => {
      const weights: number[] = [];
      let sum = 0;
      for (let K = 1; K < N; K++) {
        if (K > 1) sum += scale * (evidence[row * N + K - 1] ?? NaN);
        weights.push(Math.exp(sum));
      }
      let left = uniform(3, 31, 0, row) * weights.reduce((a, b) => a + b, 0);
      const index = weights.findIndex((weight) => (left -= weight) < 0);
      return 1 + Math.max(0, index);
    });
    return { evidence, crossovers };
  }

  it.each([0.4, 1, 2.5])('is found again: %d', (scale) => {
    const { evidence, crossovers } = drawn(scale, 4000, 12);
    expect(Math.abs(fitEvidenceScale(evidence, crossovers) / scale - 1)).toBeLessThan(0.1);
  });

  it('is near 0 where the evidence says nothing, and 0 where it points the wrong way', () => {
    const { evidence, crossovers } = drawn(1, 2000, 12);
    const unrelated = crossovers.map((_, row) => 1 + uniformInt(3, 32, row, 0, 11));
    expect(fitEvidenceScale(evidence, unrelated)).toBeLessThan(0.1);
    expect(
      fitEvidenceScale(
        evidence.map((nats) => -nats),
        crossovers,
      ),
    ).toBe(0);
  });

  it('reads the crossover out of the specification’s targets', () => {
    const y = Float32Array.from([1 / 64, 63 / 64, 33 / 64, 31 / 64]);
    expect(Array.from(crossoversOf(y, 64))).toEqual([1, 33]);
  });
});
