/** Dropout if training goes through its text often: when, how it is reported, and that a run which resumes has it still. */
import { describe, expect, it } from 'vitest';
import { trainConfigSchema } from '../../../shared/config/train.js';
import { fittedTo } from '../../../main/engine/train/plan.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { withClock } from '../../support/clock.js';
import { hashOf, memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModern } from '../../support/engine.js';
import { teamOf } from '../../support/team.js';
import { passesThrough, suitedDropout } from '../../../shared/config/suited-dropout.js';

describe('dropout by how often a text is read', () => {
  it('counts passes by the tokens of all steps', () => {
    const model = { block_size: 64 };
    const train = trainConfigSchema.parse({ batch_size: 10, max_iters: 100 });
    expect(passesThrough(train, model, 64_000)).toBe(1);
    expect(passesThrough({ ...train, gradient_accumulation_steps: 3 }, model, 64_000)).toBe(3);
  });

  it.each([
    { passes: 8, own: 0, expected: 0 },
    { passes: 8.01, own: 0, expected: 0.1 },
    { passes: 16, own: 0, expected: 0.1 },
    { passes: 16.01, own: 0, expected: 0.2 },
    { passes: 100, own: 0.3, expected: 0.3 },
    { passes: 9, own: 0.05, expected: 0.1 },
  ])('$passes passes, with $own of its own: $expected', ({ passes, own, expected }) => {
    expect(suitedDropout({ architecture: 'modern', dropout: own }, passes)).toBe(expected);
    expect(suitedDropout({ dropout: own }, passes)).toBe(own);
  });
});

const trainTokens = patternTokens(400);
const valTokens = patternTokens(200);

interface RunOptions {
  readonly dropout?: number;
  readonly isDropoutFixed?: boolean;
  readonly stopAt?: number;
  readonly slot?: ReturnType<typeof memorySlot>;
}

async function run(
  changes: Parameters<typeof tinyConfig>[0],
  { slot = memorySlot(), stopAt = Infinity, dropout = 0, ...options }: RunOptions = {},
) {
  const env = await testEnvironment((event, stop) => {
    if (event.event === 'metrics' && event.step >= stopAt) stop();
  });
  const clock = withClock(env, () => 0.1);
  const model = { ...tinyModern, dropout };
  const learns = { model, train: tinyConfig(changes), seed: 7, trainTokens, valTokens, ...options };
  return { ...(await trainBase({ ...learns, slot, env: clock })), events: env.events };
}

/** 9.6 passes through the text. */
const often = { max_iters: 30 };
const seldom = { max_iters: 20 };

describe('training on a little text', () => {
  it.each([1, 3])('drops out and reports it: %i batches a step', async (gradient_accumulation_steps) => {
    const suited = await run({ ...often, gradient_accumulation_steps });
    const { dropout = 0 } = suited.result;
    expect(dropout).toBe(gradient_accumulation_steps === 1 ? 0.1 : 0.2);
    const fixed = await run({ ...often, gradient_accumulation_steps }, { dropout, isDropoutFixed: true });
    expect(fixed.result.dropout).toBeUndefined();
    expect(hashOf(suited.weights)).toBe(hashOf(fixed.weights));
    const notices = suited.events.filter((event) => event.event === 'notice' && event.code === 'dropout');
    expect(notices).toHaveLength(1);
  });

  it('drops out nothing if the text is read less often', async () => {
    expect((await run(seldom)).result.dropout).toBeUndefined();
  });

  it('knows the passes only when the minutes are steps', async () => {
    const timed = await run({ train_minutes: 0.25, max_iters: 1 });
    const { planned_steps: steps = 0, dropout = 0 } = timed.result;
    expect(steps).toBeGreaterThan(25);
    expect(dropout).toBeGreaterThan(0);
    const plain = await run(fittedTo(tinyConfig(), steps), { dropout, isDropoutFixed: true });
    expect(hashOf(timed.weights)).toBe(hashOf(plain.weights));
  });

  it('drops out in several ranks too, which have taken steps by then', async () => {
    const together = async (changes: Parameters<typeof tinyConfig>[0], fixed?: number) => {
      const team = teamOf([{ requested: false }, { requested: false }]);
      const ranks = team.map(async (member) => {
        const env = { ...withClock(await testEnvironment(), () => 0.1), team: member };
        const model = { ...tinyModern, dropout: fixed ?? 0 };
        const learns = { model, train: tinyConfig(changes), seed: 7, trainTokens, valTokens };
        return trainBase({ ...learns, isDropoutFixed: fixed !== undefined, slot: memorySlot(), env });
      });
      return Promise.all(ranks);
    };
    const timed = await together({ train_minutes: 0.25, max_iters: 1 });
    const { dropout = 0, planned_steps: steps = 0 } = timed[0]?.result ?? {};
    expect(dropout).toBeGreaterThan(0);
    const plain = await together(fittedTo(tinyConfig(), steps), dropout);
    const weightsOf = (ranks: typeof timed) => ranks.map(({ weights }) => hashOf(weights));
    expect(weightsOf(timed)).toEqual(weightsOf(plain));
  });

  it('resumes with the dropout that the run began with', async () => {
    const whole = await run(often);
    const slot = memorySlot();
    await expect(run(often, { slot, stopAt: 10 })).rejects.toMatchObject({ code: 'stopped' });
    const resumed = await run(often, { slot, isDropoutFixed: true });
    expect(hashOf(resumed.weights)).toBe(hashOf(whole.weights));
  });
});
