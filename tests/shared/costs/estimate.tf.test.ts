// Estimates: the arithmetic against the engine's own counts, and that more of anything never takes less.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameterCount } from '../../../shared/architectures/index.js';
import { generatorOf } from '../../../shared/config/model.js';
import { estimate, largestBatch } from '../../../shared/phases/estimate.js';
import { peakMemory } from '../../../shared/costs/memory.js';
import { planOf } from '../../../shared/costs/phases.js';
import { guessedSpeed } from '../../../shared/costs/work.js';
import { projectSettings } from '../../ipc/world.js';

const settings = (given: Readonly<Record<string, unknown>> = {}) =>
  projectSettings({ project: '/x', data_path: 'x.txt', preset: 'tiny', ...given });

const estimated = (given: Readonly<Record<string, unknown>>, tokens = 1_000_000) =>
  estimate({
    config: settings(given),
    vocabSize: 100,
    tokens,
    speed: { training: 50e9, writing: 20e9, wide: null, precision: 'f32', compiling: 0.003 },
    memoryAvailable: 8e9,
    diskFree: 1e12,
  });

describe('estimate', () => {
  it('counts the weights that the engine makes', () => {
    fc.assert(
      fc.property(
        fc.record({
          n_layer: fc.integer({ min: 1, max: 6 }),
          n_head: fc.integer({ min: 1, max: 4 }),
          width: fc.integer({ min: 1, max: 40 }),
          block_size: fc.integer({ min: 2, max: 300 }),
          bias: fc.boolean(),
          vocabulary: fc.integer({ min: 1, max: 60_000 }),
        }),
        ({ vocabulary, width, ...shape }) => {
          const config = settings({ ...shape, n_embd: width * shape.n_head });
          const network = generatorOf(config, vocabulary);
          const found = estimate({
            config,
            vocabSize: vocabulary,
            tokens: null,
            speed: guessedSpeed(1),
            memoryAvailable: 1,
            diskFree: 1,
          });
          expect(found.parameters).toBe(parameterCount(network));
        },
      ),
    );
  });

  it('takes the minutes that were asked for, with what is compiled and evaluated in them', () => {
    for (const minutes of [10, 30])
      for (const eval_interval of [50, 250]) {
        const { base } = estimated({ judge_passages: 0, train_minutes: minutes, eval_interval }).seconds;
        expect(Math.abs((base ?? 0) / 60 / minutes - 1), `${minutes}, ${eval_interval}`).toBeLessThan(0.02);
      }
    expect(estimated({ train_minutes: 0.1 }).seconds.base).toBeGreaterThan(0);
  });

  it('reads a small text three times, a typical one once, and a large one for ten minutes', () => {
    const reading = (tokens: number, given = {}) =>
      estimate({
        config: settings({ preset: 'smollm2', init_from: 'm', n_layer: 30, n_head: 9, n_embd: 576, ...given }),
        vocabSize: 49_152,
        tokens,
        speed: { training: 300e9, writing: 60e9, wide: null, precision: 'f32', compiling: 0.003 },
        memoryAvailable: 8e9,
        diskFree: 1e12,
      });
    const small = reading(10_000);
    expect(small.passes).toBeCloseTo(3, 0);
    expect(small.seconds.total).toBeLessThan(300);
    const typical = reading(100_000);
    expect(typical.passes).toBeCloseTo(1, 1);
    // What is not much less takes as many steps.
    expect((reading(70_000).passes ?? 0) * 70).toBeCloseTo(75 * (1024 / 900), 1);
    const large = reading(50_000_000);
    expect(large.passes).toBeLessThan(0.1);
    // Nothing follows: there is no cycle.
    for (const { seconds } of [typical, large]) expect(seconds.total).toBe(seconds.base);
    expect(Math.abs((large.seconds.base ?? 0) / 600 - 1)).toBeLessThan(0.02);
    expect(reading(100_000, { max_iters: 60 }).passes).toBeCloseTo((60 * 1024) / 90_000, 5);
  });

  it.each([
    ['n_layer', 4, 8],
    ['n_embd', 128, 256],
    ['max_iters', 1000, 2000],
    ['max_cycles', 1, 2],
    ['grpo_max_steps', 100, 300],
    ['reward_train_samples', 1000, 4000],
  ] as const)('never takes less for more %s', (key, less, more) => {
    const [small, large] = [estimated({ [key]: less }), estimated({ [key]: more })];
    expect(large.seconds.total).toBeGreaterThan(small.seconds.total ?? Infinity);
    expect(large.disk.needed).toBeGreaterThanOrEqual(small.disk.needed);
    expect(large.memory.peak).toBeGreaterThanOrEqual(small.memory.peak);
  });

  it('of bfloat16 is less memory for a network that is not GPT-2’s', () => {
    const wide = { n_embd: 256, n_head: 4, max_cycles: 1 };
    const needed = (precision: 'f32' | 'bf16', training: number) =>
      estimate({
        config: settings(wide),
        vocabSize: 100,
        tokens: 1_000_000,
        speed: { training, writing: training, wide: null, precision, compiling: 1 },
        memoryAvailable: 8e9,
        diskFree: 1e12,
      });
    const [single, half] = [needed('f32', Infinity), needed('bf16', Infinity)];
    expect(half.memory.peak).toBeLessThan(0.9 * single.memory.peak);
  });

  it('is the base alone without cycles, and unknown before anything was measured', () => {
    const { seconds } = estimated({ max_cycles: 0, judge_passages: 0 });
    expect(seconds.total).toBe(seconds.base);
    const unknown = estimate({
      config: settings(),
      vocabSize: 65,
      tokens: null,
      speed: guessedSpeed(null),
      memoryAvailable: 1,
      diskFree: 1,
    });
    expect(unknown.seconds).toEqual({ base: null, scoring: null, cycle: null, total: null, voice: null });
  });

  it('adds up: base training, the critic and the judge, and each cycle', () => {
    const { seconds } = estimated({ max_cycles: 3, judge_passages: 64 });
    const [base, scoring, cycle] = [seconds.base ?? NaN, seconds.scoring ?? NaN, seconds.cycle ?? NaN];
    expect(base + scoring + 3 * cycle).toBeCloseTo(seconds.total ?? NaN, 6);
    // From the second on all cycles are alike.
    expect(estimated({ max_cycles: 10_000, judge_passages: 64 }).seconds.cycle).toBeLessThan(cycle);
    // The critic alone trains three times as long as the base model.
    expect(scoring).toBeGreaterThan(2 * base);
  });

  it('finds the largest batch that fits', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4096 }),
        fc.double({ min: 8e8, max: 2e10, noNaN: true }),
        (batch, available) => {
          const config = settings({ batch_size: batch });
          const largest = largestBatch(config, 65, available, { precision: 'f32' });
          // The newer architecture computes again what does not fit.
          const fits = (size: number) =>
            peakMemory(planOf({ ...config, batch_size: size }, 65, null), { isShort: true }) <= available;
          if (largest === null) expect(fits(batch)).toBe(true);
          else {
            expect(fits(largest + 1)).toBe(false);
            if (largest > 0) expect(fits(largest)).toBe(true);
          }
        },
      ),
    );
  });
});
