/** Whether a change of the held-out loss is more than chance, from the same parts of one text. */
import { describe, expect, it } from 'vitest';
import { fewerParts, heldOutChange } from '../../../main/engine/statistics/held-out-change.js';

const parts = (losses: readonly number[], tokens = losses.map(() => 100)) => ({
  nats: losses.map((loss, at) => loss * (tokens[at] ?? 0)),
  tokens,
});
/** Parts that differ far more from each other than two models do. */
const hard = [2.1, 3.4, 1.2, 2.8, 2.2, 3.9, 1.7, 2.5];

describe('the change of a held-out loss', () => {
  it('is certain where every part changes alike, however much the parts differ', () => {
    const change = heldOutChange(parts(hard), parts(hard.map((loss) => loss - 0.02)));
    expect(change?.mean).toBeCloseTo(-0.02, 10);
    expect(change?.interval?.low).toBeCloseTo(-0.02, 8);
    expect(change?.interval?.high).toBeCloseTo(-0.02, 8);
  });

  it('is chance where parts disagree about it', () => {
    const noise = [0.1, -0.12, 0.08, -0.1, 0.11, -0.13, 0.05, -0.07];
    const { mean, interval } = heldOutChange(parts(hard), parts(hard.map((loss, at) => loss + (noise[at] ?? 0)))) ?? {};
    expect(mean).toBeCloseTo(-0.01, 10);
    expect(interval?.low).toBeLessThan(-0.05);
    expect(interval?.high).toBeGreaterThan(0.05);
  });

  it('holds the truth in 95 % of texts, with a last part that is short', () => {
    let state = 7;
    const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647;
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    const tokens = [...Array.from({ length: 11 }, () => 100), 40];
    let held = 0;
    for (let study = 0; study < 2000; study++) {
      const before = tokens.map(() => 2 + normal());
      const after = before.map((loss, at) => loss - 0.05 + (0.1 * normal()) / Math.sqrt((tokens[at] ?? 1) / 100));
      const { interval } = heldOutChange(parts(before, tokens), parts(after, tokens)) ?? {};
      if (interval && interval.low <= -0.05 && interval.high >= -0.05) held++;
    }
    expect(held / 2000).toBeGreaterThan(0.93);
    expect(held / 2000).toBeLessThan(0.97);
  });

  it('is not known between texts that are cut otherwise, nor of a report without parts; one part has no interval', () => {
    expect(heldOutChange(parts([2, 2]), parts([2, 2], [100, 90]))).toBeNull();
    expect(heldOutChange(undefined, parts([2, 2]))).toBeNull();
    expect(heldOutChange(parts([2]), parts([1]))).toEqual({ mean: -1, interval: null });
  });

  it('keeps at most the requested parts, with everything in them', () => {
    const many = parts(Array.from({ length: 103 }, (_, at) => 1 + (at % 7)));
    const few = fewerParts(many, 40);
    expect(few.nats).toHaveLength(40);
    const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
    expect([total(few.nats), total(few.tokens)]).toEqual([total(many.nats), total(many.tokens)]);
    expect(fewerParts(parts([1, 2]), 40)).toEqual(parts([1, 2]));
  });
});
