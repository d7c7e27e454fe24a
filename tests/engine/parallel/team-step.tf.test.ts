/** Ranks that train together have the same bytes after every checkpoint, nearly those of one process, and resume exactly. */
import { expect, it } from 'vitest';
import { trainBase } from '../../../main/engine/train/train.js';
import { sharedSlot } from '../../../main/jobs/cluster/shared-project.js';
import { hashOf, memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';
import { teamOf } from '../../support/team.js';

const [trainTokens, valTokens] = [patternTokens(4000), patternTokens(500)];
const config = tinyConfig({ log_interval: 1, max_iters: 30, eval_interval: 10, gradient_accumulation_steps: 3 });
const work = { model: { ...tinyModel, dropout: 0.1 }, train: config, seed: config.seed, trainTokens, valTokens };

/** Trains with several ranks. @param stopAt the step in whose metrics rank 1's user asks to stop */
async function train(size: number, slot = memorySlot(), stopAt?: number) {
  const stops = Array.from({ length: size }, () => ({ requested: false }));
  const outcomes = await Promise.all(
    teamOf(stops).map(async (team, rank) => {
      const env = await testEnvironment((event) => {
        const [, second] = stops;
        if (rank === 1 && event.event === 'metrics' && event.step === stopAt && second) second.requested = true;
      });
      const checkpoints: string[] = [];
      const shared = sharedSlot(slot, team);
      const { weights } = await trainBase({
        ...work,
        env: { ...env, team, stop: team.stop },
        slot: {
          latest: () => shared.latest(),
          async save(checkpoint, step) {
            checkpoints.push(`${step} ${hashOf(checkpoint.weights)} ${hashOf(checkpoint.optimizer ?? {})}`);
            await shared.save(checkpoint, step);
          },
        },
      });
      return { weights, checkpoints };
    }),
  );
  return outcomes;
}

it('has the same bytes on every rank, twice, and nearly those of one process', async () => {
  const alone = await trainBase({ ...work, env: await testEnvironment(), slot: memorySlot() });
  const [ranks, again] = [await train(3), await train(3)];
  const [first] = ranks;
  expect(first?.checkpoints).toHaveLength(3);
  for (const { checkpoints, weights } of [...ranks, ...again]) {
    expect(checkpoints).toEqual(first?.checkpoints);
    expect(hashOf(weights)).toBe(hashOf(first?.weights ?? {}));
  }
  for (const [name, { data }] of Object.entries(alone.weights))
    data.forEach((value, at) => expect(first?.weights[name]?.data[at]).toBeCloseTo(value, 3));
});

it('resumes to the byte after a stop, and goes on with another number of ranks', async () => {
  const [whole] = await train(2);
  const slot = memorySlot();
  await expect(train(2, slot, 17)).rejects.toMatchObject({ code: 'stopped' });
  // The request travels with the next step's sum.
  expect(slot.saved?.state['step']).toBe(18);
  const copy = Object.assign(memorySlot(), { saved: structuredClone(slot.saved) });
  const [[resumed], three] = [await train(2, slot), await train(3, copy)];
  expect(hashOf(resumed?.weights ?? {})).toBe(hashOf(whole?.weights ?? {}));
  expect(new Set(three.map(({ weights }) => hashOf(weights))).size).toBe(1);
});
