/** What a token costs, counted from declared shapes, against the formulas of the literature. */
import { describe, expect, it } from 'vitest';
import type { GPTConfig } from '../../../shared/config/model.js';
import { elements, parameterCount, parameterShapes, trainedCount } from '../../../shared/architectures/index.js';
import { checkpointsOnDisk } from '../../../shared/costs/disk.js';
import { trainingBatch, trainingMemory, writingMemory } from '../../../shared/costs/memory.js';
import {
  cachedNumbers,
  forwardFlops,
  multipliedWeights,
  producedNumbers,
  trainingFlops,
  writingFlops,
} from '../../../shared/costs/network.js';
import { grpoStep } from '../../../shared/costs/phases.js';
import { flopsOf } from '../../../shared/costs/work.js';
import { initialWeights } from '../../../main/engine/model/model.js';
import { tinyLlama, tinyModel, tinyModern } from '../../support/engine.js';

const { block_size: T, n_embd: C, n_layer: L, vocab_size: V } = tinyModel;

describe('the cost of a token of GPT-2', () => {
  it('is six operations for each weight that it is multiplied with, and attention', () => {
    const weights = parameterCount(tinyModel) - T * C;
    expect(multipliedWeights(tinyModel)).toBe(weights);
    expect(trainingFlops(tinyModel)).toBe(6 * weights + 12 * L * C * T);
    expect(forwardFlops(tinyModel, 0)).toBe(2 * weights);
    expect(writingFlops(tinyModel, 3)).toBe(3 * (T - 1) * forwardFlops(tinyModel, T / 2));
  });

  it('is kept as keys and values of every layer, beside what nine widths of matrices make', () => {
    expect(cachedNumbers(tinyModel)).toBe(2 * L * C);
    expect(producedNumbers(tinyModel)).toBe(9 * L * C);
  });

  it('knows the vocabulary apart from the blocks', () => {
    expect(producedNumbers({ ...tinyModel, vocab_size: 4 * V })).toBe(producedNumbers(tinyModel));
  });
});

describe('the cost of a token of Llama’s family', () => {
  const { n_kv_head: G = 0, head_dim: D = 0, n_inner = 0 } = tinyLlama.llama ?? {};
  const tied: GPTConfig = { ...tinyLlama, llama: tinyLlama.llama && { ...tinyLlama.llama, tied_head: true } };

  it('leaves out the embedding, of which a token only takes a row, unless it is the head too', () => {
    const count = parameterCount(tinyLlama);
    expect(multipliedWeights(tinyLlama)).toBe(count - V * C);
    expect(parameterCount(tied)).toBe(count - V * C);
    expect(multipliedWeights(tied)).toBe(multipliedWeights(tinyLlama));
  });

  it('has attention over all heads, and a cache of those of keys and values alone', () => {
    const attention = forwardFlops(tinyLlama, T) - forwardFlops(tinyLlama, 0);
    expect(attention).toBe(4 * L * tinyLlama.n_head * D * T);
    expect(cachedNumbers(tinyLlama)).toBe(2 * L * G * D);
    expect(producedNumbers(tinyLlama)).toBe(L * (tinyLlama.n_head * D + 2 * G * D + C + 2 * n_inner + C));
  });
});

describe('the cost of a token of the modern architecture', () => {
  it('is that of its blocks’ matrices and its head; no norm, no bias and no position has a weight', () => {
    expect(multipliedWeights(tinyModern)).toBe(12 * L * C * C + V * C);
    expect(parameterCount(tinyModern)).toBe(12 * L * C * C + 2 * V * C);
    expect(forwardFlops(tinyModern, T) - forwardFlops(tinyModern, 0)).toBe(4 * L * C * T);
    expect(cachedNumbers(tinyModern)).toBe(2 * L * C);
    expect(producedNumbers(tinyModern)).toBe(9 * L * C);
  });
});

describe.each([tinyModel, tinyLlama, tinyModern])('with adapters', (plain) => {
  const model: GPTConfig = { ...plain, lora: { rank: 1, alpha: 2, projections: 'all' } };
  const [own, attention] = [trainedCount(model), 12 * L * C * T];

  it('a token is not learned from by frozen weights, only through them', () => {
    const frozen = multipliedWeights(plain);
    expect(parameterCount(model)).toBe(parameterCount(plain) + own);
    expect(trainingFlops(model)).toBe(4 * frozen + 6 * own + attention);
    expect(trainingFlops(plain)).toBe(6 * frozen + attention);
  });

  it('samples take what writing takes, beside the training that they interrupt', () => {
    const bytesWith = (samples: number) => trainingBatch(plain, { batch_size: 4, samples }).bytesFor(4, {});
    const writing = writingMemory(plain, 3) - writingMemory(plain, 0) + 4 * parameterCount(plain);
    expect(bytesWith(3) - bytesWith(0)).toBe(writing);
    expect(bytesWith(0)).toBe(trainingMemory(plain, 4, { recomputation: 'selective' }));
  });

  it('memory and checkpoints hold moments of the adapters alone', () => {
    const bytes = (rows: number) => [trainingMemory(model, rows), trainingMemory(plain, rows)];
    const [adapted = 0, full = 0] = bytes(0);
    const [trained, frozen] = plain.architecture === undefined ? [8, 2] : [5.5, 2.5];
    expect(full - adapted).toBe(4 * ((trained - frozen) * parameterCount(plain) - trained * own));
    expect(checkpointsOnDisk(model)).toBe(32 * own);
    // A reference and a reward model add their own adapters, not what they share.
    expect(trainingMemory(model, 0, { frozen: [model] }) - adapted).toBe(4 * own);
  });
});

it.each([tinyModel, tinyLlama, tinyModern])(
  'counts no scores of tokens for a reward model that gives none',
  (model) => {
    const head: GPTConfig = { ...model, mode: 'reward' };
    expect(multipliedWeights(model) - multipliedWeights(head)).toBe(V * C);
    expect(multipliedWeights({ ...head, reward_kind: 'critic' })).toBe(multipliedWeights(model));
  },
);

it.each([tinyModel, tinyLlama, tinyModern])('declares the parameters that the engine makes', (generator) => {
  for (const mode of ['generator', 'reward'] as const) {
    const model = { ...generator, mode };
    const made = Object.entries(initialWeights(model, 1)).map(([name, { data }]) => [name, data.length]);
    expect(made).toEqual(Object.entries(parameterShapes(model)).map(([name, shape]) => [name, elements(shape)]));
  }
});

describe('a step of GRPO', () => {
  const settings = { prompts_per_step: 2, group_size: 4, num_iterations: 1, ptx_coef: 0, ptx_batch_size: 5 };
  const once = grpoStep(tinyModel, [], settings);

  it('writes, is read by the reference, and learns', () => {
    expect(flopsOf(once)).toBe(
      writingFlops(tinyModel, 8) + 8 * T * (forwardFlops(tinyModel, T) + trainingFlops(tinyModel)),
    );
  });

  it('is read by a reward model of its own, and learns from ordinary text where that is mixed in', () => {
    const flops = (...given: Parameters<typeof grpoStep>) => flopsOf(grpoStep(...given)) - flopsOf(once);
    expect(flops(tinyModel, [tinyModel], settings)).toBe(8 * T * forwardFlops(tinyModel, T));
    expect(flops(tinyModel, [], { ...settings, ptx_coef: 1 })).toBe(5 * T * trainingFlops(tinyModel));
  });

  it('asks the policy that wrote what it thought, where a batch is learned from again', () => {
    const again = grpoStep(tinyModel, [], { ...settings, num_iterations: 3 });
    expect(flopsOf(again) - flopsOf(once)).toBe(8 * T * (forwardFlops(tinyModel, T) + 2 * trainingFlops(tinyModel)));
  });
});
