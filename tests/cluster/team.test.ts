/** What ranks agree on within their exchanges, by the very code of a team: stops, pauses, what rank 0 tells all of them. */
import { expect, it } from 'vitest';
import { createTeam } from '../../main/cluster/team.js';
import { collectivesOf } from '../support/collectives.js';

interface Wanted {
  requested: boolean;
  afterPhase: boolean;
  paused: boolean;
}

function ranksOf(size: number) {
  const wanted = Array.from({ length: size }, (): Wanted => ({ requested: false, afterPhase: false, paused: false }));
  const members = wanted.map((_, rank) => `127.0.0.1:${4000 + rank}`);
  const team = collectivesOf(size).map((collectives, rank) =>
    createTeam({
      ...{ collectives, rank, members, timeout: 5, halved: false, every: 1, pausing: 1 },
      stop: wanted[rank] ?? { requested: false },
    }),
  );
  return { wanted, team };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

it('all hear what rank 0 tells within the same exchange, whichever that is, in its order', async () => {
  const { team } = ranksOf(3);
  const [first] = team;
  const heard = team.map((): string[] => []);
  team.forEach((member, rank) => member.onTold((news) => heard[rank]?.push(text(news))));
  const told = () => heard.map((each) => each.join());
  for (const news of ['one', 'another one', 'a third, longer than both of these'])
    first?.tell(new TextEncoder().encode(news));
  expect(told()).toEqual(['', '', '']);
  const sums = await Promise.all(team.map((member) => member.sum(Float32Array.of(1, 2), [3])));
  expect(sums.map(({ vector, numbers }) => [...vector, ...numbers])).toEqual(Array(3).fill([3, 6, 9]));
  expect(told()).toEqual(Array(3).fill('one'));
  const parts = await Promise.all(team.map((member) => member.gather(Uint8Array.of(member.rank))));
  expect(parts.map((part) => part.map((bytes) => [...bytes]))).toEqual(Array(3).fill([[0], [1], [2]]));
  expect(told()).toEqual(Array(3).fill('one,another one'));
  const shared = await Promise.all(
    team.map((member) => member.share(member.rank === 0 ? Uint8Array.of(7, 8, 9) : null)),
  );
  expect(shared.map((bytes) => [...bytes])).toEqual(Array(3).fill([7, 8, 9]));
  expect(told()).toEqual(Array(3).fill('one,another one,a third, longer than both of these'));
});

it('all pause within the same exchange, and go on together, or stop together', async () => {
  const { wanted, team } = ranksOf(2);
  const [mine, theirs] = wanted;
  if (!mine || !theirs) throw new Error('no ranks');
  mine.paused = true;
  const done: number[] = [];
  const steps = Promise.all(
    team.map(async (member) => {
      const { vector } = await member.sum(Float32Array.of(member.rank + 1), []);
      done.push(vector[0] ?? NaN);
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(done).toEqual([]);
  mine.paused = false;
  await steps;
  expect(done).toEqual([3, 3]);

  mine.paused = true;
  const stopped = Promise.all(team.map((member) => member.agree().then(() => member.agree())));
  await new Promise((resolve) => setTimeout(resolve, 20));
  theirs.requested = true;
  await stopped;
  expect(team.map(({ stop }) => ({ ...stop }))).toEqual(
    Array(2).fill({ requested: true, afterPhase: false, paused: false }),
  );
});

it('each tells with its sums what it has computed', async () => {
  const { team } = ranksOf(2);
  team.forEach(({ computed }, rank) => computed(1000 * (rank + 1), 50));
  await Promise.all(team.map((member) => member.sum(new Float32Array(), [])));
  team[1]?.computed(500, 25);
  await Promise.all(team.map((member) => member.sum(new Float32Array(), [])));
  for (const { ranks } of team)
    expect(ranks.map(({ computed, tokens }) => [computed, tokens])).toEqual([
      [1000, 50],
      [2500, 75],
    ]);
});
