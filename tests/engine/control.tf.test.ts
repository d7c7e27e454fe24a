/** Changes while a project runs: where they hold, and that replaying them at their steps gives the same bytes. */
import { describe, expect, it } from 'vitest';
import { applyLiveSettings, directionsAt, type PhaseControl, type PlacedChange } from '../../main/engine/control.js';
import { trainBase } from '../../main/engine/train/train.js';
import { hashOf, memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModel } from '../support/engine.js';

const none = { settings: {}, iterations: 0, skip: false };
const at = (cycle: number, phase: 'base_training' | 'grpo', step: number) => ({ cycle, phase, step });

describe('directionsAt', () => {
  const changes: readonly PlacedChange[] = [
    { ...none, settings: { learning_rate: 0.1 }, place: at(0, 'base_training', 10) },
    { ...none, settings: { learning_rate: 0.2, beta: 1 }, place: at(0, 'base_training', 20) },
    { ...none, iterations: 5, place: at(0, 'base_training', 20) },
    { ...none, skip: true, place: at(1, 'grpo', 3) },
  ];

  it.each([
    [at(0, 'base_training', 9), none],
    [at(0, 'base_training', 10), { ...none, settings: { learning_rate: 0.1 } }],
    [at(0, 'base_training', 25), { settings: { learning_rate: 0.2, beta: 1 }, iterations: 5, skip: false }],
    [at(1, 'grpo', 2), { settings: { learning_rate: 0.2, beta: 1 }, iterations: 0, skip: false }],
    [at(1, 'grpo', 3), { settings: { learning_rate: 0.2, beta: 1 }, iterations: 0, skip: true }],
    [at(2, 'grpo', 9), { settings: { learning_rate: 0.2, beta: 1 }, iterations: 0, skip: false }],
  ] as const)('%j', (place, directions) => {
    expect(directionsAt(changes, place)).toEqual(directions);
    // The order they were made in does not matter, only their places.
    expect(directionsAt([...changes].reverse(), place)).toEqual(directions);
  });
});

describe('applyLiveSettings', () => {
  it('gives the configuration itself when nothing was changed, and only what the phase knows', async () => {
    const env = await testEnvironment();
    const config = { learning_rate: 1, max_iters: 10 };
    expect(applyLiveSettings(env, config, 0)).toEqual({ config, skip: false });
    expect(applyLiveSettings(env, config, 0).config).toBe(config);
    const control: PhaseControl = {
      at: () => ({ settings: { learning_rate: 2, beta: 3 }, iterations: 4, skip: true }),
    };
    expect(applyLiveSettings({ ...env, control }, config, 0)).toEqual({
      config: { learning_rate: 2, max_iters: 14 },
      skip: true,
    });
  });
});

describe('base training under control', () => {
  const changes: readonly PlacedChange[] = [
    { ...none, settings: { learning_rate: 0.02, log_interval: 5 }, place: at(0, 'base_training', 25) },
    { ...none, iterations: 10, place: at(0, 'base_training', 60) },
    { ...none, skip: true, place: at(0, 'base_training', 67) },
  ];

  async function train(made: readonly PlacedChange[], stopAt: readonly number[] = []) {
    const slot = memorySlot();
    const stops = [...stopAt];
    const steps: number[] = [];
    for (;;) {
      const env = await testEnvironment((event, stop) => {
        if (event.event === 'metrics' && 'loss' in event.values) steps.push(event.step);
        if (event.event === 'progress' && event.done === stops[0]) {
          stops.shift();
          stop();
        }
      });
      let clock = 0;
      try {
        const { weights, result } = await trainBase({
          model: tinyModel,
          train: tinyConfig({ patience: 9 }),
          seed: 7,
          trainTokens: patternTokens(2000),
          valTokens: patternTokens(300),
          slot,
          // A clock that runs fast enough to report every step.
          env: {
            ...env,
            now: () => (clock += 1000),
            control: { at: (step) => directionsAt(made, at(0, 'base_training', step)) },
          },
        });
        return { hash: hashOf(weights), result: { ...result, tokens_per_second: 0 }, steps };
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'stopped')) throw error;
      }
    }
  }

  it('ends in other bytes than without, and in the same ones however often it was interrupted', async () => {
    const plain = await train([]);
    const whole = await train(changes);
    expect(plain.result).toMatchObject({ iterations: 60, stopped_because: 'max_iters' });
    expect(whole.result).toMatchObject({ iterations: 67, stopped_because: 'asked' });
    expect(whole.steps).toEqual([10, 20, 30, 35, 40, 45, 50, 55, 60, 65]);
    expect(whole.hash).not.toBe(plain.hash);
    const broken = await train(changes, [24, 25, 26, 59, 60, 61, 66]);
    expect(broken.hash).toBe(whole.hash);
    expect(broken.result).toEqual(whole.result);
  });
});
