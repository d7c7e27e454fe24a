// Votes: only ever added to, taken back by a further line, whole after a crash, and read as earlier versions wrote it.
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { addVotes, readVotes, voteName, type StoredVoteOf } from '../../../main/storage/projects/rating-votes.js';

const home = mkdtempSync(join(tmpdir(), 'verisim-votes-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const at = '2026-11-21T00:00:00.000Z';
const vote = (name: string): StoredVoteOf<'boundary'> => ({
  ...{ vote: name, task: 'boundary', passage: name, source: 'natural', said: 4, truth: null, words: 9 },
  ...{ rater: 'you', seconds: 2, at },
});
const names = (folder: string) => readVotes(folder).votes.map((one) => one.vote);
const lines = (folder: string) => readFileSync(join(folder, 'ratings.jsonl'), 'utf8').split('\n');
let folders = 0;
const newFolder = () => join(home, `folder-${folders++}`);

describe('votes', () => {
  it('are added one by one, in order; what a crash left of a line is cut off', () => {
    const folder = newFolder();
    expect(readVotes(folder)).toMatchObject({ votes: [], undone: [] });
    addVotes(folder, [vote('a')]);
    appendFileSync(join(folder, 'ratings.jsonl'), '{"vote":"b"');
    addVotes(folder, [vote('c')]);
    expect(readVotes(folder).votes).toEqual([vote('a'), vote('c')]);
    expect(lines(folder)).toHaveLength(3);
  });

  it('are taken back by a line of its own: nothing is rewritten, whatever order it comes in', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(4)), { maxLength: 20 }), (acts) => {
        const folder = newFolder();
        const standing: string[] = [];
        let written = '';
        for (const [undo, which] of acts) {
          const name = `v${which}`;
          if (undo) addVotes(folder, [{ undo: name, at }]);
          else addVotes(folder, [vote(name)]);
          const there = standing.indexOf(name);
          if (undo && there >= 0) standing.splice(there, 1);
          if (!undo && there < 0) standing.push(name);
          const now = readFileSync(join(folder, 'ratings.jsonl'), 'utf8');
          expect(now.startsWith(written)).toBe(true);
          written = now;
          expect(names(folder)).toEqual(standing);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('are named by question and rater: the same one twice is one vote, after an undo it is another', () => {
    const name = voteName('pair', 'q', 'you', 0);
    expect(name).toMatch(/^[0-9a-f]{16}$/);
    const others = [
      ['boundary', 'q', 'you', 0],
      ['pair', 'r', 'you', 0],
      ['pair', 'q', 'Ana', 0],
      ['pair', 'q', 'you', 1],
    ] as const;
    for (const [task, question, rater, before] of others)
      expect(voteName(task, question, rater, before)).not.toBe(name);
    const folder = newFolder();
    addVotes(folder, [vote(name), vote('b'), vote(name)]);
    expect(names(folder)).toEqual([name, 'b']);
  });

  it('on questions of an earlier version are counted, also in the form of the first version, and can be undone', () => {
    const folder = newFolder();
    mkdirSync(folder);
    const earlier = { passage: 'abc', source: 'base_model_v1', verdict: 'natural', at };
    const single = { ...earlier, vote: 's', task: 'single', rater: 'you', seconds: 1 };
    writeFileSync(
      join(folder, 'ratings.jsonl'),
      [earlier, earlier, single].map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
    expect(readVotes(folder)).toMatchObject({ votes: [], ignored: 2 });
    addVotes(folder, [{ undo: 's', at }, vote('a')]);
    expect(readVotes(folder)).toMatchObject({ votes: [vote('a')], undone: [], ignored: 1 });
  });
});
