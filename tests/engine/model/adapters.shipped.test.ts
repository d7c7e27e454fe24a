/**
 * Adapters in every phase: they learn alone, resume to the byte, generate with a cache, merge into their matrices, and share frozen
 * weights with other networks. Gradients are compared with PEFT's in tests/parity/adapters.shipped.test.ts.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { isAdapter } from '../../../shared/architectures/adapters.js';
import { parameterCount, trainedCount } from '../../../shared/architectures/index.js';
import type { GPTConfig } from '../../../shared/config/model.js';
import { generate } from '../../../main/engine/generate/generate.js';
import { trainGrpo } from '../../../main/engine/grpo/grpo.js';
import { frozenOf, merged, trainedOf } from '../../../main/engine/model/adapters.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { trainRewardModel } from '../../../main/engine/reward/reward.js';
import { uniformInt } from '../../../main/engine/rng.js';
import type { Session } from '../../../main/engine/runtime/types.js';
import { tokensInMemory } from '../../../main/engine/train/dataset.js';
import { perplexity } from '../../../main/engine/train/perplexity.js';
import { trainBase } from '../../../main/engine/train/train.js';
import type { NamedArrays } from '../../../main/engine/types.js';
import {
  hashOf,
  memorySlot,
  patternTokens,
  samplesInMemory,
  testEnvironment,
  tinyConfig,
  tinyLlama,
  tinyModel,
} from '../../support/engine.js';

const T = tinyModel.block_size;
const lora = { rank: 4, alpha: 8, projections: 'all' } as const;

/** The base's text in other tokens. */
const otherTokens = (length: number) =>
  tokensInMemory(Array.from(patternTokens(length).read(0, length), (id) => (3 * id + 1) % 8));
const [trainTokens, valTokens] = [otherTokens(2000), otherTokens(400)];

/** An environment that notes the names of all variables. */
async function counting(onStep?: { readonly phase: string; readonly step: number }) {
  const env = await testEnvironment((event, stop) => {
    if (event.event === 'metrics' && event.phase === onStep?.phase && event.step === onStep.step) stop();
  });
  const placed: string[] = [];
  const runtime = {
    ...env.runtime,
    createSession(): Session {
      const session = env.runtime.createSession();
      const variable: Session['variable'] = (name, ...rest) => {
        placed.push(name);
        return session.variable(name, ...rest);
      };
      return { ...session, variable };
    },
  };
  return { env: { ...env, runtime }, placed };
}

describe.each([
  ['gpt2', tinyModel],
  ['llama', tinyLlama],
] as const)('adapters of %s', (_name, plain) => {
  const model: GPTConfig = { ...plain, lora };
  let base: NamedArrays;
  let adapted: NamedArrays;

  const train = async (slot = memorySlot(), stopAt?: number) => {
    const { env, placed } = await counting(stopAt === undefined ? undefined : { phase: 'base_training', step: stopAt });
    const config = tinyConfig({ max_iters: 40, learning_rate: 3e-2 });
    const options = { model, train: config, seed: 3, trainTokens, valTokens, slot, env, from: base };
    return { ...(await trainBase(options)), placed };
  };
  const lossOf = async (network: GPTConfig, weights: NamedArrays) =>
    (
      await perplexity({
        model: network,
        weights,
        tokens: valTokens,
        phase: 'evaluation',
        env: await testEnvironment(),
      })
    ).loss;

  beforeAll(async () => {
    const [trainTokens, valTokens] = [patternTokens(2000), patternTokens(400)];
    const shared = { train: tinyConfig(), seed: 3, trainTokens, valTokens, slot: memorySlot() };
    base = (await trainBase({ ...shared, model: plain, env: await testEnvironment() })).weights;
    adapted = (await train()).weights;
  });

  it('begin as nothing, learn another text, and leave every other number as it was', async () => {
    const [before, after] = [await lossOf(plain, base), await lossOf(model, adapted)];
    expect(await lossOf(model, initialWeights(model, 3, base))).toBeCloseTo(before, 6);
    expect(after).toBeLessThan(before - 1);
    expect(hashOf(frozenOf(model, adapted))).toBe(hashOf(base));
    expect(trainedCount(model)).toBeLessThan(parameterCount(model) / 2);
  });

  it('stopped and resumed, end in the same bytes; only they have moments and are in checkpoints', async () => {
    const slot = memorySlot();
    await expect(train(slot, 20)).rejects.toMatchObject({ code: 'stopped' });
    expect(Object.keys(slot.saved?.weights ?? {}).every(isAdapter)).toBe(true);
    const learned = Object.keys(slot.saved?.optimizer ?? {});
    expect(learned.length).toBeGreaterThan(0);
    expect(learned.every(isAdapter)).toBe(true);
    const { weights, placed } = await train(slot);
    expect(hashOf(weights)).toBe(hashOf(adapted));
    const adapters = Object.keys(weights).filter(isAdapter);
    const moments = adapters.flatMap((name) => [`m.${name}`, `v.${name}`]);
    expect(placed.sort()).toEqual([...Object.keys(base), ...adapters, ...moments].sort());
  });

  it('added into the matrices, are the same network: its loss and what it writes with a cache', async () => {
    const whole = merged({ model, weights: adapted });
    expect(Object.keys(whole.weights).sort()).toEqual(Object.keys(base).sort());
    expect(await lossOf(whole.model, whole.weights)).toBeCloseTo(await lossOf(model, adapted), 5);
    const env = await testEnvironment();
    const rule = { temperature: 1, topK: 1, vocabLimit: 8, seed: 1, stream: 1, newTokens: 12, env };
    const prompts = [Uint16Array.of(1, 4), Uint16Array.of(2, 3)];
    const texts = [{ model, weights: adapted }, whole].map((network) => generate({ ...network, ...rule, prompts }));
    const [separate, together] = await Promise.all(texts);
    expect(separate).toEqual(together);
  });

  it.each(['critic', 'head'] as const)(
    'with a reward model of kind %s, GRPO keeps what is frozen once',
    async (reward_kind) => {
      const crossovers = Array.from({ length: 96 }, (_, row) => 1 + uniformInt(1, 20, row, 0, T - 1));
      const rows = crossovers.map((k, row) =>
        Array.from({ length: T }, (_, i) => uniformInt(1, 20, row, i + 1, 4) + (i >= k ? 4 : 0)),
      );
      const samples = samplesInMemory(
        T,
        rows,
        crossovers.map((k) => k / T),
      );
      const config = tinyConfig({ reward_kind, grpo_max_steps: 3, grpo_learning_rate: 3e-3 });
      const critic = { model, weights: initialWeights(model, 9, base) };
      const [judging, learning] = [await counting(), await counting()];
      const reward = await trainRewardModel({
        ...{ model, weights: adapted, critic, trainSamples: samples, valSamples: samples, config, seed: 1 },
        ...{ slot: memorySlot(), env: judging.env },
      });
      const frozen = ({ placed }: typeof judging) =>
        placed
          .filter((name) => !isAdapter(name) && !name.includes('reward_'))
          .map((name) => name.replace(/^(policy|reference|reward|generator)\./, ''))
          .sort();
      const once = Object.keys(base).sort();
      expect(frozen(judging)).toEqual(reward_kind === 'head' ? once.filter((name) => name in reward.weights) : once);
      const kept = frozenOf(reward.model, reward.weights);
      expect(Object.keys(kept).length).toBeGreaterThan(10);
      for (const [name, { data }] of Object.entries(kept)) expect(data, name).toEqual(base[name]?.data);

      const grpo = async (slot = memorySlot(), env = learning.env) =>
        trainGrpo({
          ...{
            model,
            policy: adapted,
            rewardModel: reward.model,
            rewardWeights: reward.weights,
            trainTokens,
            valTokens,
          },
          ...{ config, generation: config, tokenization: 'char', vocabLimit: 8, seed: 3, slot, env },
        });
      const { weights } = await grpo();
      expect(frozen(learning)).toEqual(once);
      expect(hashOf(frozenOf(model, weights))).toBe(hashOf(base));
      expect(hashOf(trainedOf(model, weights))).not.toBe(hashOf(trainedOf(model, adapted)));
      const slot = memorySlot();
      const stopped = (await counting({ phase: 'grpo', step: 2 })).env;
      await expect(grpo(slot, stopped)).rejects.toMatchObject({ code: 'stopped' });
      expect(hashOf((await grpo(slot)).weights)).toBe(hashOf(weights));
    },
  );
});
