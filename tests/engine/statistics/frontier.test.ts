/** Writing compared at equal variety: on curves whose answers are known. */
import { describe, expect, it } from 'vitest';
import { allRows, gainOver, lead, natsAtVariety, type CurvePoint } from '../../../main/engine/statistics/frontier.js';
import { uniforms } from '../../../main/engine/rng.js';

const COUNT = 200;
/** Passages of about such figures, each of its own length; row by row the same noise, as after the same prompts. */
function point(temperature: number, nats: number, variety: number): CurvePoint {
  const noise = uniforms(1, 1, 1, 0, COUNT);
  const characters = Float64Array.from(noise, (u) => 100 + Math.round(40 * u));
  return {
    temperature,
    characters,
    nats: characters.map((length, row) => length * (nats + 0.2 * ((noise[row] ?? 0) - 0.5))),
    variety: Float64Array.from(noise, (u) => variety + 0.1 * (u - 0.5)),
  };
}

const rows = allRows(COUNT);
const base = point(1, 2, 0.6);

describe('a curve', () => {
  it('is read between its points, in whatever order they come, and nowhere else', () => {
    const curve = [point(1, 1.8, 0.7), point(0.9, 1.6, 0.5)];
    const middle = natsAtVariety(curve, 0.6, rows);
    expect(middle).toBeGreaterThan(1.6);
    expect(middle).toBeLessThan(1.8);
    expect(natsAtVariety(curve, 0.9, rows)).toBeNull();
    expect(natsAtVariety(curve, 0.2, rows)).toBeNull();
  });

  it('through the base model’s own point gains nothing over it: a lower temperature is no gain at equal variety', () => {
    const own = [base, point(0.9, 1.8, 0.5), point(0.8, 1.6, 0.4)];
    expect(gainOver(base, own, 1).mean).toBeCloseTo(0, 10);
  });

  it('gains what its nats are lower by at the same variety, within an interval that holds it', () => {
    const better = [point(1, 1.7, 0.5), point(1.1, 1.9, 0.7)];
    const { mean, interval } = gainOver(base, better, 1);
    expect(mean).toBeCloseTo(0.2, 2);
    expect(interval?.low).toBeLessThan(mean ?? NaN);
    expect(interval?.high).toBeGreaterThan(mean ?? NaN);
  });

  it('that does not reach the variety gains nothing that could be told', () => {
    expect(gainOver(base, [point(1, 1.2, 0.3), point(1.1, 1.3, 0.4)], 1)).toEqual({ mean: null, interval: null });
  });

  it('leads another one by the difference, and not where they are the same', () => {
    const better = [point(1, 1.7, 0.5), point(1.1, 1.9, 0.7)];
    const best = [point(1, 1.6, 0.5), point(1.1, 1.8, 0.7)];
    expect(lead(base, best, better, 1).mean).toBeCloseTo(0.1, 6);
    expect(lead(base, better, better, 1).mean).toBe(0);
  });
});
