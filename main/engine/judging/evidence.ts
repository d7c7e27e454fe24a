/**
 * How strongly votes speak against a share p of them: the e-value of a beta mixture, which may be looked at after every
 * vote. E(p) = ∫ x^w (1 − x)^l dBeta(x; a, a) / (p^w (1 − p)^l). If every vote is for the first with probability p,
 * E(p) is a martingale that begins at 1, and by Ville's inequality (1939) it ever reaches 20 with a probability of at most
 * 1/20, however often one looks and whenever one stops. The mixture: Robbins (1970); as a test: Ramdas et al., "Game-
 * theoretic statistics and safe anytime-valid inference", Statistical Science 38 (2023).
 */

/** a of the mixture Beta(a, a): it looks for differences of the size that 20 to 200 votes can show. */
export const MIXTURE = 5;

/** Evidence that decides: 1/20 is the probability of ever being wrong about two that are equal. */
export const DECISIVE = 20;

/** Sums of log(start + 0) … log(start + n − 1), made as far as they are asked for. */
function logRising(start: number): (n: number) => number {
  const sums = [0];
  return (n) => {
    for (let k = sums.length; k <= n; k++) sums.push((sums[k - 1] ?? 0) + Math.log(start + k - 1));
    return sums[n] ?? Number.NaN;
  };
}

const one = logRising(MIXTURE);
const both = logRising(2 * MIXTURE);

/** log ∫ x^w (1 − x)^l dBeta(x; a, a) = log B(a + w, a + l) / B(a, a). @param wins, losses whole numbers from 0 */
const logMixture = (wins: number, losses: number): number => one(wins) + one(losses) - both(wins + losses);

/** k log q, where nothing happened 0. */
const power = (k: number, q: number): number => (k === 0 ? 0 : k * Math.log(q));

/** log E(p). @param p in [0, 1]; 1/2 is "as good as each other" */
export const logEvidence = (wins: number, losses: number, p = 0.5): number =>
  logMixture(wins, losses) - power(wins, p) - power(losses, 1 - p);

/**
 * The shares that the votes do not speak against: those with E(p) < 20. In p, log E is convex with its minimum, below 0, at
 * the share itself; the ends are found by bisection.
 * @returns low and high in [0, 1]; all of it without votes
 */
export function shareInterval(wins: number, losses: number): { readonly low: number; readonly high: number } {
  const share = wins + losses === 0 ? 0.5 : wins / (wins + losses);
  const decisive = Math.log(DECISIVE);
  const end = (outer: number): number => {
    let [inside, outside] = [share, outer];
    if (logEvidence(wins, losses, outside) < decisive) return outer;
    for (let round = 0; round < 60; round++) {
      const middle = (inside + outside) / 2;
      if (logEvidence(wins, losses, middle) < decisive) inside = middle;
      else outside = middle;
    }
    return outside;
  };
  return { low: end(0), high: end(1) };
}
