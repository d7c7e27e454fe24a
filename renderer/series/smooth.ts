/**
 * Smooths charts with an exponential moving average that is unbiased from its first value and handles uneven steps. It
 * is drawn over the raw values, so that extremes stay visible. Pure.
 */

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
