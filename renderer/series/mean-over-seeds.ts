/** Series of one experiment with several seeds as their mean and how sure that is. Pure. */
import type { Series } from '../../shared/contract/projects.js';
import { overSeeds } from '../../shared/seed-groups.js';
import { placesOf, valueBetween } from './places.js';

/**
 * At the places of the first run, as far as all of them go; the others are taken evenly between their neighbours there.
 * @returns the mean, and beside it how far its interval of 95 % reaches to either side; null where they have no place in common
 */
export function meanOverSeeds(runs: readonly Series[]): { readonly mean: Series; readonly reach: Series } | null {
  const curves = runs.map(knownPoints);
  const [first] = runs;
  const from = Math.max(...curves.map(({ places }) => places.at(0) ?? Infinity));
  const to = Math.min(...curves.map(({ places }) => places.at(-1) ?? -Infinity));
  if (first === undefined || !(from <= to)) return null;
  const grid = placesOf(first)
    .map((place, at) => ({ place, step: first.steps[at] ?? place }))
    .filter(({ place }) => place >= from && place <= to);
  const readers = curves.map(reader);
  const found = grid.map(({ place }) => overSeeds(readers.map((valueAt) => valueAt(place))));
  const where = {
    steps: grid.map(({ step }) => step),
    ...(first.positions && { positions: grid.map(({ place }) => place) }),
  };
  return {
    mean: { ...where, values: found.map((one) => one?.mean ?? null) },
    reach: { ...where, values: found.map((one) => (one?.interval ? one.interval.high - one.mean : null)) },
  };
}

interface Curve {
  readonly places: readonly number[];
  readonly values: readonly number[];
}

function knownPoints(series: Series): Curve {
  const [places, values]: [number[], number[]] = [[], []];
  for (const [at, place] of placesOf(series).entries()) {
    const value = series.values[at];
    if (value === null || value === undefined) continue;
    places.push(place);
    values.push(value);
  }
  return { places, values };
}

/** Asked for places in order, within those of the curve. */
function reader({ places, values }: Curve): (place: number) => number | null {
  let next = 0;
  return (place) => {
    while ((places[next] ?? Infinity) < place) next += 1;
    return valueBetween(place, places, values, next);
  };
}
