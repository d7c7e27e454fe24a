/** A long series in little memory: what a chart shows of it stays. */
import { describe, expect, it } from 'vitest';
import { downsample } from '../../../../main/storage/projects/series/downsample.js';
import { GrowingColumns, MOST_KEPT } from '../../../../main/storage/projects/series/growing-columns.js';

const COUNT = 10 * MOST_KEPT;
const steps = Array.from({ length: COUNT }, (_, at) => at);
const values = steps.map((at) => (at === 300_007 ? 99 : at === 400_001 ? NaN : Math.sin(at / 9000)));
const filled = (whole: boolean) => {
  const columns = new GrowingColumns(whole);
  steps.forEach((step, at) => columns.push(step, values[at] ?? NaN));
  return columns;
};

describe('a long series', () => {
  it('takes no more memory than a short one, and keeps its ends, its spike and its shape', () => {
    const columns = filled(false);
    expect(columns.known).toBe(COUNT);
    expect(columns.byteLength).toBe(16 * MOST_KEPT);
    const shown = columns.window(0, COUNT, 400);
    expect(shown?.steps.at(0)).toBe(0);
    expect(shown?.steps.at(-1)).toBe(COUNT - 1);
    expect(shown?.values).toContain(99);
    expect(shown?.steps.toSorted((a, b) => a - b)).toEqual(shown?.steps);
    // As all points would be drawn, but for where the spike's stretch is cut.
    const exact = downsample({ steps, values }, 0, COUNT, 400);
    const at = (points: typeof exact) => points.values.filter((value) => value !== 99).map(Number);
    at(exact).forEach((value, place) => expect(at(shown ?? exact)[place]).toBeCloseTo(value, 1));
  });

  it('says where it would need what is not kept, and is exact where all of it is', () => {
    const columns = filled(false);
    expect(columns.window(300_000, 300_100, 400)).toBeNull();
    expect(filled(true).window(300_000, 300_100, 400)?.values).toEqual(values.slice(300_000, 300_101));
  });

  it('finds a place between points that are kept on the line between them, and none beyond its ends', () => {
    const places = new GrowingColumns(false);
    steps.forEach((step) => places.push(step, 3 * step));
    for (const step of [1, 123_457, COUNT - 2]) expect(places.at(step)).toBeCloseTo(3 * step, 6);
    expect(places.at(COUNT)).toBeNull();
  });
});
