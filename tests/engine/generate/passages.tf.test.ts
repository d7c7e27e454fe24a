/** Generation that fails: tried again, then left out and counted, on a real model that really fails. */
import { verbatim } from '../../../shared/messages/message.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { createWriter, type Writer } from '../../../main/engine/generate/generate.js';
import { createParameters, initialWeights } from '../../../main/engine/model/model.js';
import { createSureWriter } from '../../../main/engine/generate/passages.js';
import { makeRewardData, planRewardData, type Split } from '../../../main/engine/reward/reward-data.js';
import type { Session } from '../../../main/engine/runtime/types.js';
import type { NamedArrays } from '../../../main/engine/types.js';
import { UserError } from '../../../shared/errors.js';
import { testEnvironment, tinyConfig, tinyModel } from '../../support/engine.js';

/** A model whose numbers stop being finite as soon as it reads token 5, which it never writes itself. */
function brokenAtFive(): NamedArrays {
  const weights = structuredClone(initialWeights(tinyModel, 1)) as Record<string, { data: Float32Array }>;
  const embedding = weights['transformer.wte.weight']?.data ?? new Float32Array();
  // Two numbers whose sum is infinite, and so are the means that layer norms take.
  embedding
    .fill(0, 5 * tinyModel.n_embd, 6 * tinyModel.n_embd)
    .fill(3e38, 5 * tinyModel.n_embd, 5 * tinyModel.n_embd + 2);
  // What they are multiplied with at the end is always the same, so that the score of token 5 is low and finite.
  weights['transformer.ln_f.weight']?.data.fill(0, 0, 2);
  weights['transformer.ln_f.bias']?.data.fill(-0.4, 0, 2);
  return weights as unknown as NamedArrays;
}

/** Ordinary tokens, with a 5 in every so many. */
const withFives = (length: number, every: number) =>
  tokensInMemory(
    Array.from({ length }, (_, i) => (i % every === every - 1 ? 5 : ([1, 2, 3, 4, 6, 7][(i * i) % 6] ?? 0))),
  );

describe('reward data from a model that fails on some text', () => {
  const tokens = { train: withFives(1600, 90), val: withFives(320, 90) };
  const config = tinyConfig({ reward_train_samples: null, reward_val_samples: null, samples_per_chunk: 2 });

  const make = async (weights: NamedArrays, data = tokens) => {
    const env = await testEnvironment();
    const kept: Record<Split, { x: number[]; y: number[] }> = { train: { x: [], y: [] }, val: { x: [], y: [] } };
    const counts = await makeRewardData({
      ...{ model: tinyModel, weights, tokens: data, config, generation: config, seed: 7, vocabLimit: 8, env },
      append(split, x, y) {
        kept[split].x.push(...x);
        kept[split].y.push(...y);
      },
    });
    return { counts, kept, events: env.events };
  };

  it('omits just the samples whose natural part it cannot read, and counts them', async () => {
    const plans = planRewardData({ model: tinyModel, tokens, config, seed: 7 });
    const readable = (split: Split) =>
      plans[split].filter(({ start, crossover }) => !tokens[split].read(start, crossover).includes(5));
    const { counts, kept, events } = await make(brokenAtFive());
    const skipped = plans.train.length + plans.val.length - readable('train').length - readable('val').length;
    expect(skipped).toBeGreaterThan(5);
    expect(counts).toEqual({ train: readable('train').length, val: readable('val').length, skipped });
    readable('train').forEach(({ start, crossover }, row) => {
      expect(kept.train.x.slice(row * 16, row * 16 + crossover)).toEqual(
        Array.from(tokens.train.read(start, crossover)),
      );
      expect(kept.train.y[2 * row]).toBe(crossover / 16);
    });
    expect(events.filter((event) => event.event === 'notice')).toEqual([
      expect.objectContaining({ level: 'warning', code: 'skipped_samples' }),
    ]);
    const last = events.filter((event) => event.event === 'progress').at(-1);
    expect(last).toMatchObject({ done: plans.train.length + plans.val.length });
  });

  it('gives up when most of it fails', async () => {
    const all = { train: withFives(1600, 2), val: withFives(320, 2) };
    await expect(make(brokenAtFive(), all)).rejects.toMatchObject({ code: 'diverged', field: 'model_path' });
    const nothing = structuredClone(initialWeights(tinyModel, 1)) as Record<string, { data: Float32Array }>;
    nothing['transformer.ln_f.weight']?.data.fill(NaN);
    await expect(make(nothing as unknown as NamedArrays)).rejects.toMatchObject({ code: 'diverged' });
  });
});

describe('a writer whose runtime fails now and then', () => {
  const noise = { seed: 3, stream: 9 };
  const passages = [1, 2, 3].map((token, index) => ({ prefix: Uint16Array.of(token), index }));
  let session: Session;
  let writer: Writer;
  beforeAll(async () => {
    const env = await testEnvironment();
    session = env.runtime.createSession();
    const rule = { temperature: 1, topK: null, vocabLimit: 8 };
    writer = createWriter(session, tinyModel, createParameters(session, initialWeights(tinyModel, 1)), 4, rule, env);
  });
  afterAll(() => session.dispose());

  /** The real writer, with failures put in between: for each call, what it throws, or nothing. */
  const failing = (fails: (call: number, indices: readonly number[]) => unknown) => {
    let call = 0;
    const seen: number[][] = [];
    const flaky: Writer = {
      async complete(given, place) {
        seen.push(given.map(({ index }) => index));
        const failure = fails(
          call++,
          given.map(({ index }) => index),
        );
        if (failure !== undefined) throw failure;
        return writer.complete(given, place);
      },
    };
    return { sure: createSureWriter(flaky, 8), seen };
  };

  it('writes the same passages in the end, each tried alone with the same noise', async () => {
    const { sure, seen } = failing((call) => (call === 0 ? new Error('no memory') : undefined));
    expect(await sure.complete(passages, noise)).toEqual(await writer.complete(passages, noise));
    expect(seen).toEqual([[0, 1, 2], [0], [1], [2]]);
  });

  it('goes without a passage that fails every time, and fails itself when all do', async () => {
    const failure = new Error('no memory');
    const one = failing((_, indices) => (indices.some((index) => index % 2 ** 40 === 1) ? failure : undefined));
    const written = await one.sure.complete(passages, noise);
    expect(written?.map((passage) => passage !== null)).toEqual([true, false, true]);
    const all = failing(() => failure);
    await expect(all.sure.complete(passages, noise)).rejects.toBe(failure);
  });

  it('passes on the user’s stop at once', async () => {
    const stop = new UserError({ code: 'stopped', message: verbatim('Stopped'), hint: verbatim('Run it again.') });
    const { sure, seen } = failing(() => stop);
    await expect(sure.complete(passages, noise)).rejects.toBe(stop);
    expect(seen).toHaveLength(1);
  });

  it('retries numbers that are not finite with other noise, as often as stated', async () => {
    let call = 0;
    const indices: number[][] = [];
    const poisoned: Writer = {
      async complete(given, place) {
        indices.push(given.map(({ index }) => index));
        const written = await writer.complete(given, place);
        if (call++ < 2) written?.[0]?.logProbs.fill(NaN, 5);
        return written;
      },
    };
    const written = await createSureWriter(poisoned, 8).complete(passages, noise);
    expect(indices).toEqual([[0, 1, 2], [2 ** 42], [2 * 2 ** 42]]);
    const other = await writer.complete([{ prefix: Uint16Array.of(1), index: 2 * 2 ** 42 }], noise);
    expect(written?.[0]).toEqual(other?.[0]);
  });
});
