/** A small classifier of texts: logistic regression on tf-idf of n-grams. Deterministic and pure. */

/** Splits a text into the n-grams that a classifier counts. */
export type Grams = (text: string) => readonly string[];

export const characterGrams: Grams = (text) => gramsOf(Array.from(text.toLowerCase()), [2, 3, 4], '');
export const wordGrams: Grams = (text) => gramsOf(text.toLowerCase().match(/[\p{L}\p{N}’']+/gu) ?? [], [1, 2], ' ');

const gramsOf = (units: readonly string[], sizes: readonly number[], separator: string): string[] =>
  sizes.flatMap((size) =>
    Array.from({ length: Math.max(0, units.length - size + 1) }, (_, at) => units.slice(at, at + size).join(separator)),
  );

/** Weights of n-grams in a text, of length 1 as a vector; the last is the constant of the bias. */
interface Features {
  readonly ids: readonly number[];
  readonly values: readonly number[];
}

/** The strength of the penalty on weights is 1/C, as scikit-learn's C. */
const C = 10;
const ITERATIONS = 200;
/** Half the inverse of the loss's curvature, at most 1/2 for vectors of length √2. */
const RATE = 1.9;

/** @returns a function of a text; above 0 it belongs to the first kind rather than to the second */
export function trainClassifier(
  grams: Grams,
  first: readonly string[],
  second: readonly string[],
): (text: string) => number {
  const counted = [...first, ...second].map((text) => countsOf(grams(text)));
  const inTexts = new Map<string, number>();
  for (const counts of counted) for (const gram of counts.keys()) inTexts.set(gram, (inTexts.get(gram) ?? 0) + 1);
  const known = new Map<string, { readonly id: number; readonly rarity: number }>();
  for (const [gram, texts] of inTexts) {
    // One text's own n-grams say nothing of others.
    if (texts > 1) known.set(gram, { id: known.size, rarity: Math.log((1 + counted.length) / (1 + texts)) + 1 });
  }
  const featuresOf = (counts: ReadonlyMap<string, number>): Features => {
    const [ids, values]: [number[], number[]] = [[], []];
    let squares = 0;
    for (const [gram, count] of counts) {
      const found = known.get(gram);
      if (!found) continue;
      const value = (1 + Math.log(count)) * found.rarity;
      ids.push(found.id);
      values.push(value);
      squares += value * value;
    }
    const norm = Math.sqrt(squares) || 1;
    return { ids: [...ids, known.size], values: [...values.map((value) => value / norm), 1] };
  };
  const weights = fit(counted.map(featuresOf), first.length, known.size + 1);
  return (text) => scoreOf(weights, featuresOf(countsOf(grams(text))));
}

function countsOf(grams: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const gram of grams) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  return counts;
}

function scoreOf(weights: Float64Array, { ids, values }: Features): number {
  let score = 0;
  for (let i = 0; i < ids.length; i++) score += (weights[ids[i] ?? 0] ?? 0) * (values[i] ?? 0);
  return score;
}

/** Accelerated gradient descent (Nesterov 1983); both kinds weigh the same. @param positives rows of the first kind, which come first */
function fit(rows: readonly Features[], positives: number, width: number): Float64Array {
  const penalty = 1 / (C * rows.length);
  let weights = new Float64Array(width);
  let ahead = weights;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const step = ahead.slice();
    // The bias, the last, is not penalised.
    for (let i = 0; i < width - 1; i++) step[i] = (step[i] ?? 0) * (1 - RATE * penalty);
    rows.forEach((row, at) => {
      const isFirst = at < positives;
      const share = 0.5 / (isFirst ? positives : rows.length - positives);
      const slope = 1 / (1 + Math.exp(-scoreOf(ahead, row))) - (isFirst ? 1 : 0);
      for (let i = 0; i < row.ids.length; i++) {
        const id = row.ids[i] ?? 0;
        step[id] = (step[id] ?? 0) - RATE * share * slope * (row.values[i] ?? 0);
      }
    });
    const momentum = iteration / (iteration + 3);
    const last = weights;
    ahead = step.map((value, i) => value + momentum * (value - (last[i] ?? 0)));
    weights = step;
  }
  return weights;
}

/** The probability that a value of the first kind is above one of the second; ties count half. NaN without values. */
export function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  let above = 0;
  for (const a of first) for (const b of second) above += a > b ? 1 : a === b ? 0.5 : 0;
  return above / (first.length * second.length);
}
