/** ECharts options from series: raw values faint, smoothed ones over them, bands, caps and marks. Pure. */
import type { Interval } from '../../../shared/reports/report.js';
import type { EChartsOption, LineSeriesOption, SeriesOption } from 'echarts';
import type { WholeLine } from '../../../shared/phases/index.js';
import type { Series } from '../../../shared/contract/projects.js';
import type { ColourName } from '../../composables/useColours.js';
import { placeOf, placesOf, secondsBetween } from '../../series/places.js';
import { smooth } from '../../series/smooth.js';

export interface ChartInput {
  readonly lines: readonly WholeLine[];
  readonly series: Readonly<Record<string, Series>>;
  readonly smoothing: number;
  readonly log: boolean;
  /** Values are shares of one. */
  readonly share: boolean;
  readonly cap: { readonly value: number; readonly label: string } | null;
  readonly marks: readonly { readonly step: number; readonly label: string }[];
  readonly colours: Readonly<Record<ColourName, string>>;
  readonly formatValue: (value: number) => string;
  readonly formatPlace: (place: number) => string;
  readonly tooltip: (parameters: unknown) => HTMLElement | string;
}

/** All but which stretch is in sight (`stretchOptions`): that changes far oftener than what is drawn. To be merged. */
export function chartOptions(input: ChartInput): EChartsOption {
  const { colours, log, formatValue, formatPlace } = input;
  const label = labelOf(input);
  return {
    animation: false,
    // A mark's label stands above, and beyond either end of the axis by half of what it takes.
    grid: {
      left: 8,
      bottom: 4,
      containLabel: true,
      ...(input.marks.length > 0 ? { right: 20, top: 20 } : { right: 14, top: 14 }),
    },
    tooltip: {
      trigger: 'axis',
      confine: true,
      className: 'chart-tooltip',
      backgroundColor: colours.surface,
      borderColor: colours.axis,
      padding: 8,
      textStyle: { color: colours.text, fontSize: 12 },
      axisPointer: { type: 'line', lineStyle: { color: colours.muted, type: 'dashed' } },
      transitionDuration: 0,
      formatter: input.tooltip as never,
    },
    xAxis: {
      type: 'value',
      axisLine: { lineStyle: { color: colours.axis } },
      axisTick: { show: false },
      splitLine: { show: false },
      axisLabel: { ...label, formatter: formatPlace },
    },
    yAxis: {
      type: log ? 'log' : 'value',
      scale: true,
      ...byValues,
      // A cap is of use only in sight.
      ...(input.cap === null
        ? {}
        : { max: ({ max }: { max: number }) => Math.max(max, 1.08 * (input.cap?.value ?? max)) }),
      axisLabel: { ...label, formatter: formatValue, showMaxLabel: input.cap === null },
      splitLine: { lineStyle: { color: colours.axis } },
      splitNumber: 4,
      ...(input.share && !log
        ? flatShareAxis(input.lines.map(({ metric }) => input.series[metric]?.values ?? []))
        : {}),
    },
    series: input.lines.flatMap((line, at) => seriesOf(line, at, input)),
  };
}

const labelOf = ({ colours }: Pick<ChartInput, 'colours'>) => ({
  color: colours.muted,
  fontSize: 11,
  hideOverlap: true,
});

/**
 * Which stretch is in sight. Every key is there each time, as ECharts keeps what is left out.
 * @param timed what lies along the axis are seconds
 */
export function stretchOptions(range: Stretch, series: ChartInput['series'], timed: boolean): EChartsOption {
  return {
    xAxis: {
      min: range ? range[0] : 'dataMin',
      max: range ? range[1] : 'dataMax',
      axisLabel: { showMinLabel: range === null, showMaxLabel: range === null },
      ...(timed ? timeMarks(range, series) : noMarks),
    },
  };
}

/** As ECharts finds it from the values, whatever was wanted before. */
const byValues: object = { min: null, max: null, interval: null };

/** Shares that are all 0 (or all 1) would stand on an axis that goes on past 100 %: it ends there. */
export function flatShareAxis(values: readonly (readonly (number | null)[])[]): object {
  const known = new Set(values.flat().filter((value) => value !== null));
  const [only] = known;
  return known.size === 1 && (only === 0 || only === 1) ? { min: 0, max: 1, interval: 0.25 } : {};
}

/** What is in sight; null is everything. */
type Stretch = readonly [number, number] | null;

const noMarks: object = { minInterval: null, maxInterval: null };

/** Where marks lie on an axis of seconds. */
function timeMarks(range: Stretch, series: ChartInput['series']): object {
  const ends = range ?? Object.values(series).flatMap((one) => [placesOf(one).at(0), placesOf(one).at(-1)]);
  const known = ends.filter((place) => place !== undefined);
  const interval = secondsBetween(Math.max(...known) - Math.min(...known));
  return known.length === 0 ? noMarks : { minInterval: interval, maxInterval: interval };
}

type Pair = [number, number | null];

/** No marks on it, which are looked for point by point even where they would be empty; it answers no pointer. */
const unmarked = { symbol: 'none', showSymbol: false, silent: true } as const;

/** Intervals as upright strokes: one line with a gap after each of them. Those that are not known are left out. */
export const strokes = (
  intervals: readonly (readonly [x: number, Interval | null])[],
  colour: string,
  width: number,
): LineSeriesOption => ({
  type: 'line',
  ...unmarked,
  data: intervals.flatMap(([x, interval]): Pair[] =>
    interval === null
      ? []
      : [
          [x, interval.low],
          [x, interval.high],
          [x, null],
        ],
  ),
  lineStyle: { color: colour, width, opacity: 0.6 },
});

/** With the step that was measured, wherever it lies. */
const dimensions = ['place', 'value', 'step'];

/**
 * One after the other, as many numbers as there are dimensions; nothing is NaN. ECharts copies what it is given, number by
 * number, unless it is an array of this kind: that was a third of what a chart of many lines took.
 */
function points(
  series: Series,
  values: readonly (number | null)[],
  log: boolean,
): NonNullable<LineSeriesOption['data']> {
  const places = placesOf(series);
  const flat = new Float64Array(dimensions.length * series.steps.length);
  for (const [at, step] of series.steps.entries()) {
    const value = values[at] ?? NaN;
    flat.set([places[at] ?? step, log && value <= 0 ? NaN : value, step], dimensions.length * at);
  }
  // Its types know of arrays alone.
  return flat as unknown as NonNullable<LineSeriesOption['data']>;
}

/** More lines than these are thin, and what was measured is not drawn behind each: it would only be a blur. */
const FEW = 12;

function seriesOf(line: WholeLine, at: number, input: ChartInput): SeriesOption[] {
  const data = input.series[line.metric];
  if (!data) return [];
  const colour = input.colours[line.colour];
  const isFew = input.lines.length <= FEW;
  const smoothed = line.sparse === true ? 0 : input.smoothing;
  const plain = { type: 'line' as const, ...unmarked, dimensions, lineStyle: { width: 1, color: colour } };
  const result: SeriesOption[] = [];
  if (line.spread !== undefined && !input.log) result.push(...band(line, data, input, colour));
  if (smoothed > 0 && isFew) {
    result.push({
      ...plain,
      id: `${line.metric}-raw`,
      data: points(data, data.values, input.log),
      lineStyle: { width: 1, color: colour, opacity: 0.28 },
    });
  }
  result.push({
    ...plain,
    id: line.metric,
    name: line.label,
    data: points(data, smooth(data.steps, data.values, smoothed), input.log),
    lineStyle: { width: isFew ? 2 : 1, color: colour, type: line.dashed === true ? 'dashed' : 'solid' },
    itemStyle: { color: colour },
    ...(line.sparse === true && data.steps.length <= 60 ? { symbol: 'circle', symbolSize: 5, showSymbol: true } : {}),
    ...(at === 0 ? { markLine: markLine(input, data) } : {}),
  });
  return result;
}

/** Mean minus and plus the spread: an invisible line below, the area up to the other stacked on it. */
function band(line: WholeLine, data: Series, input: ChartInput, colour: string): SeriesOption[] {
  const spread = input.series[line.spread ?? ''];
  if (!spread) return [];
  const halves = new Map(spread.steps.map((step, at) => [step, spread.values[at] ?? null]));
  const places = placesOf(data);
  const part = (value: (mean: number, half: number) => number): Pair[] =>
    data.steps.map((step, at) => {
      const mean = data.values[at];
      const half = halves.get(step) ?? null;
      return [places[at] ?? step, mean === null || mean === undefined || half === null ? null : value(mean, half)];
    });
  const shared = {
    type: 'line' as const,
    ...unmarked,
    stack: `${line.metric}-band`,
    stackStrategy: 'all' as const,
  };
  return [
    { ...shared, id: `${line.metric}-low`, data: part((mean, half) => mean - half), lineStyle: { opacity: 0 } },
    {
      ...shared,
      id: `${line.metric}-high`,
      data: part((_mean, half) => 2 * half),
      lineStyle: { opacity: 0 },
      areaStyle: { color: colour, opacity: 0.14 },
    },
  ];
}

function markLine({ cap, marks, colours }: ChartInput, data: Series) {
  const label = { color: colours.muted, fontSize: 11 };
  return {
    silent: true,
    symbol: 'none',
    animation: false,
    data: [
      ...(cap === null
        ? []
        : [
            {
              yAxis: cap.value,
              lineStyle: { color: colours.error, type: 'dashed' as const, width: 1.5 },
              label: { ...label, formatter: cap.label, position: 'insideEndTop' as const },
            },
          ]),
      ...marks.flatMap(({ step, label: text }) => {
        const place = placeOf(step, data);
        if (place === null) return [];
        return {
          xAxis: place,
          lineStyle: { color: colours.muted, type: 'dotted' as const },
          label: { ...label, formatter: text, position: 'end' as const, distance: 4 },
        };
      }),
    ],
  };
}
