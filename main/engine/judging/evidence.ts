/**
 * Evidence of votes against a share p: the e-value of a beta mixture, valid after every vote.
 *
 * E(p) = ∫ x^w (1 − x)^l dBeta(x; a, a) / (p^w (1 − p)^l) after w wins and l losses. If each vote is a win with probability
 * p, E(p) is a martingale that starts at 1; by Ville's inequality (1939) it ever reaches 20 with probability at most 1/20,
 * however often one looks. Mixture: Robbins (1970). Survey: Ramdas et al., "Game-theoretic statistics and safe
 * anytime-valid inference", Statistical Science 38 (2023).
 */

/** Parameter a of the mixture Beta(a, a): sensitive to differences that 20 to 200 votes can show. */
export const MIXTURE = 5;

/** E-value that decides: two equal versions are ever called different with probability at most 1/20. */
export const DECISIVE = 20;

/** Returns a function for log(start) + log(start + 1) + … of n terms, computed once. */
function logRising(start: number): (n: number) => number {
  const sums = [0];
  return (n) => {
    for (let k = sums.length; k <= n; k++) sums.push((sums[k - 1] ?? 0) + Math.log(start + k - 1));
    return sums[n] ?? Number.NaN;
  };
}

const one = logRising(MIXTURE);
const both = logRising(2 * MIXTURE);

/** Computes k log q, with 0 log 0 = 0. */
const power = (k: number, q: number): number => (k === 0 ? 0 : k * Math.log(q));

/** Computes log E(p). @param p in [0, 1]; 1/2 means equally good */
export const logEvidence = (wins: number, losses: number, p = 0.5): number =>
  one(wins) + one(losses) - both(wins + losses) - power(wins, p) - power(losses, 1 - p);

/**
 * Computes the shares p with E(p) < 20: a 95 % confidence sequence.
 * log E is convex in p with its minimum, below 0, at the observed share, so bisection finds both ends.
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
