/** The study's command line and its figures, without training anything. */
import { describe, expect, it } from 'vitest';
import type { CycleReport } from '../../main/engine/cycle-types.js';
import { parseOptions, UsageError } from './options.js';
import { acrossSeeds, studyResult } from './results.js';

describe('npm run study', () => {
  it('reads its flags', () => {
    expect(parseOptions([])).toMatchObject({ quick: false, seeds: [1, 2, 3], preset: 'tiny', json: null });
    expect(parseOptions(['--quick', '--seed', '7', '--data_path', 'a.txt', '--json', 'b.json'])).toMatchObject({
      ...{ quick: true, seeds: [7], data: 'a.txt', json: 'b.json' },
    });
    expect(parseOptions(['--set', '{"beta":0.1}']).set).toEqual({ beta: 0.1 });
  });

  it.each([['--seed', 'x'], ['--preset', 'huge'], ['--set', '3'], ['--tokenization', 'words'], ['--what']])(
    'refuses %s %s',
    (...args) => {
      expect(() => parseOptions(args)).toThrow(UsageError);
    },
  );
});

const report = (perplexity: number, nats: number, gain: number | null, copied: number): CycleReport =>
  ({
    perplexity,
    reward_models: { head: { r2: 0 }, critic: { r2: 0.7 } },
    judgement: {
      generator: { unconditional: { mean: nats }, prompted: { mean: nats }, distinct_3: 0.19, copied_share: copied },
      natural: { distinct_3: 0.2 },
      gain: gain === null ? null : { unconditional: gain, prompted: gain + 0.1 },
      fresh_discriminator: { r2: nats / 4 },
    },
  }) as unknown as CycleReport;

describe('the figures', () => {
  it('compare the last cycle with base training, and the kinds in cycle 1', () => {
    const found = studyResult(
      [report(6, 2.4, null, 0.001), report(6.1, 2.2, 0.2, 0), report(6.3, 2, 0.4, 0.002)],
      'critic',
    );
    expect(found).toEqual({
      reward_r2: { head: 0, critic: 0.7 },
      default_kind: 'critic',
      judge_gain_nats: expect.closeTo(0.45, 10) as number,
      perplexity_change: expect.closeTo(0.05, 10) as number,
      distinct3_ratio: expect.closeTo(0.95, 10) as number,
      copied_ratio: expect.closeTo(2, 10) as number,
      fresh_discriminator_r2: [expect.closeTo(0.6, 10), expect.closeTo(0.5, 10)] as never,
    });
  });

  it('call nothing copied out of nothing no change, and have means with intervals over seeds', () => {
    expect(studyResult([report(6, 2, null, 0), report(6, 2, 0, 0)], 'critic').copied_ratio).toBe(1);
    expect(acrossSeeds([{ a: 1 }, { a: 2 }, { a: 3 }])['a']?.mean).toBe(2);
    expect(acrossSeeds([{ a: 1 }])['a']).toEqual({ mean: 1, interval: null });
  });
});
