/** Generation: prefixes stay, noise decides, batches do not matter, and some ids are never drawn. */
import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createWriter, generate, type Passage } from '../../../main/engine/generate/generate.js';
import { createParameters, initialWeights } from '../../../main/engine/model/model.js';
import { uniforms } from '../../../main/engine/rng.js';
import { sampleTokens } from '../../../main/engine/generate/sampling.js';
import type { SamplingRule } from '../../../main/engine/model/sampling-rule.js';
import type { Session } from '../../../main/engine/runtime/types.js';
import { withSession } from '../../../main/engine/runtime/session.js';
import { testEnvironment, tinyLlama, tinyModel, type TestEnvironment } from '../../support/engine.js';

// Larger weights than GPT-2's start: an untrained model's choices would hardly depend on the prefix.
const weights = Object.fromEntries(
  Object.entries(initialWeights(tinyModel, 3)).map(([name, { shape, data }]) => [
    name,
    { shape, data: shape.length === 2 ? data.map((value) => value * 20) : data },
  ]),
);
const T = tinyModel.block_size;
const free: SamplingRule = { temperature: 1, topK: null, vocabLimit: 8 };
let env: TestEnvironment;
beforeAll(async () => {
  env = await testEnvironment();
});

async function complete(passages: readonly Passage[], rule = free, batchSize = 4) {
  return withSession(env.runtime, async (session) => {
    const writer = createWriter(session, tinyModel, createParameters(session, weights), batchSize, rule, env);
    const written = await writer.complete(passages, { seed: 1, stream: 9 });
    return (written ?? []).map(({ ids }) => Array.from(ids));
  });
}

const passage = (index: number, ...prefix: number[]): Passage => ({ prefix: Uint16Array.from(prefix), index });

describe('completing passages', () => {
  it('leaves nothing behind where the runtime fails as it begins', async () => {
    const session = env.runtime.createSession();
    const failing: Session = Object.assign(Object.create(session) as Session, {
      compile: ((fn, options) =>
        options.name === 'prefill'
          ? { together: () => expect.fail('no memory') }
          : session.compile(fn, options)) as Session['compile'],
    });
    const writer = createWriter(failing, tinyModel, createParameters(session, weights), 4, free, env);
    const before = tf.memory().numTensors;
    const given = Array.from({ length: T - 1 }, (_, i) => i % 8);
    const written = writer.complete([passage(0, ...given)], { seed: 1, stream: 9 });
    await expect(written).rejects.toThrow('no memory');
    expect(tf.memory().numTensors).toBe(before);
    session.dispose();
  });

  it('keeps prefixes of any lengths, and fills the block', async () => {
    const prefixes = [[1], [2, 3, 4, 5, 6], Array.from({ length: T }, (_, i) => i % 8)];
    const texts = await complete(prefixes.map((prefix, i) => passage(i, ...prefix)));
    texts.forEach((text, row) => {
      expect(text).toHaveLength(T);
      expect(text.slice(0, prefixes[row]?.length)).toEqual(prefixes[row]);
    });
  });

  it('writes the same passage alone and in a batch', async () => {
    const [alone] = await complete([passage(5, 1, 2)]);
    const batch = await complete([passage(0, 3), passage(5, 1, 2), passage(6, 4, 4, 4)]);
    expect(batch[1]).toEqual(alone);
    expect((await complete([passage(6, 1, 2)]))[0]).not.toEqual(alone);
  });

  it('writes the same for who reads along, who has given tokens at once and new ones every few', async () => {
    for (const length of [1, 2, 5, T / 2, T / 2 + 1, T - 1]) {
      const passages = [3, 4].map((index) => passage(index, ...Array.from({ length }, (_, i) => (i * 3) % 8)));
      const session = env.runtime.createSession();
      const writer = createWriter(session, tinyModel, createParameters(session, weights), 2, free, env);
      const shown: number[][] = [];
      const noise = { seed: 1, stream: 9 };
      const written = await writer.complete(passages, noise, T, {
        onTokens: ([first]) => void shown.push(Array.from(first?.ids ?? [])),
      });
      session.dispose();
      const texts = await complete(passages);
      expect(written?.map(({ ids }) => Array.from(ids))).toEqual(texts);
      for (const ids of shown) expect(ids).toEqual(texts[0]?.slice(0, ids.length));
      expect(shown.at(-1)).toEqual(texts[0]);
    }
  });

  it('never draws an id that the tokenizer does not have', async () => {
    const texts = await complete([passage(0, 1), passage(1, 1), passage(2, 1)], {
      ...free,
      temperature: 50,
      vocabLimit: 3,
    });
    expect(Math.max(...texts.flat())).toBeLessThan(3);
  });
});

describe('generate', () => {
  it('writes exactly as many tokens as requested, also beyond the context', async () => {
    const prompts = [Uint16Array.of(1, 2), Uint16Array.from({ length: 2 * T }, (_, i) => i % 8)];
    const texts = await generate({
      ...free,
      model: tinyModel,
      weights,
      prompts,
      newTokens: 3 * T,
      seed: 1,
      stream: 2,
      env,
    });
    texts.forEach((text, row) => {
      const prompt = Array.from(prompts[row] ?? []);
      expect(text).toHaveLength(prompt.length + 3 * T);
      expect(Array.from(text.slice(0, prompt.length))).toEqual(prompt);
    });
  });

  it('refuses an empty prompt', async () => {
    const empty = [new Uint16Array(0)];
    await expect(
      generate({ ...free, model: tinyModel, weights, prompts: empty, newTokens: 1, seed: 1, stream: 2, env }),
    ).rejects.toMatchObject({ code: 'bad_input', field: 'prompt' });
  });
});

describe('drawing a token', () => {
  const draw = (logits: number[], rule: SamplingRule, draws = 4000) =>
    tf.tidy(() => {
      const rows = tf.tile(tf.tensor2d([logits]), [draws, 1]);
      const u = tf.tensor1d(uniforms(1, 2, 3, 0, draws));
      const counts = new Array<number>(logits.length).fill(0);
      for (const token of sampleTokens(rows, u, rule).dataSync()) counts[token] = (counts[token] ?? 0) + 1;
      return counts.map((count) => count / draws);
    });

  it('draws in proportion to the softmax at the temperature', () => {
    const logits = [0, 1, 2, -3];
    for (const temperature of [0.5, 1, 2]) {
      const powers = logits.map((logit) => Math.exp(logit / temperature));
      const total = powers.reduce((a, b) => a + b);
      draw(logits, { temperature, topK: null, vocabLimit: 4 }).forEach((share, token) => {
        // Five standard deviations of a proportion from 4,000 draws.
        const p = (powers[token] ?? 0) / total;
        expect(Math.abs(share - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / 4000) + 1e-9);
      });
    }
  });

  it('draws only among the likeliest that have the share of top_p together, the one that reaches it included', () => {
    const logits = tf.log(tf.tensor2d([[0.1, 0.4, 0.3, 0.2]])) as tf.Tensor2D;
    const drawn = (topP: number) =>
      [0, 0.2, 0.4, 0.6, 0.8, 0.999].map(
        (u) => sampleTokens(logits, tf.tensor1d([u]), { ...free, vocabLimit: 4, topP }).dataSync()[0],
      );
    expect(drawn(0.6)).toEqual([1, 1, 1, 2, 2, 2]);
    expect(new Set(drawn(0.3))).toEqual(new Set([1]));
    expect(drawn(1)).toContain(0);
  });

  it('draws only among the top k', () => {
    const shares = draw([5, 1, 4, 3], { temperature: 3, topK: 2, vocabLimit: 4 });
    expect(shares[1]).toBe(0);
    expect(shares[3]).toBe(0);
    expect(shares[2]).toBeGreaterThan(0);
  });

  it('finds a token at both ends of the noise', () => {
    const ends = tf.tidy(() =>
      Array.from(
        sampleTokens(
          tf.tensor2d([
            [-1e9, 0, 0],
            [0, 0, -1e9],
          ]),
          tf.tensor1d([0, 1 - 2 ** -24]),
          { temperature: 1, topK: null, vocabLimit: 3 },
        ).dataSync(),
      ),
    );
    expect(ends).toEqual([1, 1]);
  });
});

it('without a table of positions, shortens the window to the tokens, which stay the same', async () => {
  const model = { ...tinyLlama, block_size: 64 };
  const write = async (newTokens: number) => {
    const drawn: number[] = [];
    const watched = {
      ...env,
      runtime: {
        ...env.runtime,
        createSession: () => {
          const session = env.runtime.createSession();
          const compile: typeof session.compile = (fn, options) =>
            session.compile((...args) => {
              if (options.name === 'decode') drawn.push((args[1] as { uniform: tf.Tensor }).uniform.shape[1] ?? 0);
              return fn(...args);
            }, options);
          return { ...session, variable: session.variable, compile };
        },
      },
    };
    const noise = { seed: 1, stream: 9 };
    const options = { model, weights: initialWeights(model, 3), prompts: [Uint16Array.of(1, 2)], newTokens };
    const [text = []] = await generate({ ...options, ...noise, ...free, env: watched });
    return { text: Array.from(text), drawn };
  };
  const [short, long, longest] = [await write(6), await write(20), await write(100)];
  expect([short.drawn, long.drawn, longest.drawn]).toEqual([[8], [22], [64]]);
  expect(short.text).toHaveLength(8);
  expect(long.text.slice(0, 8)).toEqual(short.text);
  expect(longest.text).toHaveLength(102);
});
