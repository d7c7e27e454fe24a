/**
 * The posterior over the crossover point K, at which a passage stops being natural, from evidence for each token.
 *
 * A passage of N tokens is natural up to K and generated from there, K uniform in [1, N − 1]. With r the probability of
 * a token under natural text (estimated by a critic) and q under the generator, up to a constant
 *
 *     log p(x | K) = Σ_{1 ≤ t < K} e_t,   e_t = log r(x_t | x_<t) − log q(x_t | x_<t)
 *
 * so P(K | x) is a softmax over running sums of the evidence, and E[K/N | x] is the fraction that the specification's reward
 * model predicts. `scale` multiplies the evidence (one over a temperature), as a critic is only an estimate. Everything is
 * float64 and in logarithms. Evidence has rows of N; the first of each is unused, as the first token is always natural.
 */

/** Computes E[K/N | x] of one passage. */
export function naturalFraction(evidence: ArrayLike<number>, scale: number): number {
  const N = evidence.length;
  const posterior = createPosterior();
  let sum = 0;
  for (let K = 1; K < N; K++) {
    if (K > 1) sum += scale * (evidence[K - 1] ?? NaN);
    posterior.add(sum, 1, K);
  }
  return posterior.mean() / N;
}

/** Computes E[min(K, n)/n | x_<n] for each prefix of n = 1 … N tokens; the last is `naturalFraction`. (N) */
export function naturalFractions(evidence: ArrayLike<number>, scale: number): Float64Array {
  const N = evidence.length;
  const fractions = new Float64Array(N);
  const before = createPosterior(); // crossovers inside the prefix
  let sum = 0; // of the evidence of all its tokens
  for (let n = 1; n <= N; n++) {
    if (n > 1) {
      before.add(sum, 1, n - 1);
      sum += scale * (evidence[n - 1] ?? NaN);
    }
    const whole = before.copy();
    // Later crossovers leave the whole prefix natural.
    if (n < N) whole.add(sum, N - n, n);
    fractions[n - 1] = whole.mean() / n;
  }
  return fractions;
}

/** Accumulates a weighted mean, with weights as logarithms of any size. */
function createPosterior(largest = -Infinity, weight = 0, total = 0) {
  return {
    /** Adds `times` equal values with this log weight. */
    add(logWeight: number, times: number, value: number) {
      if (logWeight > largest) {
        const shrink = Math.exp(largest - logWeight);
        weight *= shrink;
        total *= shrink;
        largest = logWeight;
      }
      const share = times * Math.exp(logWeight - largest);
      weight += share;
      total += share * value;
    },
    mean: () => total / weight,
    copy: () => createPosterior(largest, weight, total),
  };
}

/** Beyond this scale the slightest evidence would be certainty. */
const MAX_SCALE = 64;
const BISECTIONS = 40;

/**
 * Fits the scale under which the true crossovers are likeliest; 0 if the evidence points the wrong way. The logarithm of their
 * posterior is concave in the scale, so its derivative is bisected.
 * @param evidence (samples, N), row by row
 * @param crossovers K of each sample
 */
export function fitEvidenceScale(evidence: Float32Array, crossovers: ArrayLike<number>): number {
  const samples = crossovers.length;
  const N = evidence.length / samples;
  // Running sums of each row: sums[K − 1] is the evidence for K, before scaling.
  const sums = new Float64Array(samples * (N - 1));
  for (let row = 0; row < samples; row++) {
    let sum = 0;
    for (let K = 1; K < N; K++) {
      if (K > 1) sum += evidence[row * N + K - 1] ?? NaN;
      sums[row * (N - 1) + K - 1] = sum;
    }
  }
  /** Σ over samples of the evidence for the true K, minus its expectation. */
  const slope = (scale: number): number => {
    let total = 0;
    for (let row = 0; row < samples; row++) {
      const posterior = createPosterior();
      for (let i = row * (N - 1); i < (row + 1) * (N - 1); i++)
        posterior.add(scale * (sums[i] ?? NaN), 1, sums[i] ?? NaN);
      total += (sums[row * (N - 1) + (crossovers[row] ?? NaN) - 1] ?? NaN) - posterior.mean();
    }
    return total;
  };
  if (!(slope(0) > 0)) return 0;
  let [low, high] = [0, 1];
  while (slope(high) > 0 && high < MAX_SCALE) [low, high] = [high, high * 2];
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (low + high) / 2;
    if (slope(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Returns K of each sample from the specification's targets. @param y (samples, 2): [K/N, (N − K)/N] */
export function crossoversOf(y: Float32Array, blockSize: number): Int32Array {
  return Int32Array.from({ length: y.length / 2 }, (_, row) => Math.round((y[row * 2] ?? NaN) * blockSize));
}
