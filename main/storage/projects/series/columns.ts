/** Stores one logged series in memory: two typed arrays that grow. */
import { downsample, type Points } from './downsample.js';

export class Columns {
  private steps = new Float64Array(64);
  private values = new Float64Array(64);
  length = 0;

  get byteLength(): number {
    return this.steps.byteLength + this.values.byteLength;
  }

  /** Appends a point; steps never fall. NaN stands for a missing value. */
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
    return downsample({ steps: this.steps, values: this.values }, first, Math.max(first, end), points);
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
