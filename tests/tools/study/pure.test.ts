/** The study's command line and its figures, without training anything. */
import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../../shared/report.js';
import { chartSvg, studyCharts } from '../../../tools/study/charts.js';
import type { JudgedGenerator } from '../../../tools/study/judgements.js';
import type { KindReports } from '../../../tools/study/kinds.js';
import { parseOptions, UsageError } from '../../../tools/study/options.js';
import { acrossSeeds, studyResult, type StudyRow } from '../../../tools/study/results.js';

describe('npm run study', () => {
  it('reads its flags', () => {
    expect(parseOptions([])).toMatchObject({ quick: false, seeds: [1, 2, 3], preset: 'classic', json: null });
    expect(parseOptions(['--quick', '--seed', '7', '--data_path', 'a.txt', '--json', 'b.json'])).toMatchObject({
      ...{ quick: true, seeds: [7], data: 'a.txt', json: 'b.json' },
    });
    expect(parseOptions(['--seed', '4,5']).seeds).toEqual([4, 5]);
    expect(parseOptions(['--judge_model', 'd', '--frontier_only'])).toMatchObject({
      ...{ judgeModel: 'd', judge: null, preset: 'tiny', tokenization: null, frontierOnly: true },
    });
    expect(parseOptions(['--set', '{"beta":0.1}']).set).toEqual({ beta: 0.1 });
  });

  it.each([
    ['--seed', 'x'],
    ['--seed', '1,'],
    ['--preset', 'huge'],
    ['--set', '3'],
    ['--tokenization', 'words'],
    ['--what'],
    ['--frontier_only'],
    ['--judge_path', 'a', '--judge_model', 'b'],
  ])('refuses %s %s', (...args) => {
    expect(() => parseOptions(args)).toThrow(UsageError);
  });
});

const judged = (name: string, perplexity: number, nats: number, copied: number) =>
  ({
    ...{ name, perplexity, fresh_discriminator: { r2: nats / 4 } },
    judgement: {
      ...{ unconditional: { mean: nats }, prompted: { mean: nats + 0.1 } },
      ...{ distinct_3: 0.19, copied_share_short: copied },
    },
  }) as unknown as JudgedGenerator;
const natural = { distinct_3: 0.2 } as Judgement;
const kinds = { head: { r2: 0 }, critic: { r2: 0.7 } } as unknown as KindReports;

describe('the figures', () => {
  it('compare the last cycle with base training, and the kinds in cycle 1', () => {
    const measured = { natural, first: judged('a', 6, 2.4, 0.001), last: judged('b', 6.3, 2, 0.002) };
    const found = studyResult(measured, 'critic', kinds);
    expect(found).toEqual({
      reward_r2: { head: 0, critic: 0.7 },
      default_kind: 'critic',
      judge_gain_nats: expect.closeTo(0.4, 10) as number,
      perplexity_change: expect.closeTo(0.05, 10) as number,
      distinct3_ratio: expect.closeTo(0.95, 10) as number,
      copied_ratio: expect.closeTo(2, 10) as number,
      fresh_discriminator_r2: [expect.closeTo(0.6, 10), expect.closeTo(0.5, 10)] as never,
    });
  });

  it('call nothing copied out of nothing no change, and have means with intervals over seeds', () => {
    const same = judged('a', 6, 2, 0);
    expect(studyResult({ natural, first: same, last: same }, 'critic', kinds).copied_ratio).toBe(1);
    expect(acrossSeeds([{ a: 1 }, { a: 2 }, { a: 3 }])['a']?.mean).toBe(2);
    expect(acrossSeeds([{ a: 1, b: null }])).toEqual({ a: { mean: 1, interval: null } });
  });
});

describe('a chart', () => {
  it('has a dot for each seed at its height, a bar at the mean, and names with no markup in them', () => {
    const svg = chartSvg({ title: 'a < b', unit: 'R²', columns: [{ label: 'one & two', values: [0, 1] }] });
    const heights = [...svg.matchAll(/cy="([\d.]+)"/g)].map(([, height]) => Number(height));
    const [bar] = [...svg.matchAll(/y1="([\d.]+)" y2="[\d.]+" stroke="#1d4ed8"/g)].map(([, height]) => Number(height));
    expect(heights).toHaveLength(2);
    expect(heights[0]).toBeGreaterThan(heights[1] ?? NaN);
    expect(bar).toBeCloseTo(((heights[0] ?? NaN) + (heights[1] ?? NaN)) / 2, 0);
    expect(svg).toContain('a &lt; b');
    expect(svg).toContain('one &amp; two');
  });

  it('is drawn for what there is, and left out for what was not measured', () => {
    const row = { result: { reward_r2: { critic: 0.7 } }, cycles: [], generators: [], natural: { judge_nats: {} } };
    const charts = studyCharts([row as unknown as StudyRow]);
    expect(charts['reward-r2']?.columns).toEqual([{ label: 'critic', values: [0.7] }]);
    expect(charts['perplexity']?.columns).toEqual([]);
  });
});
