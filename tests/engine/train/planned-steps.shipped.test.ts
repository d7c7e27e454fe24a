/** Steps for minutes are planned again: a machine that was busy when they were planned, or is busy since, still ends in time. */
import { describe, expect, it } from 'vitest';
import { learningRateAt } from '../../../main/engine/train/schedule.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { withClock } from '../../support/clock.js';
import { hashOf, memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';

const trainTokens = patternTokens(4000);
const valTokens = patternTokens(500);
const MINUTES = 0.5;

/** @param secondsOf a run of a compiled function */
async function run(secondsOf: (run: number) => number, slot = memorySlot(), stopAt?: number) {
  const env = await testEnvironment((event, stop) => {
    if (event.event === 'metrics' && stopAt !== undefined && event.step >= stopAt) stop();
  });
  const train = tinyConfig({ train_minutes: MINUTES, eval_interval: 1000, log_interval: 1, patience: 100 });
  const clock = withClock(env, secondsOf);
  const { result, weights } = await trainBase({
    ...{ model: tinyModel, train, seed: 7, trainTokens, valTokens, slot, env: clock },
  });
  const rates = env.events.flatMap((event) =>
    event.event === 'metrics' && event.values['learning_rate'] !== undefined ? [event.values['learning_rate']] : [],
  );
  const codes = env.events.flatMap((event) => (event.event === 'notice' ? [event.message] : []));
  return { result, weights, rates: rates.map(Number), notices: JSON.stringify(codes), minutes: clock.now() / 60_000 };
}

/** The first runs are those that are timed. */
const busyAtFirst = (calls: number) => (call: number) => (call < calls ? 0.2 : 0.05);

describe('steps planned again', () => {
  it('stay as they are where the machine is as fast as it was', async () => {
    const { result, notices, minutes } = await run(() => 0.1);
    expect(notices).not.toMatch(/_steps/);
    expect(minutes / MINUTES).toBeCloseTo(1, 1);
    expect(result.iterations).toBe(result.planned_steps);
  });

  it('are more on a machine that was busy when they were planned, and the rate falls without a jump', async () => {
    const { result, rates, notices, minutes } = await run(busyAtFirst(60));
    const alone = await run(() => 0.2);
    expect(result.iterations).toBeGreaterThan(2 * (alone.result.iterations ?? 0));
    expect(result.planned_steps).toBe(result.iterations);
    expect(minutes / MINUTES).toBeGreaterThan(0.9);
    expect(minutes / MINUTES).toBeLessThan(1.1);
    expect(notices).toContain('train.more_steps');
    const after = rates.slice(Math.ceil(rates.length / 10));
    expect(after.every((rate, step) => step === 0 || rate <= (after[step - 1] ?? 0) * (1 + 1e-9))).toBe(true);
    expect(rates.at(-1)).toBeLessThan(0.11 * Math.max(...rates));
  });

  it('are fewer on one that is busy since', async () => {
    const { result, rates, notices, minutes } = await run((call) => (call < 60 ? 0.05 : 0.1));
    expect(minutes / MINUTES).toBeLessThan(1.2);
    expect(notices).toContain('train.fewer_steps');
    expect(result.planned_steps).toBe(result.iterations);
    expect(rates.at(-1)).toBeLessThan(0.11 * Math.max(...rates));
  });

  it('are more again once another program has ended', async () => {
    const { result, notices, minutes } = await run((call) => (call < 60 || call > 220 ? 0.05 : 0.1));
    expect(notices).toContain('train.fewer_steps');
    expect(notices).toContain('train.more_steps');
    expect(minutes / MINUTES).toBeGreaterThan(0.9);
    expect(minutes / MINUTES).toBeLessThan(1.1);
    expect(result.planned_steps).toBe(result.iterations);
  });

  it('are stored: a run that resumes takes the same, and gives the same bytes', async () => {
    const whole = await run(busyAtFirst(60));
    const slot = memorySlot();
    const stopAt = Math.floor(0.8 * (whole.result.iterations ?? 0));
    await expect(run(busyAtFirst(60), slot, stopAt)).rejects.toMatchObject({ code: 'stopped' });
    const resumed = await run(() => 3, slot);
    expect(resumed.result.planned_steps).toBe(whole.result.planned_steps);
    expect(hashOf(resumed.weights)).toBe(hashOf(whole.weights));
  });
});

describe('the rate of fewer steps', () => {
  it('reaches its end with them', () => {
    const line = tinyConfig({ learning_rate: 1, min_lr: 0, warmup_iters: 0, lr_schedule: 'linear', max_iters: 60 });
    const config = { ...line, extensions: [{ step: 20, iterations: -40 }] };
    expect(learningRateAt(19, config)).toBeCloseTo(0.81, 9);
    expect(learningRateAt(20, config)).toBeCloseTo(0.8, 9);
    expect(learningRateAt(40, config)).toBeCloseTo(0.4, 9);
    expect(learningRateAt(60, config)).toBe(0);
  });
});
