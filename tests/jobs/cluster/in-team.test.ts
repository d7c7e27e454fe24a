/** What must be the same on every rank is compared, and every rank is told what is not. */
import { expect, it } from 'vitest';
import { leavingLast, mustBeSame } from '../../../main/jobs/cluster/in-team.js';
import { teamOf } from '../../support/team.js';

const three = () => teamOf([{ requested: false }, { requested: false }, { requested: false }], 1);

it('tells all ranks who has what otherwise than rank 0', async () => {
  const facts = [
    { cluster_every: '3', text: 'a'.repeat(64) },
    { cluster_every: '4', text: 'a'.repeat(64) },
    { cluster_every: '3', text: 'b'.repeat(64) },
  ];
  const told = await Promise.allSettled(three().map((member, rank) => mustBeSame(member, facts[rank] ?? {})));
  for (const each of told)
    expect(each).toMatchObject({
      reason: {
        code: 'cluster',
        message:
          'The members do not agree: rank 1 has other cluster_every than rank 0 (4, not 3); rank 2 has other text than rank 0 (bbbbbbbbbbbb, not aaaaaaaaaaaa)',
      },
    });
  await Promise.all(three().map((member) => mustBeSame(member, { text: 'a' })));
});

it('a rank that is stopped is there until the others have heard what it sent last', async () => {
  const [team] = teamOf([{ requested: false }], 1);
  if (!team) throw new Error('no rank');
  let said = -Infinity;
  const stopped = leavingLast(team, async () => {
    await team.agree();
    said = performance.now();
    throw new Error('stopped');
  });
  await expect(stopped).rejects.toThrow('stopped');
  expect(performance.now() - said).toBeGreaterThan(250);
});
