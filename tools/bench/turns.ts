/**
 * Who runs when. Contenders take turns, one repeat each, so that whatever else the machine does falls on all of them
 * alike. A slow contender has fewer repeats than the others, spread evenly over the same time. Pure.
 */

/** How often a contender is measured when one repeat takes `milliseconds`: within the budget, at least `least` times. */
export function repeatsWithin(
  milliseconds: number,
  limits: { readonly most: number; readonly least: number; readonly budgetMs: number },
): number {
  const affordable = Math.floor(limits.budgetMs / Math.max(milliseconds, 1e-3));
  return Math.max(Math.min(limits.least, limits.most), Math.min(limits.most, affordable));
}

/**
 * The order of all repeats: contender numbers, round by round. Every contender `i` occurs `counts[i]` times, and each
 * round begins with another one, so that nobody always follows the same neighbour.
 */
export function turns(counts: readonly number[]): number[] {
  const rounds = Math.max(0, ...counts);
  const order: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < counts.length; place++) {
      const contender = (place + round) % counts.length;
      const count = counts[contender] ?? 0;
      // The same share of its repeats as of the rounds is due.
      const before = Math.floor((round * count) / rounds);
      const after = Math.floor(((round + 1) * count) / rounds);
      if (after > before) order.push(contender);
    }
  }
  return order;
}
