/** Reduces a series by min-max decimation, so that its chart looks the same. */

export interface Points {
  readonly steps: number[];
  /** null where a value was no finite number. */
  readonly values: (number | null)[];
}

/** Columns of a series in file order; NaN stands for null. */
export interface Columns {
  readonly steps: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Reduces points [first, end) to at most `points` (4 or more), keeping extremes and one null for a gap. */
export function downsample({ steps, values }: Columns, first: number, end: number, points: number): Points {
  const result: Points = { steps: [], values: [] };
  const keep = (index: number) => {
    const value = Number(values[index]);
    result.steps.push(Number(steps[index]));
    result.values.push(Number.isFinite(value) ? value : null);
  };
  const count = end - first;
  if (count <= points) {
    for (let index = first; index < end; index++) keep(index);
    return result;
  }
  // Two points for each stretch between the first point and the last.
  const stretches = Math.max(1, Math.floor((points - 2) / 2));
  const inner = count - 2;
  keep(first);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = first + 1 + Math.floor((stretch * inner) / stretches);
    const to = first + 1 + Math.floor(((stretch + 1) * inner) / stretches);
    let [low, high] = [-1, -1];
    let [lowest, highest] = [Infinity, -Infinity];
    for (let index = from; index < to; index++) {
      const value = Number(values[index]);
      if (!Number.isFinite(value)) continue;
      if (value < lowest) [low, lowest] = [index, value];
      if (value > highest) [high, highest] = [index, value];
    }
    if (low < 0) keep(from);
    else {
      keep(Math.min(low, high));
      if (low !== high) keep(Math.max(low, high));
    }
  }
  keep(end - 1);
  return result;
}
