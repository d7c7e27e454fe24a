/** Exchanges of a team: sums, gathers, what rank 0 shares, agreement on a stop, and the fault when a rank is lost. */
import { expect, it } from 'vitest';
import { createTeam } from '../../main/cluster/team.js';
import type { Collectives } from '../../main/cluster/native.js';
import { teamOf } from '../support/team.js';

it('gives every rank the same sums, parts and bytes', async () => {
  const team = teamOf([{ requested: false }, { requested: false }, { requested: false }]);
  const sums = await Promise.all(team.map((member) => member.sum(Float32Array.of(1, 2), [3])));
  expect(sums.map(({ vector, numbers }) => [...vector, ...numbers])).toEqual(Array(3).fill([3, 6, 9]));
  const parts = await Promise.all(team.map((member) => member.gather(new Uint8Array(member.rank).fill(member.rank))));
  expect(parts.map((part) => part.map((bytes) => [...bytes]))).toEqual(Array(3).fill([[], [1], [2, 2]]));
  const shared = await Promise.all(
    team.map((member) => member.share(member.rank === 0 ? Uint8Array.of(7, 8, 9, 10, 11) : null)),
  );
  expect(shared.map((bytes) => [...bytes])).toEqual(Array(3).fill([7, 8, 9, 10, 11]));
});

it('stops all ranks at the same exchange when one user wants to stop', async () => {
  const stops = [{ requested: false }, { requested: false }];
  const team = teamOf(stops);
  await Promise.all(team.map((member) => member.sum(Float32Array.of(1), [])));
  if (stops[1]) stops[1].requested = true;
  // Already agreed by the sum before; the next call starts an exchange.
  await Promise.all(team.map((member) => member.agree()));
  expect(team.map(({ stop }) => stop.requested)).toEqual([false, false]);
  await Promise.all(team.map((member) => member.agree()));
  expect(team.map(({ stop }) => stop.requested)).toEqual([true, true]);
});

it.each([
  ['Socket closed', 'no answer', 'Rank 1 (127.0.0.1:4001) does not answer any more'],
  ['Collective timed out', '', 'Another rank took no part for 5 s'],
])('ends with an error that names the lost rank: %s', async (reason, health, message) => {
  const collectives = {
    run: () => Promise.reject(new Error(reason)),
    health: () => Promise.resolve(health),
  } as unknown as Collectives;
  const members = ['127.0.0.1:4000', '127.0.0.1:4001'];
  const team = createTeam({ collectives, rank: 0, members, timeout: 5, stop: { requested: false } });
  for (let again = 0; again < 2; again++)
    await expect(team.sum(Float32Array.of(1), [])).rejects.toMatchObject({ code: 'cluster', message });
});
