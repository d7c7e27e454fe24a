/** Reward data: the plan covers the text, crossovers are uniform, targets are exact, splits share nothing. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { initialWeights } from '../../../main/engine/model/model.js';
import { makeRewardData, planSamples } from '../../../main/engine/reward/reward-data.js';
import { patternTokens, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';

const planOf = (changes: Partial<Parameters<typeof planSamples>[0]>) =>
  planSamples({ length: 1000, blockSize: 10, samplesPerChunk: 3, limit: null, split: 'train', seed: 1, ...changes });

describe('the plan', () => {
  it('makes samples_per_chunk samples of every whole chunk', () => {
    const plan = planOf({ length: 1009 });
    expect(plan).toHaveLength(300);
    expect(new Set(plan.map(({ start }) => start)).size).toBe(100);
    expect(plan.every(({ start }) => start % 10 === 0)).toBe(true);
  });

  it('spreads samples evenly over all chunks when there is a limit', () => {
    const perChunk = (limit: number) => {
      const starts = planOf({ limit }).map(({ start }) => start);
      expect(starts).toHaveLength(limit);
      const counts = new Map<number, number>();
      for (const start of starts) counts.set(start, (counts.get(start) ?? 0) + 1);
      return { chunks: counts.size, most: Math.max(...counts.values()) };
    };
    expect(perChunk(50)).toEqual({ chunks: 50, most: 1 });
    expect(perChunk(150)).toEqual({ chunks: 100, most: 2 });
    expect(perChunk(300)).toEqual({ chunks: 100, most: 3 });
  });

  it('draws crossovers evenly from 1 to N − 1', () => {
    const counts = new Map<number, number>();
    for (const { crossover } of planOf({ length: 90_000, samplesPerChunk: 1 })) {
      counts.set(crossover, (counts.get(crossover) ?? 0) + 1);
    }
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(1000));
  });

  it('stays inside the text and the limits for any size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 64 }),
        fc.integer({ min: 0, max: 5000 }),
        fc.integer({ min: 1, max: 20 }),
        fc.option(fc.integer({ min: 1, max: 200 })),
        (blockSize, extra, samplesPerChunk, limit) => {
          const length = blockSize + extra;
          const plan = planOf({ length, blockSize, samplesPerChunk, limit });
          expect(plan.length).toBe(Math.min(Math.floor(length / blockSize) * samplesPerChunk, limit ?? Infinity));
          for (const { start, crossover } of plan) {
            expect(start + blockSize).toBeLessThanOrEqual(length);
            expect(crossover).toBeGreaterThanOrEqual(1);
            expect(crossover).toBeLessThan(blockSize);
          }
        },
      ),
    );
  });

  it('gives the two splits noise of their own', () => {
    const indices = (split: 'train' | 'val') => new Set(planOf({ split }).map(({ index }) => index));
    const train = indices('train');
    expect([...indices('val')].some((index) => train.has(index))).toBe(false);
  });

  it('says so when the text is shorter than a chunk', () => {
    expect(() => planOf({ length: 9 })).toThrow(expect.objectContaining({ code: 'text_too_short' }));
  });
});

describe('samples', () => {
  it('are natural up to K, have the exact target, and are the same twice', async () => {
    const tokens = patternTokens(640);
    const weights = initialWeights(tinyModel, 1);
    const make = async () => {
      const env = await testEnvironment();
      const config = tinyConfig();
      const x: number[] = [];
      const y: number[] = [];
      const append = (split: string, ids: Uint16Array, targets: Float32Array) => {
        if (split === 'val') return;
        x.push(...ids);
        y.push(...targets);
      };
      const splits = { train: tokens, val: patternTokens(64) };
      const common = { model: tinyModel, weights, tokens: splits, generation: config, vocabLimit: 8 };
      expect(await makeRewardData({ ...common, config, seed: 7, append, env })).toEqual({
        train: 64,
        val: 8,
        skipped: 0,
      });
      return { x, y };
    };
    const { x, y } = await make();
    expect(await make()).toEqual({ x, y });
    const plan = planSamples({
      length: 640,
      blockSize: 16,
      samplesPerChunk: 2,
      limit: 64,
      split: 'train',
      seed: 7,
    });
    expect(x).toHaveLength(64 * 16);
    plan.forEach(({ start, crossover }, row) => {
      expect(x.slice(row * 16, row * 16 + crossover)).toEqual(Array.from(tokens.read(start, crossover)));
      expect(y.slice(row * 2, row * 2 + 2)).toEqual([crossover / 16, (16 - crossover) / 16]);
    });
  });
});
