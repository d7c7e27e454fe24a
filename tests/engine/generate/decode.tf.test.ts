/** The cached writer against the plain one: the same tokens for the same noise, and the training forward's log-probabilities. */
import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { createWriter, positionsPerChunk, type Passage, type Written } from '../../../main/engine/generate/generate.js';
import { sequenceLogProbs } from '../../../main/engine/model/sequence-scores.js';
import { createParameters, initialWeights } from '../../../main/engine/model/model.js';
import type { SamplingRule } from '../../../main/engine/model/sampling-rule.js';
import { withSession } from '../../../main/engine/runtime/session.js';
import { modelConfigSchema, presets } from '../../../shared/config/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import type { Environment, NamedArrays } from '../../../main/engine/types.js';
import { testEnvironment } from '../../support/engine.js';
import { completePlainly } from '../../support/plain-writer.js';
import { testRuntime } from '../../support/runtime.js';

const noise = { seed: 11, stream: 5 };

/** Heads that share keys and values, of a width of their own, normed and with biases; the head is another matrix. */
const llama = {
  ...{ n_layer: 3, n_head: 4, n_embd: 24, bias: false, architecture: 'llama' },
  llama: {
    ...{ n_kv_head: 2, head_dim: 8, n_inner: 40, norm_epsilon: 1e-5, rope_theta: 10000, max_positions: 256 },
    ...{ tied_head: false, qk_norm: true, attention_bias: 'all' },
  },
};

/** Heads that share keys and values, as no network that begins here has them; scores bounded closely, and the head tied. */
const modern = {
  ...{ n_layer: 3, n_head: 4, n_embd: 24, bias: false, architecture: 'modern' },
  modern: {
    ...{ n_kv_head: 2, head_dim: 8, n_inner: 40, norm_epsilon: 1e-6, rope_theta: 10000, max_positions: 256 },
    ...{ tied_head: true, logit_cap: 3 },
  },
};

/** Presets with their depth and width, but blocks short enough to recompute in a test. */
const shapes = [
  { name: 'nano', model: presets.nano.values, block: 32 },
  { name: 'tiny', model: presets.tiny.values, block: 32 },
  { name: 'small', model: presets.small.values, block: 12 },
  { name: 'medium', model: presets.medium.values, block: 10 },
  // All twelve layers would be 85 million weights, for the same code.
  { name: 'large, two of its layers', model: { ...presets.large.values, n_layer: 2 }, block: 8 },
  { name: 'of Llama’s family', model: llama, block: 32 },
  { name: 'modern', model: { ...presets.nano.values, architecture: 'modern' }, block: 24 },
  { name: 'modern, of another shape', model: modern, block: 32 },
];

const rules: { readonly name: string; readonly rule: Omit<SamplingRule, 'vocabLimit'> }[] = [
  { name: 'greedy', rule: { temperature: 1, topK: 1 } },
  { name: 'sampled', rule: { temperature: 1, topK: null } },
  { name: 'sampled, top 5, temperature 0.8', rule: { temperature: 0.8, topK: 5 } },
  { name: 'sampled, top p, without special tokens', rule: { temperature: 1, topP: 0.8, excluded: [3, 64] } },
];

/** Of the last network: several rules are tried on each, and a large one's take a second to draw. */
let drawn: { readonly of: string; readonly weights: NamedArrays } | null = null;
function weightsOf(model: GPTConfig): NamedArrays {
  const of = JSON.stringify(model);
  if (drawn?.of === of) return drawn.weights;
  const weights = Object.fromEntries(
    Object.entries(initialWeights(model, 2)).map(([name, { shape, data }]) => [
      name,
      // Sharper than GPT-2's start, so that positions and prefixes matter to what is drawn.
      { shape, data: shape.length === 2 ? data.map((value) => value * 3) : data },
    ]),
  );
  drawn = { of, weights };
  return weights;
}

async function compare(
  env: Environment,
  changes: Record<string, unknown>,
  block_size: number,
  rule: Omit<SamplingRule, 'vocabLimit'>,
  lengths: readonly number[] = [1, 5, block_size - 1, block_size, 2],
) {
  const model = modelConfigSchema.parse({ ...changes, block_size, vocab_size: 65 });
  const weights = weightsOf(model);
  const full = { ...rule, vocabLimit: 65 };
  const passages: Passage[] = lengths.map((length, index) => ({
    prefix: Uint16Array.from({ length }, (_, i) => (i * 7 + index) % 65),
    index,
  }));
  return withSession(env.runtime, async (session) => {
    const parameters = createParameters(session, weights);
    const written = await createWriter(session, model, parameters, 6, full, env).complete(passages, noise);
    if (!written) throw new Error('stopped without a request');
    const ids = tf.tensor2d(
      written.flatMap(({ ids }) => Array.from(ids)),
      [lengths.length, block_size],
      'int32',
    );
    const forward = session.compile((x: tf.Tensor) => [sequenceLogProbs(model, parameters, x, full)], {
      name: 'forward',
      xla: false,
    });
    const [scores] = forward(ids);
    const trained = scores.dataSync();
    tf.dispose([ids, scores]);

    const eager = (await testRuntime()).createSession({ compiled: false });
    const plain = completePlainly(model, createParameters(eager, weights), full, noise, passages);
    eager.dispose();
    let apart = 0;
    written.forEach(({ logProbs }, row) => {
      for (let t = passages[row]?.prefix.length ?? 0; t < block_size; t++) {
        const training = trained[row * (block_size - 1) + t - 1] ?? NaN;
        apart = Math.max(apart, Math.abs((logProbs[t] ?? NaN) - training));
      }
    });
    return { written: written.map(({ ids }) => Array.from(ids)), plain: plain.tokens, apart };
  });
}

describe.each(shapes)('writing with a cache, $name', ({ model, block }) => {
  it.each(rules)(
    'gives the plain way’s tokens and the training forward’s log-probabilities: $name',
    async ({ rule }) => {
      const { written, plain, apart } = await compare(await testEnvironment(), model, block, rule);
      expect(written).toEqual(plain);
      expect(apart).toBeLessThan(1e-5);
    },
  );
});

const readerRules = [
  { temperature: 1.4, topP: 0.9, minP: 0.1, repetitionPenalty: 1.6 },
  { temperature: 0.7, topP: 1, minP: 0, repetitionPenalty: 1 },
];

describe('a rule that changes from call to call', () => {
  it.each(['plain', 'compiled with XLA'])('gives the tokens and log-probabilities of each rule: %s', async (how) => {
    const plainEnv = await testEnvironment();
    const env = how === 'plain' ? plainEnv : { ...plainEnv, runtime: await testRuntime() };
    const model = modelConfigSchema.parse({ ...llama, n_layer: 1, block_size: 32, vocab_size: 65 });
    const weights = weightsOf(model);
    const fixed = { temperature: 1, vocabLimit: 60, excluded: [3] };
    const passages = [1, 5, 31].map((length, index) => ({
      prefix: Uint16Array.from({ length }, (_, i) => (i * 7 + index) % 60),
      index,
    }));
    const session = env.runtime.createSession();
    const writer = createWriter(session, model, createParameters(session, weights), 3, fixed, env);
    for (const rule of readerRules) {
      const shown: number[] = [];
      const reader = { rule, onTokens: (texts: readonly Written[]) => void shown.push(texts[0]?.logProbs.length ?? 0) };
      const written = await writer.complete(passages, noise, 32, reader);
      const eager = (await testRuntime()).createSession({ compiled: false });
      const plain = completePlainly(model, createParameters(eager, weights), { ...fixed, ...rule }, noise, passages);
      eager.dispose();
      expect(written?.map(({ ids }) => Array.from(ids))).toEqual(plain.tokens);
      written?.forEach(({ logProbs }, row) =>
        logProbs.forEach((value, t) => expect(value).toBeCloseTo(plain.logProbs[row]?.[t] ?? NaN, 4)),
      );
      expect(shown).toEqual([9, 17, 25, 32]);
    }
    session.dispose();
  });
});

describe('compiled with XLA, as it runs by default', () => {
  it('gives the same tokens too', async () => {
    const env = { ...(await testEnvironment()), runtime: await testRuntime() };
    const { written, plain, apart } = await compare(env, presets.tiny.values, 32, { temperature: 1, topK: null });
    expect(written).toEqual(plain);
    expect(apart).toBeLessThan(1e-5);
  });

  it.each([
    { name: 'in Llama’s family', shape: llama },
    { name: 'in the modern architecture', shape: modern },
  ])('gives them $name, with a cache that grows', async ({ shape }) => {
    const env = { ...(await testEnvironment()), runtime: await testRuntime() };
    const rule = { temperature: 1, topK: null };
    const { written, plain, apart } = await compare(env, { ...shape, n_layer: 1 }, 256, rule, [1, 5, 255, 256, 100]);
    expect(written).toEqual(plain);
    expect(apart).toBeLessThan(1e-5);
  });

  it.each([
    { how: 'with a cache that grows', lengths: [1, 5, 255, 256, 2] },
    { how: 'with beginnings computed at once', lengths: [64, 255, 130, 100] },
  ])('gives them $how', async ({ lengths }) => {
    const env = { ...(await testEnvironment()), runtime: await testRuntime() };
    // One layer: the plain way takes a step of its own for each of the 256 places.
    const shape = { n_layer: 1, n_head: 2, n_embd: 32 };
    const { written, plain, apart } = await compare(env, shape, 256, { temperature: 1, topK: null }, lengths);
    expect(written).toEqual(plain);
    expect(apart).toBeLessThan(1e-5);
  });

  it('lets a stop or a pause in between a few positions of a large model', () => {
    const positions = (values: object, rows: number) =>
      positionsPerChunk(modelConfigSchema.parse({ vocab_size: 49_152, block_size: 1024, ...values }), rows, 2);
    expect(positions({ n_layer: 12, n_head: 12, n_embd: 768 }, 16)).toBe(10);
    expect(positions({ n_layer: 4, n_head: 4, n_embd: 128 }, 16)).toBe(64);
    expect(positions({ n_layer: 48, n_head: 25, n_embd: 1600 }, 16)).toBe(8);
  });

  it('stops between chunks on request', async () => {
    const env = await testEnvironment();
    const model = modelConfigSchema.parse({ ...presets.nano.values, vocab_size: 8, block_size: 64 });
    const session = env.runtime.createSession();
    const writer = createWriter(
      session,
      model,
      createParameters(session, initialWeights(model, 1)),
      1,
      { temperature: 1, topK: null, vocabLimit: 8 },
      {
        ...env,
        yieldToEventLoop: async () => {
          env.stop.requested = true;
        },
      },
    );
    expect(await writer.complete([{ prefix: Uint16Array.of(1), index: 0 }], noise)).toBeNull();
    session.dispose();
  });
});
