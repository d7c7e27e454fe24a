/**
 * Builds ECharts options for one value per cycle: marked and labelled, with an upright stroke for a known interval.
 * Pure.
 */
import type { EChartsOption, SeriesOption } from 'echarts';
import type { Interval } from '../../../shared/reports/report.js';
import type { ColourName } from '../../composables/useColours.js';
import { flatShareAxis, leastSpan, strokes } from './chart-options.js';

/** In place of a cycle's number: the model that training began from. */
export const BEFORE_TRAINING = -1;

export interface CycleLine {
  /** Unique among the lines; defaults to the label. */
  readonly id?: string;
  readonly label: string;
  readonly colour: ColourName;
  readonly dashed?: boolean;
  /** One for each cycle. */
  readonly values: readonly (number | null)[];
  /** 95 % intervals, one for each cycle; omit to draw no strokes. */
  readonly intervals?: readonly (Interval | null)[];
}

interface CycleChartInput {
  /** Labels below the axis. */
  readonly cycles: readonly string[];
  readonly lines: readonly CycleLine[];
  /** Values are shares of one. */
  readonly share: boolean;
  readonly colours: Readonly<Record<ColourName, string>>;
  readonly formatValue: (value: number) => string;
  readonly formatTick: (value: number) => string;
}

/**
 * Horizontal distance, in cycles, between strokes of different lines, so that strokes of similar values do not overlap.
 */
const APART = 0.06;

/** Reports whether any stroke is drawn. */
export const hasIntervals = (lines: readonly CycleLine[]): boolean =>
  lines.some(({ intervals }) => intervals?.some((interval) => interval !== null));

export function cycleOptions(input: CycleChartInput): EChartsOption {
  const { cycles, lines, colours } = input;
  const label = { color: colours.muted, fontSize: 11 };
  const apart = hasIntervals(lines) ? APART : 0;
  return {
    animation: false,
    grid: { left: 8, right: 24, top: 26, bottom: 4, containLabel: true },
    xAxis: [
      {
        type: 'category',
        data: [...cycles],
        axisLine: { lineStyle: { color: colours.axis } },
        axisTick: { show: false },
        axisLabel: label,
      },
      // The same width in numbers: categories have no positions next to their centre.
      { type: 'value', show: false, min: -0.5, max: cycles.length - 0.5 },
    ],
    yAxis: {
      type: 'value',
      scale: true,
      ...leastSpan,
      splitNumber: 3,
      // A label below its point does not lie on the axis.
      boundaryGap: [hasRoomBelow(lines) ? '12%' : 0, 0],
      // Otherwise the axis would be at 0, in the middle of the first cycle.
      axisLine: { show: false, onZero: false },
      axisTick: { show: false },
      // Labels to the left of points may reach the axis.
      axisLabel: { ...label, margin: lines.length > 1 ? 24 : 8, formatter: input.formatTick },
      splitLine: { lineStyle: { color: colours.axis } },
      ...(input.share ? flatShareAxis(lines.map(({ values }) => values)) : {}),
    },
    series: lines.flatMap((line, at) => seriesOf(line, at - (lines.length - 1) / 2, apart, input)),
  };
}

/** @param side horizontal offset from the centre of its cycle: negative to the left */
function seriesOf(
  line: CycleLine,
  side: number,
  apart: number,
  { colours, formatValue }: CycleChartInput,
): SeriesOption[] {
  const colour = colours[line.colour];
  const aside = side * apart;
  const usual = labelPlaces[side < 0 ? 'left' : 'right'];
  const shared = { type: 'line' as const, silent: true, xAxisIndex: 1 };
  const intervals = (line.intervals ?? []).map((interval, cycle) => [cycle + aside, interval] as const);
  return [
    ...(hasIntervals([line])
      ? [{ ...strokes(intervals, colour, 1.5), xAxisIndex: 1, id: `${line.id ?? line.label}-intervals` }]
      : []),
    {
      ...shared,
      id: line.id ?? line.label,
      name: line.label,
      symbol: 'circle',
      symbolSize: 7,
      data: line.values.map((value, cycle) => {
        const point = [cycle + aside, value] as const;
        const place = placeOf(line.values, cycle, side);
        return place === usual ? [...point] : { value: [...point], label: place };
      }),
      lineStyle: { color: colour, width: 2, type: line.dashed === true ? 'dashed' : 'solid' },
      itemStyle: { color: colour },
      label: {
        show: true,
        ...usual,
        color: colours.text,
        fontSize: 11,
        // Drawn over the grid's lines and other series.
        textBorderColor: colours.surface,
        textBorderWidth: 3,
        formatter: ({ value }: { value?: unknown }) => labelOf(value, formatValue),
      },
    },
  ];
}

/** Above the point and to one side of it, or below. */
const labelPlaces = {
  left: { position: 'left', offset: [-1, -9] },
  right: { position: 'right', offset: [1, -9] },
  leftBelow: { position: 'left', offset: [-1, 9] },
  rightBelow: { position: 'right', offset: [1, 9] },
} satisfies Record<string, { position: 'left' | 'right'; offset: [number, number] }>;

/**
 * Reports whether a label is below its point and the axis may start lower for it: not below 0 without negative values.
 */
function hasRoomBelow(lines: readonly CycleLine[]): boolean {
  const known = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const isBelow = lines.some(({ values }, at) =>
    values.some((_, cycle) => placeOf(values, cycle, at - (lines.length - 1) / 2).offset[1] > 0),
  );
  return isBelow && (least < 0 || least - (most - least) * 0.2 > 0);
}

/**
 * Places the label where its line does not cross it: not above a point from which the line rises.
 * @param side as in `seriesOf`
 */
function placeOf(values: readonly (number | null)[], cycle: number, side: number) {
  const { left, right, leftBelow, rightBelow } = labelPlaces;
  const rises = (to: number) => (values[to] ?? -Infinity) > (values[cycle] ?? Infinity);
  if (side < 0) return rises(cycle - 1) ? leftBelow : left;
  if (!rises(cycle + 1)) return right;
  // Only a single line has both sides free.
  return side === 0 && !rises(cycle - 1) ? left : rightBelow;
}

function labelOf(point: unknown, formatValue: (value: number) => string): string {
  const value: unknown = Array.isArray(point) ? point[1] : null;
  return typeof value === 'number' ? formatValue(value) : '';
}
