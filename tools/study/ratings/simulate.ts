/**
 * Simulated raters, whose truth is known: does the test name a winner among equals no more often than it says, does it find
 * differences in the votes that it says, and do intervals hold the truth? Counter-based draws: a seed gives the same study.
 */
import { preference, type ScoredPair } from '../../../main/engine/judging/control.js';
import { createTest } from '../../../main/engine/judging/sequential.js';
import { POINTS, rateVersions } from '../../../main/engine/judging/versions.js';
import type { PairVote } from '../../../main/engine/judging/votes.js';
import { normals, streams, uniforms } from '../../../main/engine/rng.js';
import { mean, quantile } from '../../../main/engine/statistics/statistics.js';
import { MAX_VOTES, type Preference } from '../../../shared/judging.js';

/** Each kind of study draws from numbers of its own. */
const block = (kind: number, study: number): number => kind * 1_000_000 + study;
const draws = (seed: number, kind: number, study: number, count: number) =>
  uniforms(seed, streams.rating, block(kind, study), 0, count);

/** Looks after every one of up to MAX_VOTES votes, each for the first with probability `share`. */
function oneTest(share: number, votes: Float32Array): { readonly votes: number; readonly named: string | null } {
  const test = createTest();
  for (const draw of votes) {
    test.add(draw < share ? 'first' : 'second');
    if (test.decided !== null) break;
  }
  return { votes: test.decided === null ? Infinity : test.wins + test.losses, named: test.decided };
}

/** @returns how often a winner is named by MAX_VOTES, how often the first is, and the median of the votes it takes */
function trySharing(seed: number, kind: number, share: number, studies: number) {
  const found = Array.from({ length: studies }, (_, study) => oneTest(share, draws(seed, kind, study, MAX_VOTES)));
  return {
    stopped: found.filter(({ named }) => named !== null).length / studies,
    first: found.filter(({ named }) => named === 'first').length / studies,
    median: quantile(found.map(({ votes }) => votes), 0.5), // oxfmt-ignore
  };
}

/** Readers find the first better where a pair's own difference, and their mood, say so; close ones they call a tie. */
interface Readers {
  /** Mean and standard deviation over pairs of how much better the first is. */
  readonly better: number;
  readonly spread: number;
  /** How near to each other the two may be for a tie, in logits of the choice. */
  readonly ties: number;
}

const chances = (difference: number, ties: number) => {
  const [win, loss, tie] = [Math.exp(difference / 2), Math.exp(-difference / 2), ties];
  const all = win + loss + tie;
  return { win: win / all, loss: loss / all };
};

/** The true mean value of a pair (a tie half), over all pairs that there could be: by a sum over the normal's density. */
function truePreference({ better, spread, ties }: Readers): number {
  let [sum, weight] = [0, 0];
  for (let z = -8; z <= 8; z += 0.01) {
    const density = Math.exp(-z * z / 2); // oxfmt-ignore
    const { win, loss } = chances(better + spread * z, ties);
    sum += density * (0.5 + (win - loss) / 2);
    weight += density;
  }
  return sum / weight;
}

interface IntervalStudy {
  readonly readers: Readers;
  readonly votes: number;
  readonly pairs: number;
  /** Noise of the reward model's score of a pair, in units of the pairs' own spread; Infinity: it knows nothing. */
  readonly noise: number;
}

/** Whether each interval holds the truth, and how wide it is. */
function tryControl(seed: number, kind: number, study: number, { readers, votes, pairs, noise }: IntervalStudy) {
  const own = normals(seed, streams.rating, block(kind, study), 0, pairs);
  const wrong = normals(seed, streams.rating, block(kind, study), pairs, pairs);
  const said = draws(seed, kind, study, votes);
  const scored = [...own].map((z, at): ScoredPair => {
    const { win, loss } = chances(readers.better + readers.spread * z, readers.ties);
    const draw = said[at];
    const outcome = draw === undefined ? null : draw < win ? 'first' : draw < win + loss ? 'second' : 'tie';
    const score = Number.isFinite(noise) ? z + noise * (wrong[at] ?? 0) : (wrong[at] ?? 0);
    return { outcome, scores: [score] };
  });
  const truth = truePreference(readers);
  const judged = (found: Preference | null) => {
    if (found === null) throw new Error('no interval');
    return { holds: found.low <= truth && truth <= found.high, width: found.high - found.low };
  };
  const found = preference(scored);
  return { without: judged(found.without), with: judged(found.with) };
}

/** The versions of a project and how much better each is than the one before, in natural logarithms of odds. */
const strengths = { base_model_v1: 0, base_model_v2: 0.5, base_model_v3: 0.8, natural: 1.6 } as const;

/** Ratings above the first version's, from `votes` votes on each pair of neighbours and of the first with each. */
function tryRatings(seed: number, kind: number, study: number, votes: number): readonly boolean[] {
  const names = Object.keys(strengths) as (keyof typeof strengths)[];
  const against = names.flatMap((name, at) => {
    const others = at === 0 ? [] : [...new Set([names[at - 1] ?? name, names[0] ?? name])];
    return others.map((other) => [name, other] as const);
  });
  const said = draws(seed, kind, study, against.length * votes);
  const cast = against.flatMap(([first, second], pair) =>
    Array.from({ length: votes }, (_, at): PairVote => {
      const { win, loss } = chances(strengths[first] - strengths[second], 0.8);
      const draw = said[pair * votes + at] ?? 0;
      const outcome = draw < win ? 'first' : draw < win + loss ? 'second' : 'tie';
      return { pair: `${pair}.${at}`, first, second, outcome, rater: 'a', seconds: 5, shown_first: 'first' };
    }),
  );
  const { versions } = rateVersions(cast, names, { against: 'base_model_v1' });
  return versions.flatMap(({ version, low, high }) => {
    const truth = POINTS * strengths[version as keyof typeof strengths];
    return version === 'base_model_v1' ? [] : [low <= truth && truth <= high];
  });
}

const studied = (votes: number, better: number, noise: number): IntervalStudy => ({
  readers: { better, spread: 1.5, ties: 0.6 },
  votes,
  pairs: 400,
  noise,
});

/** What `--json` writes. */
interface RatingsStudy {
  /** Of equals, the share of studies in which a winner was ever named, looking after every vote. */
  readonly false_stop_rate: number;
  /** By the better one's true share of untied votes. */
  readonly median_votes: Readonly<Record<'0.70' | '0.65' | '0.60', number>>;
  /** Share of studies that name the better one, the lowest over these shares. */
  readonly named_right: number;
  /** Of the 95 % intervals of a preference, those that hold the truth, and the same with the reward model's scores. */
  readonly coverage: number;
  readonly coverage_with_control: number;
  /** Mean width with an informative reward model's scores over that without. */
  readonly width_ratio: number;
  /** The same where the reward model knows nothing. */
  readonly width_ratio_uninformative: number;
  /** Of the 95 % intervals of versions' ratings. */
  readonly coverage_of_ratings: number;
}

/** @param size 1: as many studies as the specification of the task asks for (10,000 of equals, 2,000 of intervals) */
export function studyRatings(seed: number, size = 1): RatingsStudy {
  const [tests, intervals] = [10_000, 2000].map((studies) => Math.round(studies * size)) as [number, number];
  const shares = ['0.70', '0.65', '0.60'] as const;
  const different = shares.map((share, at) => trySharing(seed, 1 + at, Number(share), Math.round(tests / 2)));
  const each = Array.from({ length: intervals }, (_, study) => study);
  // Few votes and many, equals and not, a reward model that sees much and one that sees less.
  const settings = [studied(60, 0, 0.5), studied(120, 0.6, 0.5), studied(60, 0.6, 1), studied(120, 0, 1)];
  const informed = each.flatMap((study) => {
    const setting = settings[study % settings.length];
    return setting ? [tryControl(seed, 5, study, setting)] : [];
  });
  const blind = each.map((study) => tryControl(seed, 6, study, studied(100, 0.3, Infinity)));
  const held = (found: readonly boolean[]) => found.filter(Boolean).length / found.length;
  const ratio = (found: typeof informed) => mean(found.map((one) => one.with.width / one.without.width));
  const [seven, sixfive, six] = different.map(({ median }) => median);
  return {
    false_stop_rate: trySharing(seed, 0, 0.5, tests).stopped,
    median_votes: { '0.70': seven ?? NaN, '0.65': sixfive ?? NaN, '0.60': six ?? NaN },
    named_right: Math.min(...different.map(({ first }) => first)),
    coverage: held(informed.map((one) => one.without.holds)),
    coverage_with_control: held([...informed, ...blind].map((one) => one.with.holds)),
    width_ratio: ratio(informed),
    width_ratio_uninformative: ratio(blind),
    coverage_of_ratings: held(each.flatMap((study) => tryRatings(seed, 7, study, 40))),
  };
}
