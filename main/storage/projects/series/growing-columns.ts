/**
 * A series in memory that grows at its end. Beyond so many points it is folded: of every four the lowest and the highest stay,
 * so that a chart of all of it looks the same, and a run of a million steps takes no more memory than one of a hundred thousand.
 */
import { downsample, type Columns, type Points } from './downsample.js';

/** Points that are kept, sixteen bytes each, at most. */
export const MOST_KEPT = 1 << 16;

export class GrowingColumns {
  private steps = new Float64Array(64);
  private values = new Float64Array(64);
  private length = 0;
  private folds = 0;
  /** Of the last points, how many are not thinned yet. */
  private fresh = 0;
  /** How many points it was given. */
  known = 0;

  /** @param whole it is never folded */
  constructor(private readonly whole: boolean) {}

  get byteLength(): number {
    return this.steps.byteLength + this.values.byteLength;
  }

  push(step: number, value: number): void {
    if (this.length === MOST_KEPT && !this.whole) this.fold();
    if (this.length === this.steps.length) {
      this.steps = grown(this.steps);
      this.values = grown(this.values);
    }
    this.steps[this.length] = step;
    this.values[this.length] = value;
    this.length += 1;
    this.known += 1;
    if (this.folds === 0) return;
    // What comes after a fold is thinned as what came before, so that every stretch has as many points.
    this.fresh += 1;
    if (this.fresh === 2 << this.folds) {
      this.thin(this.length - this.fresh, this.length, 2);
      this.fresh = 0;
    }
  }

  /**
   * At most `points` of the points between two steps, ends included; null where it would take points that are not kept.
   * @param points at least 4
   */
  window(from: number, to: number, points: number): Points | null {
    const first = this.firstAt((step) => step >= from);
    const end = Math.max(
      first,
      this.firstAt((step) => step > to),
    );
    // Twice as many are kept as are shown: the lowest and highest of a stretch are those of all of its points.
    if (this.folds > 0 && end - first < 2 * points) return null;
    return downsample({ steps: this.steps, values: this.values }, first, end, points);
  }

  /** Its value at a step, the last where it has several; null where it has none. Between points that are kept it is a line. */
  at(step: number): number | null {
    const next = this.firstAt((other) => other > step);
    const [before, after] = [this.steps[next - 1], this.steps[next]];
    const value = Number(this.values[next - 1]);
    if (before === step) return value;
    if (this.folds === 0 || next === 0 || next >= this.length || before === undefined || after === undefined)
      return null;
    return value + ((Number(this.values[next]) - value) * (step - before)) / (after - before);
  }

  /** The first and the last step whose value lies within; its values never fall. */
  stepsWithin(from: number, to: number): readonly [number, number] {
    const first = this.firstAt((value) => value >= from, this.values);
    const last = this.firstAt((value) => value > to, this.values) - 1;
    return first > last ? [Infinity, -Infinity] : [Number(this.steps[first]), Number(this.steps[last])];
  }

  private fold(): void {
    const kept = this.length - this.fresh;
    this.thin(0, kept, kept / 2);
    this.folds += 1;
  }

  /** Of the points [first, end) so many stay: their lowest and highest values. What comes after them moves up. */
  private thin(first: number, end: number, points: number): void {
    const columns = { steps: this.steps, values: this.values };
    const found = points > 2 ? downsample(columns, first, end, points) : endsOfRange(columns, first, end);
    const moved = first + found.steps.length;
    found.steps.forEach((step, at) => {
      this.steps[first + at] = step;
      this.values[first + at] = found.values[at] ?? NaN;
    });
    this.steps.copyWithin(moved, end, this.length);
    this.values.copyWithin(moved, end, this.length);
    this.length -= end - moved;
  }

  /** Where the steps begin for which `is` holds; steps never fall. */
  private firstAt(is: (step: number) => boolean, column = this.steps): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (is(Number(column[middle]))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** The lowest and the highest, in their order; the first where none is finite. */
function endsOfRange({ steps, values }: Columns, first: number, end: number): Points {
  let [low, high] = [first, first];
  for (let at = first + 1; at < end; at++) {
    const value = Number(values[at]);
    if (!Number.isFinite(value)) continue;
    if (!(value >= Number(values[low]))) low = at;
    if (!(value <= Number(values[high]))) high = at;
  }
  const kept = low === high ? [low] : [Math.min(low, high), Math.max(low, high)];
  return { steps: kept.map((at) => Number(steps[at])), values: kept.map((at) => Number(values[at])) };
}

function grown(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}
