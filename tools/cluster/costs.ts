/**
 * How long a step of several ranks takes: work that is shared out, work that everybody does, and the sum of gradients, which goes
 * round a ring as TensorFlow does it (2(N − 1) turns, each with an N-th of the numbers), in parts: one is handled while
 * another travels. Pure. docs/scaling.md has the measurements.
 */

export interface Link {
  /** Bits a second from a rank to the next. */
  readonly bitsPerSecond: number;
  /** Seconds until what one rank sends begins to arrive at the next. */
  readonly latency: number;
  /** Numbers a second that a rank can copy, add up and wrap, whatever the link is and whatever they travel as. */
  readonly handledPerSecond: number;
}

interface SharedStep {
  /** Seconds of gradients that one rank would need for all batches of the step. */
  readonly gradients: number;
  /** Seconds of the update, which every rank does. */
  readonly update: number;
  /** Numbers that are summed: the trained weights. */
  readonly numbers: number;
  readonly sums: 'f32' | 'bf16';
  /** Steps that each takes by itself before weights are averaged (DiLoCo); left out: gradients are summed at every step. */
  readonly every?: number;
}

/** What travels where weights are averaged, as times the weights: they, and AdamW's two moments. */
const AVERAGED = 3;

/** What travels at a time: as small a part as this, unless there are so many of them (scripts/setup/collectives.cc). */
const PART_BYTES = 4 * 2 ** 20;
const MOST_PARTS = 16;

/** Seconds of one exchange. */
export function exchangeSeconds(
  ranks: number,
  { numbers, sums }: Pick<SharedStep, 'numbers' | 'sums'>,
  { bitsPerSecond, latency, handledPerSecond }: Link,
): number {
  if (ranks === 1) return 0;
  const turns = 2 * (ranks - 1);
  const bytes = numbers * (sums === 'bf16' ? 2 : 4);
  const travelling = ((turns / ranks) * bytes * 8) / bitsPerSecond;
  const handling = numbers / handledPerSecond;
  const parts = Math.min(MOST_PARTS, Math.ceil(bytes / ranks / PART_BYTES));
  return Math.max(travelling, handling) + Math.min(travelling, handling) / parts + turns * latency;
}

/** Seconds of one step; where weights are averaged only after several, in the mean of these. */
export function stepSeconds(ranks: number, step: SharedStep, link: Link): number {
  const { gradients, update, numbers, sums, every = 1 } = step;
  const travels = every > 1 ? AVERAGED * numbers : numbers;
  return gradients / ranks + update + exchangeSeconds(ranks, { numbers: travels, sums }, link) / every;
}

/** The most ranks, of at most `passages`, that each do at least half of what one alone does in the same time: more do not pay. */
export function ranksThatPay(step: SharedStep, link: Link, passages: number): number {
  const alone = stepSeconds(1, step, link);
  let most = 1;
  for (let ranks = 2; ranks <= passages; ranks += 1)
    if (ranks * stepSeconds(ranks, step, link) <= 2 * alone) most = ranks;
  return most;
}
