/** Measures a graphics card: whether a training on it has the losses that it must have, and then its matrix products. */
import type { GPTConfig } from '../../../shared/config/model.js';
import { trainShape } from '../../../shared/config/train.js';
import { z } from 'zod';
import type { Runtime } from '../../engine/runtime/types.js';
import { tokensInMemory } from '../../engine/train/dataset.js';
import { trainBase } from '../../engine/train/train.js';
import { nothingKept } from '../../engine/types.js';
import type { Card } from './graphics-card.js';
import { measureMatrixProducts } from './matrix-product.js';

const model: GPTConfig = {
  block_size: 8,
  vocab_size: 13,
  n_layer: 1,
  n_head: 2,
  n_embd: 16,
  dropout: 0,
  bias: true,
  mode: 'generator',
  reward_head_hidden_dim: 1,
};
const train = {
  max_iters: 3,
  batch_size: 4,
  warmup_iters: 1,
  learning_rate: 0.01,
  eval_interval: 1000,
  eval_iters: 1,
  log_interval: 1,
};
/** What TensorFlow has after these steps, and how far other devices may be from it. */
export const LAST_LOSS = 2.366367;
const TOLERANCE = 1e-3;

/** Returns null for a card that fails, errs, or is none. @param n of the products */
export async function measureCard(load: () => Promise<Runtime>, n = 1024): Promise<Card | null> {
  try {
    const runtime = await load();
    const { card } = runtime;
    if (!card || card.isSoftware) return null;
    const isRight = Math.abs((await lastLoss(runtime)) - LAST_LOSS) <= TOLERANCE;
    if (!isRight) return null;
    const { f32 } = await measureMatrixProducts(runtime, n, ['f32']);
    return { name: card.name, gflops: f32 };
  } catch {
    return null;
  }
}

/** The loss of the last of a few steps of training. */
export async function lastLoss(runtime: Runtime): Promise<number> {
  let loss = NaN;
  const tokens = tokensInMemory(Array.from({ length: 200 }, (_, at) => (at * at) % 13));
  await trainBase({
    model,
    train: z.object(trainShape).parse(train),
    seed: 0,
    trainTokens: tokens,
    valTokens: tokens,
    slot: nothingKept,
    env: {
      runtime,
      emit(event) {
        if (event.event === 'metrics') loss = Number(event.values['loss'] ?? loss);
      },
      now: () => 0,
      stop: { requested: false },
      yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    },
  });
  return loss;
}
