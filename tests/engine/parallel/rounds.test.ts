/** DiLoCo: ranks that train by themselves for a round and then step together are alike after each, and resume to the byte. */
import { expect, it } from 'vitest';
import { createParameters, readParameters, writeParameters } from '../../../main/engine/model/model.js';
import { createOuterStep } from '../../../main/engine/parallel/outer-step.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { sharedSlot } from '../../../main/jobs/cluster/shared-slot.js';
import { hashOf, memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';
import { ways, withSession } from '../../support/runtime.js';
import { teamOf } from '../../support/team.js';

const arrays = (values: Readonly<Record<string, readonly number[]>>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, data]) => [name, { shape: [data.length], data: Float32Array.from(data) }]),
  );

it.each(ways)('steps along the mean as SGD with Nesterov’s momentum does, and means the rest: %s', async (way) => {
  await withSession(way, async (session) => {
    const trained = createParameters(session, arrays({ a: [1, 2], b: [3] }));
    const moments = createParameters(session, arrays({ 'm.a': [0, 0], 'm.b': [0] }));
    const averages = createParameters(session, arrays({ a: [1, 2], b: [3] }), 'average.');
    const [alone] = teamOf([{ requested: false }], 2);
    if (!alone) throw new Error('no rank');
    // Another rank has come twice as far in everything.
    const sum = (own: Float32Array) => Promise.resolve({ vector: own.map((value) => value * 3), numbers: [] });
    const team = { ...alone, size: 2, sum };
    const outer = createOuterStep(session, { team, trained, moments, averages });
    const read = (parameters: typeof trained) =>
      Object.values(readParameters(session, parameters)).flatMap(({ data }) => [...data]);
    let [weights, velocity] = [
      [1, 2, 3],
      [0, 0, 0],
    ];
    for (const steps of [
      [-0.5, 0.25, 1],
      [0.125, 0.5, -1],
    ]) {
      const own = steps.map((step, at) => step + (weights[at] ?? 0));
      const [first = 0, second = 0, third = 0] = own;
      writeParameters(session, trained, arrays({ a: [first, second], b: [third] }));
      writeParameters(session, moments, arrays({ 'm.a': [4, 8], 'm.b': [-2] }));
      writeParameters(session, averages, arrays({ a: [first, second], b: [third] }));
      const average = weights.map((weight, at) => weight + 1.5 * (steps[at] ?? 0));
      velocity = velocity.map((each, at) => 0.9 * each - 1.5 * (steps[at] ?? 0));
      weights = weights.map((weight, at) => weight - 0.7 * (-1.5 * (steps[at] ?? 0) + 0.9 * (velocity[at] ?? 0)));
      expect(await outer.take()).toBe(true);
      read(trained).forEach((value, at) => expect(value).toBeCloseTo(weights[at] ?? NaN, 5));
      read(averages).forEach((value, at) => expect(value).toBeCloseTo(average[at] ?? NaN, 5));
      expect(read(moments)).toEqual([6, 12, -3]);
    }
    writeParameters(session, trained, arrays({ a: [NaN, 0] }));
    expect(await outer.take()).toBe(false);
  });
});

const [trainTokens, valTokens] = [patternTokens(4000), patternTokens(500)];

interface Options {
  readonly every: number;
  readonly size?: number;
  readonly changes?: Parameters<typeof tinyConfig>[0];
  readonly average?: number;
  /** When it has logged so many steps, rank 1 is asked to stop. */
  readonly stopAt?: number;
  readonly slot?: ReturnType<typeof memorySlot>;
}

/** Base training by several ranks, and all that each would keep. */
async function run({ every, size = 2, changes = {}, average = 0, stopAt, slot = memorySlot() }: Options) {
  const stops = Array.from({ length: size }, () => ({ requested: false }));
  const team = teamOf(stops, every);
  const kept = team.map((): string[] => []);
  const ended = await Promise.allSettled(
    team.map(async (member, rank) => {
      const env = await testEnvironment((event) => {
        const [, own] = stops;
        if (rank === 1 && event.event === 'metrics' && event.step === stopAt && own) own.requested = true;
      });
      const shared = sharedSlot(slot, member);
      const config = tinyConfig({ log_interval: 1, ...changes });
      return trainBase({
        ...{ model: tinyModel, train: config, seed: config.seed, average, trainTokens, valTokens },
        env: { ...env, team: member, stop: member.stop },
        slot: {
          latest: () => shared.latest(),
          async save(checkpoint, step) {
            kept[rank]?.push(`${step} ${hashOf(checkpoint.weights)} ${hashOf(checkpoint.optimizer ?? {})}`);
            await shared.save(checkpoint, step);
          },
        },
      });
    }),
  );
  const failed = ended.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
  const outcomes = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [first] = outcomes;
  if (!first) throw new Error('no rank');
  return {
    ...first,
    hashes: outcomes.map(({ weights }) => hashOf(weights)),
    kept,
    given: team.map((each) => each.given),
  };
}

const rounds = { every: 8, changes: { max_iters: 40, eval_interval: 20 } };

it('learns, with one hash of all ranks’ weights after each round, the same bytes twice', async () => {
  // Evaluations end rounds early, and each is followed by a checkpoint.
  const [first, again, summed] = [
    await run({ ...rounds, average: 0.9 }),
    await run({ ...rounds, average: 0.9 }),
    await run({ ...rounds, every: 1 }),
  ];
  expect(first.result.val_loss).toBeLessThan(1.5);
  expect(first.kept[0]).toHaveLength(2);
  expect(first.kept[1]).toEqual(first.kept[0]);
  expect(new Set([...first.hashes, ...again.hashes]).size).toBe(1);
  expect(again.kept).toEqual(first.kept);
  expect(hashOf(summed.weights)).not.toBe(hashOf(first.weights));
  // Rounds end after 8, 16, 20, 24, 32 and 40 steps, and nothing is exchanged within.
  const whole = Math.max(...(first.given[0] ?? []));
  expect(first.given[0]?.filter((numbers) => numbers === whole)).toHaveLength(6);
  expect(first.given[0]?.filter((numbers) => numbers > 100 && numbers < whole)).toEqual([]);
  expect(first.given[0]?.length).toBeLessThan(30);
});

it('stops at the end of a round, and resumes to the byte; another number of ranks goes on from there too', async () => {
  const whole = await run(rounds);
  const slot = memorySlot();
  // 20 ends a round only because it is evaluated.
  for (const [asked, at] of [
    [11, 16],
    [18, 20],
    [25, 32],
  ] as const) {
    await expect(run({ ...rounds, slot, stopAt: asked })).rejects.toMatchObject({ code: 'stopped' });
    expect(slot.saved?.state['step']).toBe(at);
  }
  const [resumed, three] = [
    await run({ ...rounds, slot }),
    await run({ ...rounds, slot: Object.assign(memorySlot(), { saved: structuredClone(slot.saved) }), size: 3 }),
  ];
  expect(hashOf(resumed.weights)).toBe(hashOf(whole.weights));
  expect(new Set(three.hashes).size).toBe(1);
  expect(three.result.val_loss).toBeLessThan(1.5);
});

it('says so on every rank when one’s weights are not finite, and when there are fewer passages than ranks', async () => {
  await expect(
    run({ ...rounds, changes: { ...rounds.changes, learning_rate: 1e30, grad_clip: 0 } }),
  ).rejects.toMatchObject({
    code: 'diverged',
  });
  await expect(run({ ...rounds, size: 3, changes: { batch_size: 2 } })).rejects.toMatchObject({
    code: 'bad_input',
    field: 'cluster_every',
  });
});
