/** What is drawn of series, and which stretch of it. */
import { expect, it } from 'vitest';
import * as echarts from 'echarts';
import {
  chartOptions,
  flatShareAxis,
  stretchOptions,
  widened,
  type ChartInput,
} from '../../../../renderer/components/chart/chart-options.js';

it('ends the axis of shares that are all 0, or all 1, at 100 %', () => {
  const whole = { min: 0, max: 1, interval: 0.25 };
  expect(flatShareAxis([[0, 0, null], [0]])).toEqual(whole);
  expect(flatShareAxis([[1, 1]])).toEqual(whole);
});

it('leaves every other axis to the values', () => {
  for (const values of [[], [[]], [[null]], [[0, 0.1]], [[0], [1]], [[0.4, 0.4]]]) {
    expect(flatShareAxis(values)).toEqual({});
  }
});

it('widens an axis whose values hardly differ, to round numbers, and no other', () => {
  expect(widened({ min: 1.0287, max: 1.0302 })).toEqual([1, 1.06]);
  expect(widened({ min: 0.5, max: 0.5 })).toEqual([0.48, 0.52]);
  expect(widened({ min: -20.1, max: -20 })).toEqual([-21, -19]);
  for (const ends of [
    { min: 1, max: 1.1 },
    { min: 0, max: 0 },
    { min: -1, max: 1 },
    { min: Infinity, max: -Infinity },
  ])
    expect(widened(ends)).toBeNull();
});

it('shows a single point of any line', () => {
  const one = { '0': { steps: [3], values: [1] } };
  const [, line] = optionsOf(1, { series: one }).series as { showSymbol?: boolean }[];
  expect(line?.showSymbol).toBe(true);
  expect(drawn(1)[1]).toMatchObject({ showSymbol: false });
});

const series = (runs: number) =>
  Object.fromEntries(
    Array.from({ length: runs }, (_, run) => [`${run}`, { steps: [1, 2, 4], values: [0.5, null, -1] }]),
  );
const optionsOf = (runs: number, more: Partial<ChartInput> = {}) =>
  chartOptions({
    lines: Object.keys(series(runs)).map((metric) => ({ metric, label: metric, colour: 'line1' })),
    series: series(runs),
    ...{ smoothing: 0.6, log: false, share: false, cap: null, marks: [], colours: {} as ChartInput['colours'] },
    ...{ formatValue: String, formatPlace: String, tooltip: () => '' },
    ...more,
  });
const drawn = (runs: number, log = false) =>
  optionsOf(runs, { log }).series as { id: string; data: Float64Array; lineStyle: { width: number } }[];

it('draws what was measured behind a smoothed line, with gaps where nothing was, and the step of each point', () => {
  const [raw, line] = drawn(1);
  expect(raw?.id).toBe('0-raw');
  expect(raw?.data).toEqual(new Float64Array([1, 0.5, 1, 2, NaN, 2, 4, -1, 4]));
  expect(line?.id).toBe('0');
  expect(drawn(1, true)[0]?.data).toEqual(new Float64Array([1, 0.5, 1, 2, NaN, 2, 4, NaN, 4]));
});

it('draws many lines thin, and without what was measured behind them', () => {
  expect(drawn(12)).toHaveLength(24);
  expect(drawn(13).map(({ id, lineStyle }) => [id, lineStyle.width])).toEqual(
    Array.from({ length: 13 }, (_, run) => [`${run}`, 1]),
  );
});

it('has the same options for every range', () => {
  const keys = (options: object) => Object.keys((options as { xAxis: object }).xAxis).toSorted();
  const all = keys(stretchOptions(null, series(1), true));
  expect(keys(stretchOptions(null, series(1), false))).toEqual(all);
  expect(keys(stretchOptions([1, 2], {}, true))).toEqual(all);
  expect(stretchOptions([1, 2], series(1), false).xAxis).toMatchObject({ min: 1, max: 2, minInterval: null });
});

it.each([1, 2, 4])('has room for the whole label of a mark, wherever it is: at step %d', (step) => {
  const width = 480;
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height: 220 });
  chart.setOption(optionsOf(1, { marks: [{ step, label: 'bester' }] }));
  chart.setOption(stretchOptions(null, series(1), false));
  const text = /<text[^>]*text-anchor="(\w+)"[^>]*translate\(([\d.]+) ([\d.]+)\)[^>]*>bester</.exec(
    chart.renderToSVGString(),
  );
  chart.dispose();
  const [, anchor, x = '', y = ''] = text ?? [];
  expect(anchor).toBe('middle');
  // Six letters, 11 pixels high.
  expect(Number(x)).toBeGreaterThan(18);
  expect(Number(x)).toBeLessThan(width - 18);
  expect(Number(y)).toBeGreaterThan(11);
});
