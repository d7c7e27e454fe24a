/**
 * Strengths of versions from votes on pairs of them, by maximum likelihood.
 *
 * `davidson` (Davidson 1970): the first, the second and neither are preferred in the proportions √(πᵢ/πⱼ) : √(πⱼ/πᵢ) : ν,
 * with strengths log π and one number log ν for how readily neither is. `bradley_terry` (Bradley & Terry 1952): the first is
 * preferred with probability πᵢ/(πᵢ + πⱼ), and a tie is half a vote for each. Both likelihoods are concave: Newton's method
 * finds the one maximum.
 */
import { addOuter, solve, zeros, type Matrix } from './linear.js';

export type StrengthModel = 'davidson' | 'bradley_terry';

/** Votes that say the same, or one vote: of versions by their place, 1 for the first, 0 for the second, 0.5 for neither. */
export interface Ballot {
  readonly first: number;
  readonly second: number;
  readonly outcome: 0 | 0.5 | 1;
  /** How many. */
  readonly count: number;
  /** Ballots with the same one are not independent (the same prompt); without one, each vote is. */
  readonly cluster?: string;
}

interface StrengthOptions {
  readonly model: StrengthModel;
  /**
   * Standard deviation of the normal prior on log π (and, about a tie in three votes, on log ν), in natural
   * logarithms; null: none, and then a version that was never preferred is infinitely weak.
   */
  readonly prior: number | null;
}

/** log π of each version, their mean 0 (and for `davidson`, after them, log ν). */
export type Strengths = readonly number[];

/** With √(πᵢ/πⱼ) = 1 this log ν makes ties a third of all votes. */
const TYPICAL_TIES = 0;

/** What one ballot says: the probabilities' derivatives by d = log πᵢ − log πⱼ and by t = log ν. */
interface Slopes {
  readonly d: number;
  readonly t: number;
  readonly dd: number;
  readonly dt: number;
  readonly tt: number;
}

function slopes(model: StrengthModel, difference: number, ties: number, outcome: number): Slopes {
  if (model === 'bradley_terry') {
    const p = 1 / (1 + Math.exp(-difference));
    return { d: outcome - p, t: 0, dd: p * (1 - p), dt: 0, tt: 0 };
  }
  // A softmax of (d/2, −d/2, t), its largest taken off.
  const largest = Math.max(Math.abs(difference) / 2, ties);
  const [win, loss, tie] = [difference / 2 - largest, -difference / 2 - largest, ties - largest].map(Math.exp) as [
    number,
    number,
    number,
  ];
  const all = win + loss + tie;
  const [p, q, r] = [win / all, loss / all, tie / all];
  const lean = (p - q) / 2;
  return {
    d: outcome - 0.5 - lean,
    t: (outcome === 0.5 ? 1 : 0) - r,
    dd: (p + q) / 4 - lean * lean,
    dt: -lean * r,
    tt: r * (1 - r),
  };
}

const unknowns = (versions: number, { model }: StrengthOptions): number => versions + (model === 'davidson' ? 1 : 0);
const get = (values: readonly number[], at: number): number => values[at] ?? Number.NaN;

/** The ballot's gradient: its few entries that are not 0. */
function scoreOf(ballot: Ballot, strengths: Strengths, versions: number, model: StrengthModel) {
  const difference = get(strengths, ballot.first) - get(strengths, ballot.second);
  const found = slopes(model, difference, model === 'davidson' ? get(strengths, versions) : 0, ballot.outcome);
  const entries: (readonly [number, number])[] = [
    [ballot.first, found.d],
    [ballot.second, -found.d],
  ];
  if (model === 'davidson') entries.push([versions, found.t]);
  return { found, entries };
}

/** Gradient of the log posterior and minus its second derivatives (with what fixes the mean of the strengths). */
function derivatives(ballots: readonly Ballot[], versions: number, options: StrengthOptions, strengths: Strengths) {
  const size = unknowns(versions, options);
  const gradient = new Array<number>(size).fill(0);
  const information = zeros(size);
  const add = (i: number, j: number, value: number) => {
    const row = information[i];
    if (row) row[j] = get(row, j) + value;
  };
  for (const ballot of ballots) {
    const { found, entries } = scoreOf(ballot, strengths, versions, options.model);
    for (const [i, value] of entries) gradient[i] = get(gradient, i) + ballot.count * value;
    const [i, j] = [ballot.first, ballot.second];
    addOuter(information, [[i, 1], [j, -1]], ballot.count * found.dd); // oxfmt-ignore
    if (options.model === 'bradley_terry') continue;
    for (const [version, sign] of [
      [i, 1],
      [j, -1],
    ] as const) {
      // oxfmt-ignore
      add(version, versions, sign * ballot.count * found.dt);
      add(versions, version, sign * ballot.count * found.dt);
    }
    add(versions, versions, ballot.count * found.tt);
  }
  if (options.prior !== null) {
    const precision = 1 / options.prior ** 2;
    for (let i = 0; i < size; i++) {
      add(i, i, precision);
      gradient[i] = get(gradient, i) - precision * (get(strengths, i) - (i === versions ? TYPICAL_TIES : 0));
    }
  }
  return { gradient, information };
}

/** The likelihood does not change when all strengths do by the same: this direction is held, its gradient being 0. */
function held(information: Matrix, versions: number): Matrix {
  return information.map((row, i) => row.map((value, j) => value + (i < versions && j < versions ? 1 / versions : 0)));
}

/**
 * @param versions how many there are
 * @param from where to begin, such as a fit to almost the same votes
 * @throws RangeError where, without a prior, the votes have no finite maximum
 */
export function fitStrengths(
  ballots: readonly Ballot[],
  versions: number,
  options: StrengthOptions,
  from: Strengths = new Array<number>(unknowns(versions, options)).fill(0),
): Strengths {
  let strengths = from;
  for (let step = 0; step < 200; step++) {
    const { gradient, information } = derivatives(ballots, versions, options, strengths);
    const move = solve(held(information, versions), gradient);
    const farthest = Math.max(...move.map(Math.abs));
    // No further than the quadratic that it maximizes can be trusted.
    const scale = Math.min(1, 2 / Math.max(farthest, 1e-300));
    strengths = strengths.map((value, i) => value + scale * get(move, i));
    // Newton's steps end in their square: what is left is rounding.
    if (farthest < 1e-10) return strengths;
  }
  throw new RangeError('the votes have no most likely strengths');
}

/**
 * What a fit is uncertain by. `sandwich` is A⁻¹ B Aᵀ⁻¹ (Huber 1967; White 1982), with A minus the second derivatives and B the
 * sum over clusters of the squared gradients: true also where the model is not. `model` is A⁻¹.
 * @param ridge added to the diagonal of A
 * @returns variances of xᵀ strengths for any x whose first entries (of versions) sum to 0
 */
export function uncertaintyOf(
  ballots: readonly Ballot[],
  versions: number,
  options: StrengthOptions,
  strengths: Strengths,
  ridge = 0,
): { sandwich(x: readonly number[]): number; model(x: readonly number[]): number } {
  const { information } = derivatives(ballots, versions, options, strengths);
  const a = held(information, versions).map((row, i) => row.map((value, j) => (i === j ? value + ridge : value)));
  const b = zeros(unknowns(versions, options));
  const clusters = new Map<string, Map<number, number>>();
  for (const ballot of ballots) {
    const { entries } = scoreOf(ballot, strengths, versions, options.model);
    if (ballot.cluster === undefined) addOuter(b, entries, ballot.count);
    else {
      const sum = clusters.get(ballot.cluster) ?? new Map<number, number>();
      for (const [i, value] of entries) sum.set(i, (sum.get(i) ?? 0) + ballot.count * value);
      clusters.set(ballot.cluster, sum);
    }
  }
  for (const sum of clusters.values()) addOuter(b, [...sum]);
  const quadratic = (x: readonly number[], m: Matrix) =>
    m.reduce((all, row, i) => all + get(x, i) * row.reduce((sum, value, j) => sum + value * get(x, j), 0), 0);
  return {
    sandwich: (x) => quadratic(solve(a, x), b),
    model: (x) => solve(a, x).reduce((sum, value, i) => sum + value * get(x, i), 0),
  };
}
