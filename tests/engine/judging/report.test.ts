/** The report of human evaluation: everything that was judged, in one piece of data. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgingReport } from '../../../main/engine/judging/report.js';
import { compare } from '../../../main/engine/judging/sequential.js';
import { votesBetween, type PairVote } from '../../../main/engine/judging/votes.js';
import { judgingReportSchema } from '../../../shared/judging-report.js';
import { judgedProject } from './judged.js';

describe('judgingReport', () => {
  const input = judgedProject();
  const report = judgingReportSchema.parse(judgingReport(input));

  it('is what its schema says, also as JSON', () => {
    expect(judgingReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
  });

  it('compares every two versions that were voted on, the newest first, each against the one before it', () => {
    expect(report.comparisons.map(({ first, second }) => [first, second])).toEqual([
      ['base_model_v3', 'base_model_v2'],
      ['base_model_v2', 'base_model_v1'],
      ['base_model_v1', 'natural'],
    ]);
    for (const { first, second, comparison } of report.comparisons) {
      expect(comparison).toEqual(compare(votesBetween(input.votes, first, second)));
    }
    expect(report.comparisons[0]?.comparison.decided).toBe('second');
  });

  it('controls preferences with the scores of pairs that nobody has judged', () => {
    for (const { second, preference, models } of report.comparisons) {
      expect(models).toEqual(['reward_model_v3']);
      expect(preference).toMatchObject({ votes: 40, pairs: 60 });
      const [without, controlled] = [preference.without, preference.with];
      if (!without || !controlled) throw new Error('no interval');
      // Where nearly all votes say the same, there is nothing for a score to explain.
      if (second === 'natural') continue;
      expect(controlled.high - controlled.low).toBeLessThan(without.high - without.low);
    }
  });

  it('leaves the scores out where votes are on pairs that have none', () => {
    const [, ...pairs] = input.pairs ?? [];
    const found = judgingReport({ ...input, pairs }).comparisons.find(({ second }) => second === 'natural');
    expect(found?.models).toEqual([]);
    expect(found?.preference).toMatchObject({ votes: 40, pairs: 40, with: null });
  });

  it('counts every vote somewhere', () => {
    expect(report.votes).toEqual({ pairs: 120, repeats: 12, known_answers: 12, again: 12, boundary: 12, single: 48 });
    expect(report.trust.all.votes).toBe(input.votes.length);
    expect(report.singles.map(({ natural }) => natural.yes)).toEqual([12, 9, 6, 3]);
  });

  it('rates against the first generator, and raises the alarm', () => {
    expect(report.ratings?.against).toBe('base_model_v1');
    expect(report.ratings?.versions[0]?.version).toBe('natural');
    expect(report.alarm).toEqual({ alarm: 'people_say_worse', newest: 'base_model_v3', previous: 'base_model_v2' });
  });

  it('writes the methods down: who, how blind, until when, how sure, how much they agree', () => {
    expect(report.methods).toMatch(
      /^2 raters gave 156 votes on pairs, 12 answers on boundaries, 48 judgements of single passages\./,
    );
    for (const fact of [
      'without being told',
      'at random',
      'Beta(5, 5)',
      'decided at 20',
      '600 votes',
      'sandwich',
      'swapped',
      'α = ',
      'exact',
    ]) {
      expect(report.methods).toContain(fact);
    }
    expect(report.methods).not.toMatch(/undefined|NaN|null/);
  });

  it('is empty of an empty project', () => {
    const { project, made_at, verisim, language, methods, versions } = input;
    const empty = judgingReportSchema.parse(
      judgingReport({ project, made_at, verisim, language, methods, versions, votes: [] }),
    );
    expect(empty).toMatchObject({
      comparisons: [],
      ratings: null,
      boundary: [],
      singles: [],
      alarm: null,
      methods: '',
    });
  });

  it('is a report whatever was said, of whatever versions', () => {
    const { project, made_at, verisim, language, methods, versions } = input;
    const version = fc.constantFrom(...versions, 'gone');
    const side = fc.constantFrom('first' as const, 'second' as const);
    const maybe = <T>(key: string, value: fc.Arbitrary<T>) =>
      fc.option(value, { nil: undefined, freq: 4 }).map((found) => (found === undefined ? {} : { [key]: found }));
    const pair = fc.nat(20).map(String);
    const vote = fc
      .tuple(
        fc.record({
          pair,
          first: version,
          second: version,
          outcome: fc.constantFrom('first' as const, 'second' as const, 'tie' as const, 'both_bad' as const),
          rater: fc.constantFrom('ann', 'ben'),
          seconds: fc.double({ min: 0, max: 1e6, noNaN: true }),
          shown_first: side,
        }),
        maybe('repeat_of', pair),
        maybe('check', side),
        maybe('prompt', pair),
      )
      .map((parts) => Object.assign({}, ...parts) as PairVote)
      .filter(({ first, second }) => first !== second);
    const score = fc.record({ first: fc.integer(), second: fc.integer() });
    const pairs = fc.array(fc.record({ pair, first: version, second: version, scores: fc.record({ m: score }) }));
    const answer = fc.integer({ min: 1, max: 8 }).chain((words) => {
      const word = fc.option(fc.integer({ min: 1, max: words }));
      return fc.record({ ...{ passage: pair, source: version, said: word, truth: word, words: fc.constant(words) }, rater: fc.constantFrom('ann', 'ben'), seconds: fc.constant(3) }); // oxfmt-ignore
    });
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 60 }), pairs, fc.array(answer), (votes, known, boundary) => {
        const found = judgingReport({
          project,
          made_at,
          verisim,
          language,
          methods,
          versions,
          votes,
          pairs: known,
          boundary,
        });
        expect(judgingReportSchema.parse(JSON.parse(JSON.stringify(found)))).toEqual(found);
        expect(found.methods).not.toMatch(/NaN|undefined|Infinity/);
      }),
      { numRuns: 150 },
    );
  });
});
