/** docs/judging.md: the votes and probabilities it states are those of the code. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
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
