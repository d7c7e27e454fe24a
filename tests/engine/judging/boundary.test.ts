/** People and models on one axis: where a passage stops being natural. */
import { describe, expect, it } from 'vitest';
import { boundaryJudges, type BoundaryOpinion } from '../../../main/engine/judging/boundary.js';
import type { BoundaryVote } from '../../../main/engine/judging/votes.js';

const vote = (passage: string, said: number | null, truth: number | null, rater = 'ann'): BoundaryVote => ({
  passage,
  source: truth === null ? 'natural' : 'base_model_v2',
  said,
  truth,
  words: 20,
  rater,
  seconds: 9,
});

describe('boundaryJudges', () => {
  const votes = [vote('a', 10, 10), vote('b', 14, 10), vote('c', null, 12), vote('d', null, null)];

  it('measures a person by distance, lateness and exactness', () => {
    const [people, ...others] = boundaryJudges(votes);
    expect(others).toEqual([]);
    expect(people).toMatchObject({ judge: 'people', answers: 4, exact: { yes: 2, of: 4 }, exact_by_chance: 0.05 });
    expect(people?.error).toBeCloseTo((0 + 4 / 20 + 8 / 20 + 0) / 4, 12);
    expect(people?.error_words).toBeCloseTo(3, 12);
    // All their mistakes are too late.
    expect(people?.bias).toBeCloseTo(people?.error ?? NaN, 12);
    expect(people?.calibration.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect(people?.r2).toBeLessThan(1);
  });

  it('tells how far people agree with themselves, and counts what was shown again for nothing else', () => {
    const again = { ...vote('b', 11, 10), passage: 'b-again', repeat_of: 'b' };
    const same = { ...vote('a', 10, 10), passage: 'a-again', repeat_of: 'a' };
    const [before] = boundaryJudges(votes);
    const [people] = boundaryJudges([...votes, again, same]);
    expect(before?.again).toBeNull();
    expect(people).toEqual({
      ...before,
      again: { same: expect.objectContaining({ yes: 1, of: 2 }), words_apart: 1.5 },
    });
    // Somebody else's answer is no repeat.
    expect(boundaryJudges([...votes, { ...again, rater: 'ben' }])[0]?.again).toBeNull();
  });

  it('puts models beside them, on the passages that people judged', () => {
    const opinions: BoundaryOpinion[] = [
      { judge: 'reward_model_v1', passage: 'a', natural: 0.51 },
      { judge: 'reward_model_v1', passage: 'b', natural: 0.3 },
      { judge: 'reward_model_v1', passage: 'd', natural: 0.99 },
      { judge: 'reward_model_v1', passage: 'c', natural: NaN },
      { judge: 'reward_model_v1', passage: 'elsewhere', natural: 0 },
      { judge: 'critic_model_v1', passage: 'a', natural: 0 },
    ];
    const judges = boundaryJudges([...votes, vote('a', 3, 10, 'ben')], opinions);
    expect(judges.map(({ judge, answers }) => [judge, answers])).toEqual([
      ['people', 5],
      ['ann', 4],
      ['ben', 1],
      ['reward_model_v1', 3],
      ['critic_model_v1', 1],
    ]);
    // 0.51 of 20 words is the tenth; 0.99 is never; each passage counts once, whoever else judged it.
    expect(judges[3]).toMatchObject({ exact: { yes: 2, of: 3 } });
    expect(judges[3]?.error).toBeCloseTo((0.01 + 0.2 + 0.01) / 3, 12);
    expect(judges[4]).toMatchObject({ bias: -0.5, r2: null, exact: { yes: 0, of: 1 } });
  });

  it('is nothing of nothing', () => {
    expect(boundaryJudges([], [{ judge: 'reward_model_v1', passage: 'a', natural: 0.5 }])).toEqual([]);
  });
});
