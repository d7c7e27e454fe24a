/** Builds ECharts options from series: faint raw values, smoothed lines over them, bands, caps and marks. Pure. */
import type { Interval } from '../../../shared/reports/report.js';
import type { EChartsOption, LineSeriesOption, SeriesOption } from 'echarts';
import type { WholeLine } from '../../../shared/phases/index.js';
import type { Series } from '../../../shared/contract/projects.js';
import type { ColourName } from '../../composables/useColours.js';
import { placeOf, placesOf, secondsBetween, smooth } from '../../series/series.js';

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

/** Everything except the visible range (`stretchOptions`), which changes far more often. To be merged. */
export function chartOptions(input: ChartInput): EChartsOption {
  const { colours, log, formatValue, formatPlace } = input;
  const label = labelOf(input);
  return {
    animation: false,
    // A mark's label is above the plot and may extend beyond either end of the axis by half its width.
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
      ...(log ? byValues : { ...byValues, ...leastSpan }),
      // A cap is useful only in sight.
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
 * Options of the visible range. They contain every key each time, as ECharts retains what is left out.
 * @param timed whether the axis is in seconds
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

/** Lets ECharts derive them from the values again. */
const byValues: object = { min: null, max: null, interval: null };

/** The least span of an axis, as a share of its values: a smaller difference must not look like a cliff. */
const LEAST_SPAN = 0.05;

/** Widens an axis of values that hardly differ, to round numbers; other axes keep the ends that ECharts chooses. */
export function widened({
  min,
  max,
}: {
  readonly min: number;
  readonly max: number;
}): readonly [number, number] | null {
  const middle = (min + max) / 2;
  const span = LEAST_SPAN * Math.abs(middle);
  if (!Number.isFinite(span) || span === 0 || max - min >= span) return null;
  const round = 10 ** Math.floor(Math.log10(span));
  const end = (value: number) => Number((value * round).toPrecision(12));
  return [end(Math.floor((middle - span / 2) / round)), end(Math.ceil((middle + span / 2) / round))];
}

type Ends = Parameters<typeof widened>[0];
/** The ends of an axis as ECharts takes them. */
export const leastSpan = {
  min: (ends: Ends) => widened(ends)?.[0] ?? null,
  max: (ends: Ends) => widened(ends)?.[1] ?? null,
} as object;

/** Limits the axis of shares that are all 0 (or all 1), which would otherwise extend past 100 %. */
export function flatShareAxis(values: readonly (readonly (number | null)[])[]): object {
  const known = new Set(values.flat().filter((value) => value !== null));
  const [only] = known;
  return known.size === 1 && (only === 0 || only === 1) ? { min: 0, max: 1, interval: 0.25 } : {};
}

/** The visible range; null shows everything. */
type Stretch = readonly [number, number] | null;

const noMarks: object = { minInterval: null, maxInterval: null };

/** Positions of marks on an axis of seconds. */
function timeMarks(range: Stretch, series: ChartInput['series']): object {
  const ends = range ?? Object.values(series).flatMap((one) => [placesOf(one).at(0), placesOf(one).at(-1)]);
  const known = ends.filter((place) => place !== undefined);
  const interval = secondsBetween(Math.max(...known) - Math.min(...known));
  return known.length === 0 ? noMarks : { minInterval: interval, maxInterval: interval };
}

type Pair = [number, number | null];

/** No marks, which ECharts would search point by point even if empty, and no pointer events. */
const unmarked = { symbol: 'none', showSymbol: false, silent: true } as const;

/** Draws intervals as upright strokes: one line with a gap after each. Unknown intervals are left out. */
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

/** The measured step is included, wherever the point is on the axis. */
const dimensions = ['place', 'value', 'step'];

/**
 * Packs points into one array, as many numbers per point as there are dimensions, missing ones as NaN. ECharts copies
 * other inputs number by number, which took a third of the time of a chart with many lines.
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
  // ECharts' types only allow plain arrays.
  return flat as unknown as NonNullable<LineSeriesOption['data']>;
}

/** With more lines than these, lines are thin and raw values are omitted, as they would blur. */
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
    ...(data.steps.length === 1 || (line.sparse === true && data.steps.length <= 60)
      ? { symbol: 'circle', symbolSize: 5, showSymbol: true }
      : {}),
    ...(at === 0 ? { markLine: markLine(input, data) } : {}),
  });
  return result;
}

/** A band from mean minus to mean plus spread: an invisible line below, with the area stacked on it. */
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
