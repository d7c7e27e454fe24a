/** How exactly people find the boundary, and whether they took the time to read. */
import { expect, it } from 'vitest';
import { boundaryFigures, reliabilityOf } from '../../../main/engine/judging/reliability.js';
import { compare } from '../../../main/engine/judging/comparison.js';
import { hastyMessage } from '../../../shared/judging.js';
import type { BoundaryVote } from '../../../main/engine/judging/votes.js';
import { votesOf } from './judged.js';

const vote = (passage: string, said: number | null, truth: number | null, rater = 'ann'): BoundaryVote => ({
  passage,
  source: truth === null ? 'natural' : 'base_model_v2',
  said,
  truth,
  words: 20,
  rater,
  seconds: 9,
});
const votes = [vote('a', 10, 10), vote('b', 14, 10), vote('c', null, 12), vote('d', null, null)];

it('measures distance, lateness and exactness', () => {
  const [people, ...others] = boundaryFigures(votes);
  expect(others).toEqual([]);
  expect(people).toMatchObject({ rater: 'people', answers: 4, exact: { yes: 2, of: 4 }, exact_by_chance: 0.05 });
  expect(people?.error).toBeCloseTo((0 + 4 / 20 + 8 / 20 + 0) / 4, 12);
  expect(people?.error_words).toBeCloseTo(3, 12);
  // All mistakes are late.
  expect(people?.bias).toBeCloseTo(people?.error ?? NaN, 12);
  expect(boundaryFigures([vote('a', 3, 10)])[0]?.bias).toBeCloseTo(-0.35, 12);
  expect(boundaryFigures([])).toEqual([]);
});

it('uses repeats for self-consistency only, and only of the same rater', () => {
  const again = { ...vote('b', 11, 10), passage: 'b-again', repeat_of: 'b' };
  const same = { ...vote('a', 10, 10), passage: 'a-again', repeat_of: 'a' };
  const [before] = boundaryFigures(votes);
  expect(before?.again).toBeNull();
  expect(boundaryFigures([...votes, again, same])[0]).toEqual({
    ...before,
    again: { same: expect.objectContaining({ yes: 1, of: 2 }), words_apart: 1.5 },
  });
  expect(boundaryFigures([...votes, { ...again, rater: 'ben' }])[0]?.again).toBeNull();
});

it('lists everyone, then each rater if there are several', () => {
  const figures = boundaryFigures([...votes, vote('a', 3, 10, 'ben')]);
  expect(figures.map(({ rater, answers }) => [rater, answers])).toEqual([
    ['people', 5],
    ['ann', 4],
    ['ben', 1],
  ]);
});

it.each([
  ['every answer in 0.36 seconds', 20],
  ['two of twenty', 2],
  ['none', 0],
])('leaves out answers that are too fast to have read for: %s', (_, hasty) => {
  const votes = votesOf('w'.repeat(20)).map((vote, at) => ({ ...vote, seconds: at < hasty ? 0.36 : 9 }));
  expect(reliabilityOf(votes)[0]).toMatchObject({ votes: 20, hasty });
  const comparison = compare(votes);
  expect(comparison).toMatchObject({ wins: 20 - hasty, hasty, decided: hasty < 10 ? 'first' : null });
  expect(hastyMessage(comparison)?.params?.['hasty'] ?? 0).toBe(hasty);
  // Another person who read the pair is heard instead.
  const again = votes.map((vote) => ({ ...vote, rater: 'ben', outcome: 'second' as const, seconds: 9 }));
  expect(compare([...votes, ...again])).toMatchObject({ wins: 20 - hasty, losses: hasty });
});
