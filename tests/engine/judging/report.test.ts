/** The report of votes as data: comparisons, reliability, and the alarm. */
import { expect, it } from 'vitest';
import { compare } from '../../../main/engine/judging/comparison.js';
import { judgingReport } from '../../../main/engine/judging/report.js';
import { votesBetween } from '../../../main/engine/judging/votes.js';
import { judgingReportSchema } from '../../../shared/judging-report.js';
import { judgedProject, votesOf } from './judged.js';

it('compares every two versions with votes, the newest first', () => {
  const input = judgedProject();
  const report = judgingReportSchema.parse(judgingReport(input));
  expect(report.comparisons.map(({ first, second }) => [first, second])).toEqual([
    ['base_model_v3', 'base_model_v2'],
    ['base_model_v2', 'base_model_v1'],
    ['base_model_v1', 'natural'],
  ]);
  for (const { first, second, comparison } of report.comparisons)
    expect(comparison).toEqual(compare(votesBetween(input.votes, first, second)));
  expect(report.votes).toEqual({ pairs: 120, repeats: 12, again: 12, boundary: 12, ignored: 7 });
  expect(report.alarm).toEqual({ alarm: 'people_say_worse', newest: 'base_model_v3', previous: 'base_model_v2' });
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

it('measures each rater’s self-consistency and preference for the side shown first', () => {
  const cast = votesOf('wlt');
  const again = cast.map((vote, at) => ({
    ...vote,
    pair: `again ${at}`,
    repeat_of: vote.pair,
    // A tie and "both bad" both prefer none.
    outcome: at === 0 ? ('second' as const) : at === 2 ? ('both_bad' as const) : vote.outcome,
  }));
  const others = votesOf('ww').map((vote) => ({ ...vote, rater: 'ben', seconds: 9 }));
  const { reliability } = judgingReport({ ...judgedProject(), votes: [...cast, ...again, ...others] });
  expect(reliability.map(({ rater, votes }) => [rater, votes])).toEqual([
    ['people', 8],
    ['ann', 6],
    ['ben', 2],
  ]);
  expect(reliability[1]).toMatchObject({ self_consistency: { yes: 2, of: 3 }, seconds: 5, chose_first: { of: 4 } });
  expect(reliability[2]).toMatchObject({
    self_consistency: { of: 0, share: null },
    seconds: 9,
    chose_first: { yes: 1 },
  });
});

it('is empty without votes', () => {
  const none = judgingReport({ ...judgedProject(), votes: [], boundary: [] });
  expect(judgingReportSchema.parse(none)).toMatchObject({
    comparisons: [],
    reliability: [],
    boundary: [],
    alarm: null,
  });
});
