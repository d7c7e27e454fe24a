/** Computes positions of a series' points on the requested axis. Pure. */
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
