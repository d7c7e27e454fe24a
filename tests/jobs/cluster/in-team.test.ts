/** Facts that must be the same on every rank are compared, and a rank leaves only when the others have its last message. */
import { expect, it } from 'vitest';
import { leavingLast, mustBeSame } from '../../../main/jobs/cluster/in-team.js';
import { teamOf } from '../../support/team.js';

const three = () => teamOf([{ requested: false }, { requested: false }, { requested: false }]);

it('names on every rank who differs from rank 0 and in what', async () => {
  const facts = [
    { settings: '3', text: 'a'.repeat(64) },
    { settings: '4', text: 'a'.repeat(64) },
    { settings: '3', text: 'b'.repeat(64) },
  ];
  const results = await Promise.allSettled(three().map((member, rank) => mustBeSame(member, facts[rank] ?? {})));
  for (const each of results)
    expect(each).toMatchObject({
      reason: {
        code: 'cluster',
        message:
          'The ranks differ: rank 1 differs from rank 0 in its settings: 4, not 3; rank 2 differs from rank 0 in its text: bbbbbbbbbbbb, not aaaaaaaaaaaa',
      },
    });
  await Promise.all(three().map((member) => mustBeSame(member, { text: 'a' })));
});

it('keeps a stopped rank alive until the others have its last message', async () => {
  const [team] = teamOf([{ requested: false }]);
  if (!team) throw new Error('no rank');
  let sentAt = -Infinity;
  const stopped = leavingLast(team, async () => {
    await team.agree();
    sentAt = performance.now();
    throw new Error('stopped');
  });
  await expect(stopped).rejects.toThrow('stopped');
  expect(performance.now() - sentAt).toBeGreaterThan(250);
});
