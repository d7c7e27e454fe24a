/** Minutes become steps once: they end in time, are noted before the first step, and a run that resumes takes the noted ones. */
import { describe, expect, it } from 'vitest';
import type { NamedArrays } from '../../../main/engine/types.js';
import { learningRateAt } from '../../../main/engine/train/schedule.js';
import { fittedTo, secondsOfSteps, stepsForMinutes } from '../../../main/engine/train/plan.js';
import { stepsWithin } from '../../../shared/costs/held-out.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { withClock } from '../../support/clock.js';
import { teamOf } from '../../support/team.js';
import { hashOf, memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';

const trainTokens = patternTokens(4000);
const valTokens = patternTokens(500);

async function run(
  changes: Parameters<typeof tinyConfig>[0],
  slot = memorySlot(),
  stopAt?: number,
  seconds = 0.1,
  from?: NamedArrays,
) {
  const env = await testEnvironment((event, stop) => {
    if (event.event === 'metrics' && stopAt !== undefined && event.step >= stopAt) stop();
  });
  const train = tinyConfig(changes);
  const given = { model: tinyModel, train, seed: 7, trainTokens, valTokens, slot, env: withClock(env, () => seconds) };
  const outcome = await trainBase({ ...given, ...(from ? { from } : {}) });
  return { ...outcome, events: env.events };
}

describe('training for minutes', () => {
  it('counts what evaluations take', () => {
    const reading = {
      each: 75,
      samples: { each: 0.25, last: 0.5 },
      last: (steps: number) => Math.min(10 * steps, 200),
    };
    const speed = { step: 0.5, token: 0.01 };
    // Ten steps of 0.5 s, two evaluations of 1 s with their samples, the last of which are longer, and 100 tokens; 200 after 50.
    expect(secondsOfSteps(10, speed, reading, 5)).toBeCloseTo(5 + 2 + 0.25 + 1, 9);
    expect(secondsOfSteps(11, speed, reading, 5)).toBeCloseTo(5.5 + 2 + 0.25 + 1.1, 9);
    expect(secondsOfSteps(50, speed, reading, 5)).toBeCloseTo(25 + 10 + 0.25 + 2, 9);
    for (const seconds of [8.3, 9.59, 9.89, 37]) {
      const steps = stepsWithin(seconds, (each) => secondsOfSteps(each, speed, reading, 5));
      expect(secondsOfSteps(steps, speed, reading, 5)).toBeLessThanOrEqual(seconds + 1e-9);
      expect(secondsOfSteps(steps + 1, speed, reading, 5)).toBeGreaterThan(seconds);
    }
    expect(stepsWithin(1, () => 2)).toBe(1);
  });

  it('fits the schedule to the steps: it ends where they do, however few they are', () => {
    const train = tinyConfig({
      learning_rate: 1,
      min_lr: 0,
      lr_schedule: 'linear',
      warmup_iters: 100,
    });
    const fitted = fittedTo(train, 50);
    expect(fitted.warmup_iters).toBe(5);
    expect([4, 5, 49].map((step) => learningRateAt(step, fitted))).toEqual([5 / 6, 1, expect.closeTo(1 / 45, 10)]);
  });

  it('spreads the evaluations over the steps: none shortly before the last', () => {
    const intervalFor = (steps: number) => fittedTo(tinyConfig({ eval_interval: 20 }), steps).eval_interval;
    expect([7, 20, 42, 51].map(intervalFor)).toEqual([7, 20, 21, 17]);
  });

  it('learns nothing while it is timed: the same bytes as with as many steps', async () => {
    const timed = await run({ train_minutes: 0.25, max_iters: 5 });
    const steps = timed.result.planned_steps ?? 0;
    expect(steps).toBeGreaterThan(10);
    expect(timed.result.iterations).toBe(steps);
    const plain = await run({ ...fittedTo(tinyConfig(), steps) });
    expect(plain.result.planned_steps).toBeUndefined();
    expect(hashOf(timed.weights)).toBe(hashOf(plain.weights));
    expect(timed.events).toContainEqual(expect.objectContaining({ event: 'notice', code: 'train_minutes' }));
  });

  it('lets a trained model read its text three times at most, and one from nothing as often as fits', async () => {
    const first = await run({ train_minutes: 0.25 });
    const thrice = Math.ceil((3 * trainTokens.length) / (64 * tinyModel.block_size));
    expect(first.result.planned_steps).toBeGreaterThan(thrice);
    const { result, events } = await run(
      { train_minutes: 0.25, batch_size: 64 },
      memorySlot(),
      undefined,
      0.1,
      first.weights,
    );
    expect(result.iterations).toBe(thrice);
    expect(events).toContainEqual(
      expect.objectContaining({ message: expect.objectContaining({ code: 'train.readings' }) }),
    );
  });

  it('fits the steps into what is left of the minutes, also when another program disturbs one that is timed', async () => {
    const plain = await testEnvironment();
    const planned = (disturbed: number, began = 0) => {
      let [time, steps] = [0, 0];
      return stepsForMinutes({
        ...{ minutes: 15, began, evalInterval: 20, reading: { each: 1, samples: { each: 0, last: 0 }, last: () => 0 } },
        most: Infinity,
        async step() {
          steps += 1;
          time += steps === disturbed ? 20_000 : 5000;
        },
        async evaluate() {},
        env: { ...plain, now: () => time },
      }).then((plan) => plan?.steps);
    };
    // Only the seconds of the disturbance itself are lost.
    expect(await planned(0)).toBe(177);
    expect(await planned(2)).toBe(174);
    // Preparing a large text took two minutes of them; or all, of which a fifth is left to the steps.
    expect(await planned(0, -120_000)).toBe(153);
    expect(await planned(0, -3_600_000)).toBe(36);
  });

  it('takes the same steps on every rank, whatever their clocks say', async () => {
    const stops = [{ requested: false }, { requested: false }];
    const team = teamOf(stops);
    const steps = [0, 0];
    const [env, ...clocks] = [await testEnvironment(), 100, 9000];
    const found = await Promise.all(
      team.map((member, rank) => {
        let time = 0;
        return stepsForMinutes({
          ...{
            minutes: 1,
            began: 0,
            evalInterval: 10,
            most: Infinity,
            reading: { each: 2, samples: { each: 0, last: 0 }, last: () => 4 },
          },
          // As a step is taken and the text is read together: ranks that are at something else find other sums.
          async step() {
            steps[rank] = (steps[rank] ?? 0) + 1;
            expect((await member.sum(Float32Array.of(1), [])).vector[0]).toBe(2);
          },
          async evaluate() {
            expect(await member.gather(Uint8Array.of(7))).toEqual([Uint8Array.of(7), Uint8Array.of(7)]);
          },
          env: { ...env, team: member, stop: member.stop, now: () => (time += clocks[rank] ?? 0) },
        });
      }),
    );
    expect(new Set(found.map((plan) => plan?.steps)).size).toBe(1);
    expect(steps[1]).toBe(steps[0]);
    expect(steps[0]).toBeGreaterThan(5);
  });

  it('resumes with the steps that were noted, however fast it goes then', async () => {
    const whole = await run({ train_minutes: 0.25 });
    const slot = memorySlot();
    await expect(run({ train_minutes: 0.25 }, slot, 20)).rejects.toMatchObject({ code: 'stopped' });
    const resumed = await run({ train_minutes: 0.25 }, slot, undefined, 0.001);
    expect(resumed.result.planned_steps).toBe(whole.result.planned_steps);
    expect(hashOf(resumed.weights)).toBe(hashOf(whole.weights));
  });

  it('notes them before the first step', async () => {
    const slot = memorySlot();
    const saves: unknown[] = [];
    const watched: typeof slot = {
      ...slot,
      latest: () => slot.latest(),
      save(checkpoint, step) {
        saves.push([step, checkpoint.state['planned']]);
        return slot.save(checkpoint, step);
      },
    };
    const { result } = await run({ train_minutes: 0.25 }, watched);
    expect(saves[0]).toEqual([0, result.planned_steps]);
  });
});
