/** Judgements as rows of CSV, and preferences as pairs to train on. */
import { describe, expect, it } from 'vitest';
import type { PairVote } from '../../../main/engine/judging/votes.js';
import { preferencePairs, type PairTexts } from '../../../main/formats/ratings/preference-pairs.js';
import { judgementRows } from '../../../main/formats/ratings/rows.js';

const vote = (pair: string, more: Partial<PairVote> = {}): PairVote => ({
  pair,
  first: 'base_model_v2',
  second: 'base_model_v1',
  outcome: 'first',
  rater: 'ann',
  seconds: 4.5,
  shown_first: 'second',
  ...more,
});

/** RFC 4180, read back. */
function parse(csv: string): string[][] {
  const rows = [...csv.matchAll(/((?:"(?:[^"]|"")*"|[^"\r\n])*)\r\n/g)].map(([, line = '']) => line);
  return rows.map((line) =>
    [...`${line},`.matchAll(/("(?:[^"]|"")*"|[^",]*),/g)].map(([, cell = '']) =>
      cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
    ),
  );
}

describe('judgementRows', () => {
  it('has every judgement of every task', () => {
    const csv = judgementRows({
      votes: [vote('a', { prompt: 'p1' }), vote('a2', { repeat_of: 'a' }), vote('c', { check: 'second' })],
      boundary: [
        { passage: 'b', source: 'natural', said: null, truth: null, words: 40, rater: 'ann', seconds: 9 },
        { passage: 'd', source: 'base_model_v2', said: 7, truth: 12, words: 40, rater: 'ann', seconds: 9 },
      ],
      singles: [{ passage: 's', source: 'natural', verdict: 'generated' }],
    });
    const [heading = [], ...rows] = parse(csv);
    const named = rows.map((row) => Object.fromEntries(heading.map((name, at) => [name, row[at]])));
    expect(rows.every(({ length }) => length === heading.length)).toBe(true);
    expect(named.map(({ task, id }) => [task, id])).toEqual([
      ...[['pair', 'a'], ['pair', 'a2'], ['pair', 'c'], ['boundary', 'b'], ['boundary', 'd'], ['single', 's']], // oxfmt-ignore
    ]);
    expect(named[0]).toMatchObject({
      rater: 'ann',
      seconds: '4.5',
      outcome: 'first',
      shown_first: 'second',
      prompt: 'p1',
      repeat_of: '',
    });
    expect(named[1]).toMatchObject({ repeat_of: 'a' });
    expect(named[3]).toMatchObject({ said: 'never', truth: 'never', words: '40' });
    expect(named[4]).toMatchObject({ said: '7', truth: '12' });
    expect(named[5]).toMatchObject({ verdict: 'generated', outcome: '' });
  });

  it('keeps names together, and no name is a formula', () => {
    const names = ['Ann, "the" reader', 'two\nlines', '=HYPERLINK("x")', '-1'];
    const csv = judgementRows({
      votes: names.map((rater, at) => vote(String(at), { rater })),
      boundary: [],
      singles: [],
    });
    const [heading = [], ...rows] = parse(csv);
    expect(rows.map((row) => row[heading.indexOf('rater')])).toEqual([...names.slice(0, 2), `'=HYPERLINK("x")`, `'-1`]);
  });
});

describe('preferencePairs', () => {
  const texts = (pair: string): PairTexts => ({
    pair,
    prompt: `Once “${pair}”`,
    first: 'base_model_v2',
    second: 'base_model_v1',
    first_text: ' new\nline',
    second_text: ' old',
  });
  const lines = (votes: readonly PairVote[], pairs = [texts('a'), texts('b')]) =>
    preferencePairs(votes, pairs).split('\n').filter(Boolean).map((line) => JSON.parse(line) as unknown); // oxfmt-ignore

  it('is a line for each pair in which one was preferred', () => {
    expect(lines([vote('b', { outcome: 'second' }), vote('a')])).toEqual([
      { prompt: 'Once “a”', chosen: ' new\nline', rejected: ' old' },
      { prompt: 'Once “b”', chosen: ' old', rejected: ' new\nline' },
    ]);
    expect(preferencePairs([], [texts('a')])).toBe('');
  });

  it('takes the majority, whichever way round a vote names them, and nothing where there is none', () => {
    const turned = vote('a', { rater: 'ben', first: 'base_model_v1', second: 'base_model_v2', outcome: 'second' });
    expect(lines([vote('a', { outcome: 'second' }), turned])).toEqual([]);
    expect(lines([vote('a', { outcome: 'second' }), turned, { ...turned, rater: 'cat' }])).toHaveLength(1);
    expect(lines([vote('a', { outcome: 'tie' }), vote('b', { outcome: 'both_bad' })])).toEqual([]);
  });

  it('leaves out repeats, known answers, and texts that are the same', () => {
    expect(lines([vote('a', { repeat_of: 'z' }), vote('b', { check: 'first' })])).toEqual([]);
    expect(lines([vote('a')], [{ ...texts('a'), second_text: ' new\nline' }])).toEqual([]);
    expect(lines([vote('a'), vote('b')], [texts('a'), { ...texts('a'), pair: 'b' }])).toHaveLength(1);
  });
});
