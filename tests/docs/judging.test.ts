/** docs/judging.md: the votes and probabilities it states are those of the code. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { DECISIVE, logEvidence, MIXTURE } from '../../main/engine/judging/evidence.js';
import { compare } from '../../main/engine/judging/sequential.js';
import { planStudy } from '../../main/engine/judging/design.js';
import { walk } from '../../main/engine/judging/walk.js';
import { MAX_VOTES } from '../../shared/judging.js';

const page = readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/judging.md'), 'utf8');
const rows = [...page.matchAll(/^\| (0\.\d\d) +\| (\S+) +\| (\S+) % +\| (\S+) % +\|$/gm)];

it('has the table', () => {
  expect(rows.length).toBe(5);
});

it.each(rows.map(([, ...cells]) => cells))('%s takes %s votes', (share, votes, named, other) => {
  const last = [...walk(() => Number(share), MAX_VOTES)].at(-1);
  expect([last?.first, last?.second].map((part) => (100 * (part ?? NaN)).toFixed(1))).toEqual([named, other]);
  if (votes !== '–') expect(planStudy({ share: Number(share), ties: 0, seconds: 1 }).votes).toBe(Number(votes));
});

/** By votes and wins: the probability, given them, that MAX_VOTES decide it. Backwards, where `compare` goes forwards. */
const chances: number[][] = [];
for (let votes = MAX_VOTES; votes >= 0; votes--) {
  chances[votes] = Array.from({ length: votes + 1 }, (_, wins) => {
    if (logEvidence(wins, votes - wins) >= Math.log(DECISIVE)) return 1;
    const up = (MIXTURE + wins) / (2 * MIXTURE + votes);
    return up * (chances[votes + 1]?.[wins + 1] ?? 0) + (1 - up) * (chances[votes + 1]?.[wins] ?? 0);
  });
}

it('gives up where the code does, at the price it states', () => {
  for (const [wins, losses] of [
    [0, 0],
    [7, 3],
    [40, 44],
    [130, 121],
  ] as const) {
    // oxfmt-ignore
    const votes = Array.from({ length: wins + losses }, (_, at) => ({
      ...{ pair: String(at), first: 'a', second: 'b', rater: 'x', seconds: 1, shown_first: 'first' as const },
      outcome: at < wins ? ('second' as const) : ('first' as const),
    }));
    const shuffled = votes
      .map((_, at) => votes[(at * 97) % votes.length] ?? votes[0])
      .filter((vote) => vote !== undefined);
    expect(compare(shuffled).chance).toBeCloseTo(chances[wins + losses]?.[wins] ?? NaN, 9);
  }
  const study = (share: number) => {
    let open = new Map([[0, 1]]);
    let [first, over, median] = [0, 0, 0];
    for (let votes = 1; votes <= MAX_VOTES; votes++) {
      const next = new Map<number, number>();
      for (const [before, probability] of open) {
        for (const [wins, part] of [
          [before + 1, share],
          [before, 1 - share],
        ] as const) {
          // oxfmt-ignore
          const chance = chances[votes]?.[wins] ?? NaN;
          if (chance < 1 && chance >= 0.05) next.set(wins, (next.get(wins) ?? 0) + probability * part);
          else over += probability * part;
          if (chance === 1 && wins > votes - wins) first += probability * part;
        }
      }
      open = next;
      if (median === 0 && over >= 0.5) median = votes;
    }
    return { first, median };
  };
  expect(page).toContain(`two equals take ${study(0.5).median} votes`);
  expect(page).toContain(`named in ${(100 * study(0.6).first).toFixed(1)} %`);
});
