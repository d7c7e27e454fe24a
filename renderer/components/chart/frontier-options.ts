/** ECharts options for ways of writing as curves over temperature: how surprised the judge is, over how varied it is. Pure. */
import type { EChartsOption } from 'echarts';
import type { WritingPoint } from '../../../shared/report.js';
import type { ColourName } from '../../composables/useColours.js';

export interface FrontierLine {
  readonly label: string;
  readonly colour: ColourName;
  readonly dashed?: boolean;
  readonly points: readonly WritingPoint[];
}

interface FrontierInput {
  readonly lines: readonly FrontierLine[];
  readonly colours: Readonly<Record<ColourName, string>>;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly formatVariety: (value: number) => string;
  readonly formatNats: (value: number) => string;
  readonly formatTemperature: (value: number) => string;
}

export function frontierOptions(input: FrontierInput): EChartsOption {
  const { lines, colours, formatVariety, formatNats, formatTemperature } = input;
  const label = { color: colours.muted, fontSize: 11 };
  const isHidden = hiddenBy(lines.flatMap(({ points }) => (points.length > 1 ? points : [])));
  const axis = {
    type: 'value',
    scale: true,
    axisTick: { show: false },
    splitLine: { lineStyle: { color: colours.axis } },
  } as const;
  return {
    animation: false,
    grid: { left: 8, right: 28, top: 30, bottom: 22, containLabel: true },
    xAxis: {
      ...axis,
      name: input.xTitle,
      nameLocation: 'middle',
      nameGap: 24,
      nameTextStyle: label,
      splitNumber: 4,
      axisLine: { show: false },
      axisLabel: { ...label, formatter: formatVariety },
    },
    // Less surprised is better, and better is up.
    yAxis: {
      ...axis,
      inverse: true,
      splitNumber: 4,
      axisLabel: { ...label, formatter: formatNats },
      name: input.yTitle,
      nameLocation: 'start',
      nameGap: 10,
      nameTextStyle: { ...label, align: 'left' },
    },
    series: lines.map(({ label: name, colour, dashed, points }) => ({
      type: 'line' as const,
      id: name,
      name,
      silent: true,
      symbol: points.length === 1 ? 'diamond' : 'circle',
      symbolSize: points.length === 1 ? 11 : 7,
      // Along the temperature, whatever order they were measured in.
      data: [...points]
        .sort((a, b) => a.temperature - b.temperature)
        .map(({ variety, nats_per_character, temperature }) => [variety, nats_per_character, temperature]),
      lineStyle: { color: colours[colour], width: 2, type: dashed === true ? ('dashed' as const) : ('solid' as const) },
      itemStyle: { color: colours[colour] },
      label: {
        show: points.length > 1,
        position: 'top' as const,
        color: colours.text,
        fontSize: 11,
        textBorderColor: colours.surface,
        textBorderWidth: 3,
        formatter: ({ value }: { value?: unknown }) => (isHidden(value) ? '' : temperatureOf(value, formatTemperature)),
      },
    })),
  };
}

/** Where lines run close they say the same temperature: once, above all of them, is enough. In shares of what is drawn. */
const NEAR = { variety: 0.05, nats: 0.25 } as const;

/** Whether a point lies close below another of its temperature. */
function hiddenBy(points: readonly WritingPoint[]): (point: unknown) => boolean {
  const reach = (of: (point: WritingPoint) => number) => {
    const values = points.map(of);
    return Math.max(...values) - Math.min(...values);
  };
  const [wide, high] = [reach(({ variety }) => variety), reach((point) => point.nats_per_character)];
  return (point) => {
    const [variety = NaN, nats = NaN, temperature = NaN] = Array.isArray(point) ? (point as number[]) : [];
    return points.some(
      (other) =>
        other.temperature === temperature &&
        other.nats_per_character < nats &&
        nats - other.nats_per_character < NEAR.nats * high &&
        Math.abs(variety - other.variety) < NEAR.variety * wide,
    );
  };
}

function temperatureOf(point: unknown, format: (value: number) => string): string {
  const value: unknown = Array.isArray(point) ? point[2] : null;
  return typeof value === 'number' ? format(value) : '';
}
