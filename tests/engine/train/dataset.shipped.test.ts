// Batches: drawn as nanoGPT draws them, the same for the same seed, and an evaluation that counts every token once.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluationBatches, getBatch, requireBlock, tokensInMemory } from '../../../main/engine/train/dataset.js';
import { streams } from '../../../main/engine/rng.js';
import { faultOf } from '../../storage/fault-of.js';

const counting = (length: number) => tokensInMemory(Uint16Array.from({ length }, (_, i) => i));
const draw = { batchSize: 4, blockSize: 8, seed: 1, stream: streams.trainBatch, step: 0 };

describe('a training batch', () => {
  it('holds passages of the text, and the token after each', () => {
    const { x, y } = getBatch(counting(100), draw);
    expect([x.length, y.length]).toEqual([32, 32]);
    for (let row = 0; row < 4; row++) {
      const first = x[row * 8] ?? -1;
      expect(Array.from(x.slice(row * 8, row * 8 + 8))).toEqual(Array.from({ length: 8 }, (_, i) => first + i));
      expect(Array.from(y.slice(row * 8, row * 8 + 8))).toEqual(Array.from({ length: 8 }, (_, i) => first + i + 1));
    }
  });

  it('is a function of seed, stream and step', () => {
    const source = counting(5000);
    const at = (change: object) => Array.from(getBatch(source, { ...draw, ...change }).x);
    expect(at({})).toEqual(at({}));
    for (const change of [{ seed: 2 }, { step: 1 }, { stream: streams.rewardBatch }])
      expect(at(change)).not.toEqual(at({}));
  });

  it('begins at every position from 0 to the last that has a whole passage, equally often', () => {
    // 10 tokens, blocks of 4: positions 0 to 5, as randint(len(data) - block_size) gives.
    const starts = new Array<number>(10).fill(0);
    for (let step = 0; step < 3000; step++) {
      const { x } = getBatch(counting(10), { ...draw, batchSize: 1, blockSize: 4, step });
      starts[x[0] ?? 9] = (starts[x[0] ?? 9] ?? 0) + 1;
    }
    expect(starts.slice(6)).toEqual([0, 0, 0, 0]);
    for (const count of starts.slice(0, 6)) expect(Math.abs(count - 500)).toBeLessThan(110); // more than 5 sigma
  });

  it('of a text with just one position is that', () => {
    expect(Array.from(getBatch(counting(9), { ...draw, batchSize: 1 }).y)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('evaluation', () => {
  it('predicts every token but the first exactly once, whatever the sizes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 300 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 7 }),
        (length, blockSize, batchSize) => {
          fc.pre(length > blockSize);
          const predicted: number[] = [];
          let total = 0;
          for (const { x, y, weights, count } of evaluationBatches(counting(length), blockSize, batchSize)) {
            expect([x.length, y.length, weights.length]).toEqual(
              Array.from({ length: 3 }, () => batchSize * blockSize),
            );
            total += count;
            weights.forEach((weight, i) => {
              if (weight === 1) predicted.push(y[i] ?? -1);
              if (weight === 1) expect(y[i]).toBe((x[i] ?? 0) + 1);
            });
          }
          expect(predicted).toEqual(Array.from({ length: length - 1 }, (_, i) => i + 1));
          expect(total).toBe(length - 1);
        },
      ),
    );
  });

  it('of some windows spreads them over the text', () => {
    const firsts = [...evaluationBatches(counting(1001), 10, 5, 5)].flatMap(({ x }) =>
      [0, 1, 2, 3, 4].map((row) => x[row * 10]),
    );
    expect(firsts).toEqual([0, 200, 400, 600, 800]);
  });
});

describe('a text that is too short', () => {
  it('is an error that says how many tokens there are and how many are needed', () => {
    expect(faultOf(() => requireBlock({ length: 64 }, 64, 'val'))).toEqual({
      code: 'text_too_short',
      message: 'The held-out text has 64 tokens; a block_size of 64 needs at least 65',
      hint: 'Use a longer text, a smaller block_size, or another train_split.',
      field: 'block_size',
    });
    expect(faultOf(() => getBatch(counting(8), draw)).code).toBe('text_too_short');
  });
});

describe('tokens in memory', () => {
  it('are read by position, and not beyond their end', () => {
    const source = counting(5);
    expect(source.read(3, 2)).toEqual(Uint16Array.of(3, 4));
    expect(source.read(5, 0)).toEqual(new Uint16Array(0));
    for (const [position, count] of [
      [4, 2],
      [-1, 1],
      [0.5, 1],
      [0, -1],
      [6, 0],
      [NaN, 1],
    ] as const) {
      expect(() => source.read(position, count)).toThrow(RangeError);
    }
  });
});
