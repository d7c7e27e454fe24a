/** Votes as rows of CSV. */
import { describe, expect, it } from 'vitest';
import type { PairVote } from '../../../main/engine/judging/votes.js';
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
    const csv = judgementRows(
      [vote('a'), vote('a2', { repeat_of: 'a' })],
      [
        { passage: 'b', source: 'natural', said: null, truth: null, words: 40, rater: 'ann', seconds: 9 },
        { passage: 'd', source: 'base_model_v2', said: 7, truth: 12, words: 40, rater: 'ann', seconds: 9 },
      ],
    );
    const [heading = [], ...rows] = parse(csv);
    const named = rows.map((row) => Object.fromEntries(heading.map((name, at) => [name, row[at]])));
    expect(rows.every(({ length }) => length === heading.length)).toBe(true);
    expect(named.map(({ task, id }) => [task, id])).toEqual([
      ...[['pair', 'a'], ['pair', 'a2'], ['boundary', 'b'], ['boundary', 'd']], // oxfmt-ignore
    ]);
    expect(named[0]).toMatchObject({
      rater: 'ann',
      seconds: '4.5',
      outcome: 'first',
      shown_first: 'second',
      repeat_of: '',
    });
    expect(named[1]).toMatchObject({ repeat_of: 'a' });
    expect(named[2]).toMatchObject({ said: 'never', truth: 'never', words: '40' });
    expect(named[3]).toMatchObject({ said: '7', truth: '12' });
  });

  it('quotes names, and no name is a formula', () => {
    const names = ['Ann, "the" reader', 'two\nlines', '=HYPERLINK("x")', '-1'];
    const csv = judgementRows(
      names.map((rater, at) => vote(String(at), { rater })),
      [],
    );
    const [heading = [], ...rows] = parse(csv);
    expect(rows.map((row) => row[heading.indexOf('rater')])).toEqual([...names.slice(0, 2), `'=HYPERLINK("x")`, `'-1`]);
  });
});
