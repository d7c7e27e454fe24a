/** A project that people have judged in every way: what tests of the report and of its files are made from. */
import type { JudgingInput, JudgedPair } from '../../../main/engine/judging/report.js';
import { methodsParagraph } from '../../../main/formats/ratings/methods.js';
import type { BoundaryVote, PairVote } from '../../../main/engine/judging/votes.js';
import { normals, streams, uniforms } from '../../../main/engine/rng.js';

const versions = ['natural', 'base_model_v1', 'base_model_v2', 'base_model_v3'];
const strength: Readonly<Record<string, number>> = {
  natural: 3,
  base_model_v1: 0,
  base_model_v2: 1.2,
  base_model_v3: 0.2,
};

/** Pairs of each version with the one before it, 60 prompts; the first 40 are voted on, some by two, some repeated. */
export function judgedProject(rater = 'ann'): JudgingInput {
  const pairs: JudgedPair[] = [];
  const votes: PairVote[] = [];
  for (const [kind, first] of versions.slice(1).entries()) {
    const second = versions[kind] ?? '';
    const draws = uniforms(9, streams.rating, kind, 0, 200);
    const noise = normals(9, streams.rating, kind, 0, 120);
    for (let at = 0; at < 60; at++) {
      const pair = `${kind}-${at}`;
      const better = (strength[first] ?? 0) - (strength[second] ?? 0) + (noise[at] ?? 0);
      pairs.push({ pair, first, second, scores: { reward_model_v3: { first: better, second: noise[at + 60] ?? 0 } } });
      if (at >= 40) continue;
      const draw = draws[at] ?? 0;
      const outcome = draw < 0.1 ? 'tie' : draw < 0.12 ? 'both_bad' : better > 0 ? 'first' : 'second';
      const shown_first = at % 2 === 0 ? 'first' : 'second';
      const vote: PairVote = {
        pair,
        prompt: `p${at}`,
        first,
        second,
        outcome,
        rater,
        seconds: 5 + at / 10,
        shown_first,
      };
      votes.push(vote);
      if (at % 10 === 0) {
        votes.push({ ...vote, pair: `${pair}-again`, repeat_of: pair, shown_first: 'second' });
        votes.push({ ...vote, rater: 'ben' });
        votes.push({ ...vote, pair: `${pair}-known`, check: 'first' });
      }
    }
  }
  const boundary = Array.from({ length: 12 }, (_, at): BoundaryVote => {
    const truth = at % 4 === 0 ? null : 5 + at;
    return {
      passage: `b${at}`,
      source: 'base_model_v3',
      said: truth === null || at % 3 === 0 ? truth : truth + 3,
      truth,
      words: 30,
      rater,
      seconds: 12,
    };
  });
  return {
    project: 'My book',
    made_at: '2026-11-23T04:00:00.000Z',
    verisim: '0.1.0',
    language: 'en',
    methods: (facts) => methodsParagraph(facts, 'en'),
    versions,
    votes,
    pairs,
    boundary,
    boundary_opinions: boundary.map(({ passage }, at) => ({
      judge: 'reward_model_v3',
      passage,
      natural: 0.3 + at / 30,
    })),
    singles: versions.flatMap((source, at) =>
      Array.from({ length: 12 }, (_, one) => ({ source, verdict: one < 3 * at ? 'generated' : 'natural' }) as const),
    ),
    writing: versions.map((version, at) => ({
      version,
      reward: at === 0 ? null : 0.3 + at / 10,
      reward_interval: at === 0 ? null : { low: 0.25 + at / 10, high: 0.35 + at / 10 },
      copied_share: 0.01 * at,
      distinct_2: 0.9,
    })),
    reward_change: { low: 0.05, high: 0.15 },
  };
}
