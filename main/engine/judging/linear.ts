/** Small symmetric systems of equations, in float64: as many unknowns as versions are compared. */

export type Matrix = readonly (readonly number[])[];

const at = (values: readonly number[] | undefined, index: number): number => values?.[index] ?? Number.NaN;

/** The lower triangle L with L Lᵀ = A (Cholesky). @throws RangeError where A is not positive definite */
function cholesky(a: Matrix): number[][] {
  const lower: number[][] = [];
  for (const [i, row] of a.entries()) {
    const own: number[] = [];
    for (let j = 0; j <= i; j++) {
      const other = j === i ? own : (lower[j] ?? []);
      let rest = at(row, j);
      for (let k = 0; k < j; k++) rest -= at(own, k) * at(other, k);
      if (j < i) own.push(rest / at(other, j));
      else if (rest > 0) own.push(Math.sqrt(rest));
      else throw new RangeError('the matrix is not positive definite');
    }
    lower.push(own);
  }
  return lower;
}

/** A⁻¹ b. @param a symmetric, positive definite, shape (n, n). @throws RangeError where it is not */
export function solve(a: Matrix, b: readonly number[]): number[] {
  const lower = cholesky(a);
  const y: number[] = [];
  for (const [i, row] of lower.entries()) {
    let rest = at(b, i);
    for (let k = 0; k < i; k++) rest -= at(row, k) * at(y, k);
    y.push(rest / at(row, i));
  }
  for (let i = y.length - 1; i >= 0; i--) {
    let rest = at(y, i);
    for (let k = i + 1; k < y.length; k++) rest -= at(lower[k], i) * at(y, k);
    y[i] = rest / at(lower[i], i);
  }
  return y;
}

export const zeros = (n: number): number[][] => Array.from({ length: n }, () => new Array<number>(n).fill(0));

/** Adds value · x xᵀ, x given by its few entries that are not 0. */
export function addOuter(a: number[][], x: readonly (readonly [index: number, value: number])[], value = 1): void {
  for (const [i, u] of x) {
    const row = a[i];
    if (row) for (const [j, v] of x) row[j] = at(row, j) + value * u * v;
  }
}
