/** A project with votes of every kind, for tests of the report and its files. */
import type { judgingReport } from '../../../main/engine/judging/report.js';
import type { BoundaryVote, PairVote } from '../../../main/engine/judging/votes.js';
import { streams, uniforms } from '../../../main/engine/rng.js';
import type { PairOutcome } from '../../../shared/judging.js';

/** Votes on different pairs of new and old. w: new, l: old, t: tie, b: both bad. */
export const votesOf = (letters: string, first = 'new', second = 'old'): PairVote[] =>
  [...letters].map((letter, at) => ({
    pair: `${first} ${second} ${at}`,
    first,
    second,
    outcome: ({ w: 'first', l: 'second', t: 'tie', b: 'both_bad' } as Record<string, PairOutcome>)[letter] ?? 'tie',
    rater: 'ann',
    seconds: 5,
    shown_first: at % 2 === 0 ? 'first' : 'second',
  }));

const versions = ['natural', 'base_model_v1', 'base_model_v2', 'base_model_v3'];

/** Each version against the previous one, 40 pairs; one in ten is repeated and rated by a second person. */
export function judgedProject(rater = 'ann'): Parameters<typeof judgingReport>[0] {
  const winRates = [0.1, 0.9, 0.1];
  const votes = versions.slice(1).flatMap((first, kind) => {
    const draws = uniforms(9, streams.rating, kind, 0, 40);
    const letters = Array.from(draws, (draw, at) => (at % 9 === 0 ? 't' : draw < (winRates[kind] ?? 0) ? 'w' : 'l'));
    return votesOf(letters.join(''), first, versions[kind]).flatMap((vote, at): PairVote[] => {
      const own = { ...vote, rater };
      if (at % 10 !== 0) return [own];
      return [own, { ...own, pair: `${vote.pair} again`, repeat_of: vote.pair }, { ...own, rater: 'ben' }];
    });
  });
  const boundary = Array.from({ length: 12 }, (_, at): BoundaryVote => {
    const truth = at % 4 === 0 ? null : 5 + at;
    const said = truth === null || at % 3 === 0 ? truth : truth + 3;
    return { passage: `b${at}`, source: 'base_model_v3', said, truth, words: 30, rater, seconds: 12 };
  });
  return {
    project: 'My book',
    made_at: '2026-11-23T04:00:00.000Z',
    verisim: '0.1.0',
    versions,
    votes,
    boundary,
    ignored: 7,
    writing: versions.map((version, at) => ({
      version,
      reward: at === 0 ? null : 0.3 + at / 10,
      copied_share: 0.01 * at,
      distinct_2: 0.9,
    })),
    reward_change: { low: 0.05, high: 0.15 },
  };
}
