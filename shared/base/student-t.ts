/** Student's t, for intervals of a mean: the engine's reports and the page's tables have them from this one place. */

/** 97.5 % quantile of Student's t (Fisher & Cornish 1960 from 3 degrees of freedom on, within 0.2 %). */
export function studentT975(degreesOfFreedom: number): number {
  const v = degreesOfFreedom;
  if (v === 1) return Math.tan(Math.PI * 0.475);
  if (v === 2) return 0.95 * Math.sqrt(2 / (1 - 0.95 ** 2));
  const z = 1.959963984540054;
  return (
    z +
    (z ** 3 + z) / (4 * v) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3) +
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * v ** 4)
  );
}
