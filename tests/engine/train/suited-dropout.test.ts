/** Dropout where training goes through its text often: when, how it is told, and that a run which resumes keeps it. */
import { describe, expect, it } from 'vitest';
import { trainConfigSchema } from '../../../shared/config/train.js';
import { fittedTo } from '../../../main/engine/train/minutes.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { hashOf, memorySlot, patternTokens, testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';
import { teamOf } from '../../support/team.js';
import { passesThrough, suitedDropout } from '../../../shared/config/suited-dropout.js';

const model = { block_size: 64, dropout: 0 };
const train = trainConfigSchema.parse({ batch_size: 10, max_iters: 100, dropout_passes: 5 });

describe('dropout by how often a text is read', () => {
  it('counts passes by the tokens of all steps', () => {
    expect(passesThrough(train, model, 64_000)).toBe(1);
    expect(passesThrough({ ...train, gradient_accumulation_steps: 3 }, model, 64_000)).toBe(3);
  });

  it.each([
    { tokens: 12_800, most: 5, own: 0, expected: 0 },
    { tokens: 12_799, most: 5, own: 0, expected: 0.1 },
    { tokens: 6_400, most: 5, own: 0, expected: 0.1 },
    { tokens: 6_399, most: 5, own: 0, expected: 0.2 },
    { tokens: 100, most: null, own: 0, expected: 0 },
    { tokens: 100, most: 5, own: 0.2, expected: 0.2 },
    { tokens: 12_000, most: 5, own: 0.05, expected: 0.1 },
  ])('$tokens tokens, from $most passes on, with $own of its own: $expected', ({ tokens, most, own, expected }) => {
    expect(suitedDropout({ ...train, dropout_passes: most }, { ...model, dropout: own }, tokens)).toBe(expected);
  });
});

const trainTokens = patternTokens(400);
const valTokens = patternTokens(200);

async function run(
  changes: Parameters<typeof tinyConfig>[0],
  { slot = memorySlot(), stopAt = Infinity, dropout = 0 } = {},
) {
  let time = 0;
  const env = await testEnvironment((event, stop) => {
    if (event.event === 'metrics' && event.step >= stopAt) stop();
  });
  const clock = { ...env, now: () => (time += 100) };
  const learns = { model: { ...tinyModel, dropout }, train: tinyConfig(changes), seed: 7, trainTokens, valTokens };
  return { ...(await trainBase({ ...learns, slot, env: clock })), events: env.events };
}

const often = { max_iters: 30, dropout_passes: 2 };

describe('training on a little text', () => {
  it.each([1, 3])(
    'takes the steps of that dropout, and says so: %i batches a step',
    async (gradient_accumulation_steps) => {
      const suited = await run({ ...often, gradient_accumulation_steps });
      const dropout = suited.result.dropout;
      expect(dropout).toBeGreaterThan(0);
      const asked = await run(
        { ...often, gradient_accumulation_steps, dropout_passes: null },
        { dropout: dropout ?? 0 },
      );
      expect(asked.result.dropout).toBeUndefined();
      expect(hashOf(suited.weights)).toBe(hashOf(asked.weights));
      const told = suited.events.filter((event) => event.event === 'notice' && event.code === 'dropout');
      expect(told).toHaveLength(1);
    },
  );

  it('leaves out nothing where the text is read less often', async () => {
    const plain = await run({ ...often, dropout_passes: null });
    const seldom = await run({ ...often, dropout_passes: 1000 });
    expect(seldom.result.dropout).toBeUndefined();
    expect(hashOf(seldom.weights)).toBe(hashOf(plain.weights));
  });

  it('knows it only when the minutes are steps', async () => {
    const timed = await run({ dropout_passes: 2, train_minutes: 0.25, max_iters: 1 });
    expect(timed.result.planned_steps).toBeGreaterThan(10);
    expect(timed.result.dropout).toBeGreaterThan(0);
    const plain = await run(fittedTo(tinyConfig({ dropout_passes: null }), timed.result.planned_steps ?? 0), {
      dropout: timed.result.dropout ?? 0,
    });
    expect(hashOf(timed.weights)).toBe(hashOf(plain.weights));
  });

  it('knows it in several ranks too, which have taken steps by then', async () => {
    const together = async (changes: Parameters<typeof tinyConfig>[0], dropout: number) => {
      const team = teamOf([{ requested: false }, { requested: false }]);
      const ranks = team.map(async (member) => {
        let time = 0;
        const env = { ...(await testEnvironment()), team: member, now: () => (time += 100) };
        const learns = {
          model: { ...tinyModel, dropout },
          train: tinyConfig(changes),
          seed: 7,
          trainTokens,
          valTokens,
        };
        return trainBase({ ...learns, slot: memorySlot(), env });
      });
      return Promise.all(ranks);
    };
    const timed = await together({ dropout_passes: 2, train_minutes: 0.1, max_iters: 1 }, 0);
    const { dropout = 0, planned_steps: steps = 0 } = timed[0]?.result ?? {};
    expect(dropout).toBeGreaterThan(0);
    const plain = await together(fittedTo(tinyConfig({ dropout_passes: null }), steps), dropout);
    const weightsOf = (ranks: typeof timed) => ranks.map(({ weights }) => hashOf(weights));
    expect(weightsOf(timed)).toEqual(weightsOf(plain));
  });

  it('keeps it in a run that resumes, though it is asked for no longer', async () => {
    const whole = await run(often);
    const slot = memorySlot();
    await expect(run(often, { slot, stopAt: 10 })).rejects.toMatchObject({ code: 'stopped' });
    const resumed = await run({ ...often, dropout_passes: null }, { slot });
    expect(hashOf(resumed.weights)).toBe(hashOf(whole.weights));
  });
});
