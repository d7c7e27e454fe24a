/**
 * Krippendorff's alpha: how far raters agree beyond chance, for any number of raters, each of whom may have judged only some
 * of the units (Krippendorff, "Content analysis", 4th edition, 2019, chapter 12). 1: always; 0: as chance would; below: less.
 */

type Level = 'nominal' | 'ordinal' | 'interval';

/** Squared differences between the values, by their places in rising order. @param totals how often each was said */
function differences(level: Level, values: readonly number[], totals: readonly number[]) {
  return (i: number, j: number): number => {
    if (i === j) return 0;
    if (level === 'nominal') return 1;
    if (level === 'interval') return ((values[i] ?? 0) - (values[j] ?? 0)) ** 2;
    const [low, high] = [Math.min(i, j), Math.max(i, j)];
    const between = totals.slice(low, high + 1).reduce((sum, total) => sum + total, 0);
    return (between - ((totals[low] ?? 0) + (totals[high] ?? 0)) / 2) ** 2;
  };
}

/**
 * @param units what was said of each unit: one value for each rater who judged it; units of one value say nothing
 * @returns null where nothing can be compared, or everybody always said the same one thing
 */
export function krippendorffAlpha(units: readonly (readonly number[])[], level: Level): number | null {
  const pairable = units.filter((said) => said.length > 1);
  const values = [...new Set(pairable.flat())].sort((a, b) => a - b);
  const places = new Map(values.map((value, at) => [value, at]));
  const counts = pairable.map((said) => {
    const row = new Array<number>(values.length).fill(0);
    for (const value of said) {
      const at = places.get(value) ?? 0;
      row[at] = (row[at] ?? 0) + 1;
    }
    return row;
  });
  const totals = values.map((_, at) => counts.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const all = totals.reduce((sum, total) => sum + total, 0);
  const difference = differences(level, values, totals);
  let [observed, expected] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    for (let j = 0; j < values.length; j++) {
      const far = difference(i, j);
      if (far === 0) continue;
      for (const [unit, row] of counts.entries()) {
        observed += (far * (row[i] ?? 0) * (row[j] ?? 0)) / ((pairable[unit]?.length ?? 0) - 1);
      }
      expected += far * (totals[i] ?? 0) * (totals[j] ?? 0);
    }
  }
  return expected === 0 ? null : 1 - ((all - 1) * observed) / expected;
}
