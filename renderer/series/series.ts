/** Series of charts: places on the axis, smoothing, summaries, tables. Pure. */
import type { ChartAxis } from '../../shared/base/axes.js';
import { cell } from '../../shared/base/cells.js';
import type { Series } from '../../shared/contract/projects.js';

export const placesOf = ({ steps, positions }: Series): readonly number[] => positions ?? steps;

/**
 * Interpolates linearly between the neighbouring points; null outside of them.
 * @param next index of the first place that is not smaller than `place`
 */
function valueBetween(
  place: number,
  places: readonly number[],
  values: readonly number[],
  next: number,
): number | null {
  const [to, high] = [places[next], values[next]];
  if (to === undefined || high === undefined) return null;
  if (to === place) return high;
  const [from, low] = [places[next - 1], values[next - 1]];
  if (from === undefined || low === undefined) return null;
  return low + ((high - low) * (place - from)) / (to - from);
}

/** Position of a step on the axis; null outside of the series. */
export const placeOf = (step: number, series: Series): number | null =>
  valueBetween(
    step,
    series.steps,
    placesOf(series),
    series.steps.findIndex((other) => other >= step),
  );

/** Finds the step of the nearest point to a place; null if there is none. */
export function stepNear(place: number, series: Series): number | null {
  const distances = placesOf(series).map((other) => Math.abs(other - place));
  const nearest = distances.indexOf(Math.min(...distances));
  return series.steps[nearest] ?? null;
}

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
const readable = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
];

/** Chooses the interval of marks on an axis of times: about five marks at readable times. */
export function secondsBetween(span: number): number {
  const wanted = span / 5;
  return readable.find((seconds) => seconds >= wanted) ?? Math.ceil(wanted / DAY) * DAY;
}

/**
 * @param smoothing 0 leaves the values as they are; towards 1 the average reaches further back
 * @param steps positions of the values; a gap of two steps counts as two steps
 * @returns one value for each; null without a measurement
 */
export function smooth(
  steps: readonly number[],
  values: readonly (number | null)[],
  smoothing: number,
): (number | null)[] {
  // Constant values stay exactly equal: sums would differ in their last digits, and an axis would show only those.
  const [first, ...others] = new Set(values.filter((value) => value !== null));
  if (smoothing <= 0 || first === undefined || others.length === 0) return [...values];
  const spacing = typicalSpacing(steps);
  let sum = 0;
  let weight = 0;
  let last: number | null = null;
  return values.map((value, at) => {
    if (value === null || !Number.isFinite(value)) return null;
    const step = steps[at] ?? at;
    const gap: number = last === null ? 1 : Math.max(0, (step - last) / spacing);
    last = step;
    const retained = smoothing ** gap;
    // Dividing by the total weight removes the pull towards zero at the beginning.
    sum = retained * sum + (1 - smoothing) * value;
    weight = retained * weight + (1 - smoothing);
    return sum / weight;
  });
}

/** The median distance between neighbouring steps; 1 without neighbours. */
function typicalSpacing(steps: readonly number[]): number {
  const gaps = steps
    .slice(1)
    .map((step, at) => step - (steps[at] ?? step))
    .filter((gap) => gap > 0)
    .sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 2)] ?? 1;
}

interface SeriesFacts {
  readonly last: { readonly step: number; readonly value: number };
  readonly lowest: { readonly step: number; readonly value: number };
  readonly highest: { readonly step: number; readonly value: number };
}

/** @returns null for a series without measurements */
export function seriesFacts({ steps, values }: Series): SeriesFacts | null {
  let facts: SeriesFacts | null = null;
  values.forEach((value, at) => {
    const step = steps[at];
    if (value === null || step === undefined) return;
    const here = { step, value };
    if (facts === null) facts = { last: here, lowest: here, highest: here };
    else {
      facts = {
        last: here,
        lowest: value < facts.lowest.value ? here : facts.lowest,
        highest: value > facts.highest.value ? here : facts.highest,
      };
    }
  });
  return facts;
}

interface Column extends Series {
  readonly name: string;
}

/** Headings of the first column, with its unit. */
const places: Readonly<Record<ChartAxis, string>> = {
  step: 'step',
  tokens: 'tokens',
  compute: 'compute_seconds',
  wall: 'wall_seconds',
};

/** @param axis the chart's axis; points without a place on it stay at their step */
export function seriesToCsv(columns: readonly Column[], axis: ChartAxis = 'step'): string {
  const rows = new Map<number, Map<string, number>>();
  for (const { name, steps, positions = steps, values } of columns) {
    positions.forEach((place, at) => {
      const value = values[at];
      const row = rows.get(place) ?? new Map<string, number>();
      rows.set(place, row);
      if (value !== null && value !== undefined) row.set(name, value);
    });
  }
  const header = [places[axis], ...columns.map(({ name }) => name)].map(cell).join(',');
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([place, row]) => [place, ...columns.map(({ name }) => row.get(name))].map(cell).join(','));
  return [header, ...lines, ''].join('\r\n');
}
