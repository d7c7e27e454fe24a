/** Changes while a project runs: where they hold, and that replaying them at their steps gives the same bytes. */
import { describe, expect, it } from 'vitest';
import { applyLiveSettings, directionsAt, type PhaseControl, type PlacedChange } from '../../main/engine/control.js';
import { trainBase } from '../../main/engine/train/train.js';
import { hashOf, memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModel } from '../support/engine.js';

const none = { settings: {}, iterations: 0, skip: false };
const at = (cycle: number, phase: 'base_training' | 'grpo', step: number) => ({ cycle, phase, step });

const asIs = { settings: {}, extensions: [], skip: false };
const later = { ...asIs, settings: { learning_rate: 0.2, beta: 1 } };

describe('directionsAt', () => {
  const changes: readonly PlacedChange[] = [
    { ...none, settings: { learning_rate: 0.1 }, place: at(0, 'base_training', 10) },
    { ...none, settings: { learning_rate: 0.2, beta: 1 }, place: at(0, 'base_training', 20) },
    { ...none, iterations: 5, place: at(0, 'base_training', 20) },
    { ...none, skip: true, place: at(1, 'grpo', 3) },
  ];

  it.each([
    [at(0, 'base_training', 9), asIs],
    [at(0, 'base_training', 10), { ...asIs, settings: { learning_rate: 0.1 } }],
    [at(0, 'base_training', 25), { ...later, extensions: [{ step: 20, iterations: 5 }] }],
    [at(1, 'grpo', 2), later],
    [at(1, 'grpo', 3), { ...later, skip: true }],
    [at(2, 'grpo', 9), later],
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
    expect(applyLiveSettings(env, config, 0)).toEqual({ config, skip: false, extensions: [] });
    expect(applyLiveSettings(env, config, 0).config).toBe(config);
    const control: PhaseControl = {
      at: () => ({ settings: { learning_rate: 2, beta: 3 }, extensions: [{ step: 0, iterations: 4 }], skip: true }),
    };
    const extensions = [{ step: 0, iterations: 4 }];
    expect(applyLiveSettings({ ...env, control }, config, 0)).toEqual({
      config: { learning_rate: 2, max_iters: 14, extensions },
      ...{ skip: true, extensions },
    });
  });
});

describe('base training under control', () => {
  const changes: readonly PlacedChange[] = [
    { ...none, settings: { learning_rate: 0.02, log_interval: 5 }, place: at(0, 'base_training', 25) },
    { ...none, iterations: 10, place: at(0, 'base_training', 60) },
    { ...none, skip: true, place: at(0, 'base_training', 67) },
  ];

  async function train(made: readonly PlacedChange[], stopAt: readonly number[] = [], slot = memorySlot()) {
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

  it('goes on after its end with a rate that rises again, to the same bytes however often it was interrupted', async () => {
    const more = { ...none, iterations: 20, place: at(0, 'base_training', 60) };
    for (const ends of [[more], [{ ...none, skip: true, place: at(0, 'base_training', 60) }, more]]) {
      const slot = memorySlot();
      const first = await train(ends.slice(0, -1), [], slot);
      const gone = await train(ends, [], slot);
      expect(first.result.iterations).toBe(60);
      expect(gone.result).toMatchObject({ iterations: 80, stopped_because: 'max_iters' });
      const again = memorySlot();
      await train(ends.slice(0, -1), [30], again);
      const broken = await train(ends, [61, 70, 79], again);
      expect([broken.hash, broken.result]).toEqual([gone.hash, gone.result]);
      // What is over stays over.
      expect((await train(ends, [], again)).result.iterations).toBe(80);
    }
  });
});
