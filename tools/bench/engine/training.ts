/** Base training's own loop, a step at a time, and evaluation on held-out text. */
import { trainConfigSchema } from '../../../shared/config/train.js';
import { createParameters, initialWeights } from '../../../main/engine/model/model.js';
import { createEvaluator } from '../../../main/engine/train/perplexity.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { nothingKept } from '../../../main/engine/types.js';
import type { Work } from '../shapes.js';
import { randomTokens, type Engine } from './environment.js';
import { Stepper, type Iteration } from './iteration.js';

/** More steps than any run takes: no evaluation, no checkpoint falls into a measurement. */
const NEVER = 1_000_000_000;

export async function trainStep(work: Work, { env, timed }: Engine): Promise<Iteration> {
  const stepper = new Stepper();
  const tokens = randomTokens(work.corpus, work.model.vocab_size);
  await stepper.begin(() =>
    trainBase({
      model: work.model,
      train: trainConfigSchema.parse({
        batch_size: work.batch,
        learning_rate: 1e-3,
        min_lr: 1e-4,
        beta2: 0.99,
        max_iters: NEVER,
        eval_interval: NEVER,
      }),
      seed: 1,
      trainTokens: tokens,
      valTokens: tokens,
      slot: nothingKept,
      env: { ...env, yieldToEventLoop: stepper.yieldToEventLoop },
    }),
  );
  return () => timed(() => stepper.step());
}

export function evaluate(work: Work, { env, timed }: Engine): Iteration {
  const { model, windows } = work;
  const tokens = randomTokens(windows * model.block_size + 1, model.vocab_size);
  const session = env.runtime.createSession();
  const evaluator = createEvaluator(session, model, createParameters(session, initialWeights(model, 1)), env);
  return () =>
    timed(async () => {
      await evaluator.evaluate(tokens);
    });
}
