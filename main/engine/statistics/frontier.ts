/**
 * Writing compared at equal variety. Likelier writing can be had from any generator by a lower temperature, which gives up
 * variety; so each way of writing is a curve over temperature, quality against variety, and two are compared where their
 * curves are equally varied (Caccia et al. 2020, "Language GANs falling short"). Every curve writes after the same prompts, so
 * that intervals are drawn over passages that belong together. Pure.
 */
import type { Interval } from '../../../shared/report.js';
import { bootstrapInterval } from './statistics.js';

/** One way of writing at one temperature: figures of each passage, always in the order of the same prompts. */
export interface CurvePoint {
  readonly temperature: number;
  /** Of the judge, over the passage. */
  readonly nats: ArrayLike<number>;
  /** That those nats are of. */
  readonly characters: ArrayLike<number>;
  /** Of each passage; higher is more varied. */
  readonly variety: ArrayLike<number>;
}

export type Curve = readonly CurvePoint[];

type Rows = ArrayLike<number>;

const at = (values: ArrayLike<number>, row: number): number => values[row] ?? NaN;

function sumOver(rows: Rows, values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < rows.length; i++) sum += at(values, rows[i] ?? 0);
  return sum;
}

/** Nats per character of some passages. */
export const natsPerCharacter = ({ nats, characters }: CurvePoint, rows: Rows): number =>
  sumOver(rows, nats) / sumOver(rows, characters);

export const meanVariety = ({ variety }: CurvePoint, rows: Rows): number => sumOver(rows, variety) / rows.length;

/** A curve's points in order of variety. */
const risingIn = (curve: Curve, rows: Rows) =>
  curve
    .map((point) => ({ variety: meanVariety(point, rows), nats: natsPerCharacter(point, rows) }))
    .sort((a, b) => a.variety - b.variety);

/** Rows 0 … count − 1. */
export const allRows = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, row) => row);

/**
 * Nats per character where the curve is as varied as `wanted`, between its two points next to it. Beyond its ends nothing is
 * guessed: null.
 */
export function natsAtVariety(curve: Curve, wanted: number, rows: Rows): number | null {
  const points = risingIn(curve, rows);
  for (const [i, high] of points.entries()) {
    if (high.variety < wanted) continue;
    if (high.variety === wanted) return high.nats;
    const low = points[i - 1];
    if (!low) return null;
    const share = (wanted - low.variety) / (high.variety - low.variety);
    return low.nats + share * (high.nats - low.nats);
  }
  return null;
}

/** The same, but from the two end points of a curve that does not quite reach: for resamples about an end. */
function natsNear(curve: Curve, wanted: number, rows: Rows): number | null {
  const inside = natsAtVariety(curve, wanted, rows);
  if (inside !== null || curve.length < 2) return inside;
  const points = risingIn(curve, rows);
  const [first, second] = wanted < (points[0]?.variety ?? NaN) ? points : points.slice(-2);
  if (!first || !second || second.variety === first.variety) return null;
  return first.nats + ((wanted - first.variety) / (second.variety - first.variety)) * (second.nats - first.nats);
}

export interface Gain {
  /** Nats per character; above 0 is better. Null where a curve does not reach the variety. */
  readonly mean: number | null;
  /** 95 %, over passages. */
  readonly interval: Interval | null;
}

/** How much better a curve is than one point of another, at that point's variety; null where it does not reach it. */
export function gainAt(base: CurvePoint, curve: Curve): number | null {
  const all = allRows(base.nats.length);
  const own = natsAtVariety(curve, meanVariety(base, all), all);
  return own === null ? null : natsPerCharacter(base, all) - own;
}

/** The same with its interval. */
export function gainOver(base: CurvePoint, curve: Curve, seed: number): Gain {
  return compared(base, seed, (rows, variety, near) => {
    const own = near(curve, variety, rows);
    return own === null ? null : natsPerCharacter(base, rows) - own;
  });
}

/** How much better one curve is than another, at a point's variety. */
export function lead(base: CurvePoint, curve: Curve, rival: Curve, seed: number): Gain {
  return compared(base, seed, (rows, variety, near) => {
    const [own, other] = [near(curve, variety, rows), near(rival, variety, rows)];
    return own === null || other === null ? null : other - own;
  });
}

type At = (curve: Curve, wanted: number, rows: Rows) => number | null;

function compared(base: CurvePoint, seed: number, of: (rows: Rows, variety: number, at: At) => number | null): Gain {
  const all = allRows(base.nats.length);
  const mean = of(all, meanVariety(base, all), natsAtVariety);
  if (mean === null) return { mean, interval: null };
  const interval = bootstrapInterval(all.length, (rows) => of(rows, meanVariety(base, rows), natsNear), { seed });
  return { mean, interval };
}
