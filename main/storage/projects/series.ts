/** Stores one logged series in memory, and reduces windows of it by min-max decimation, so that its chart looks the same. */

export interface Points {
  readonly steps: number[];
  /** null where a value was no finite number. */
  readonly values: (number | null)[];
}

/** Two typed arrays that grow. */
export class Series {
  private steps = new Float64Array(64);
  private values = new Float64Array(64);
  length = 0;

  get byteLength(): number {
    return this.steps.byteLength + this.values.byteLength;
  }

  /** Appends a point; steps never fall. NaN is a missing value. */
  push(step: number, value: number): void {
    if (this.length === this.steps.length) {
      this.steps = grown(this.steps);
      this.values = grown(this.values);
    }
    this.steps[this.length] = step;
    this.values[this.length] = value;
    this.length += 1;
  }

  /** Returns at most `points` of the points between two steps, ends included. @param points at least 4 */
  window(from: number, to: number, points: number): Points {
    const first = this.firstAt((step) => step >= from);
    const end = this.firstAt((step) => step > to);
    return downsample(this.steps, this.values, first, Math.max(first, end), points);
  }

  /** Returns its value at a step, the last if there are several; null if there is none. */
  at(step: number): number | null {
    const next = this.firstAt((other) => other > step);
    return this.steps[next - 1] === step ? Number(this.values[next - 1]) : null;
  }

  /** Returns the first and the last step whose value lies within; its values must never fall. */
  stepsWithin(from: number, to: number): readonly [number, number] {
    const first = this.firstAt((value) => value >= from, this.values);
    const last = this.firstAt((value) => value > to, this.values) - 1;
    return first > last ? [Infinity, -Infinity] : [Number(this.steps[first]), Number(this.steps[last])];
  }

  /** Finds the first index for which `holds` is true, by bisection. */
  private firstAt(holds: (value: number) => boolean, column = this.steps): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(Number(column[middle]))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function grown(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** Reduces points [first, end) to at most `points` (4 or more), preserving extremes and one null for a gap. */
export function downsample(
  steps: ArrayLike<number>,
  values: ArrayLike<number>,
  first: number,
  end: number,
  points: number,
): Points {
  const result: Points = { steps: [], values: [] };
  const add = (index: number) => {
    const value = Number(values[index]);
    result.steps.push(Number(steps[index]));
    result.values.push(Number.isFinite(value) ? value : null);
  };
  const count = end - first;
  if (count <= points) {
    for (let index = first; index < end; index++) add(index);
    return result;
  }
  // Two points for each bin between the first point and the last.
  const bins = Math.max(1, Math.floor((points - 2) / 2));
  const inner = count - 2;
  add(first);
  for (let bin = 0; bin < bins; bin++) {
    const from = first + 1 + Math.floor((bin * inner) / bins);
    const to = first + 1 + Math.floor(((bin + 1) * inner) / bins);
    let [low, high] = [-1, -1];
    let [lowest, highest] = [Infinity, -Infinity];
    for (let index = from; index < to; index++) {
      const value = Number(values[index]);
      if (!Number.isFinite(value)) continue;
      if (value < lowest) [low, lowest] = [index, value];
      if (value > highest) [high, highest] = [index, value];
    }
    for (const index of low < 0 ? [from] : new Set([Math.min(low, high), Math.max(low, high)])) add(index);
  }
  add(end - 1);
  return result;
}
