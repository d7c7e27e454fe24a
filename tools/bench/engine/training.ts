/** Runs base training's own loop, one step at a time. */
import { trainConfigSchema } from '../../../shared/config/train.js';
import { trainBase } from '../../../main/engine/train/train.js';
import { nothingKept, type Environment } from '../../../main/engine/types.js';
import type { Work } from '../shapes.js';
import { randomTokens, type Iteration } from './environment.js';

/** More steps than any run takes, so that no evaluation or checkpoint is measured. */
const NEVER = 1_000_000_000;

/** The loop waits in `yieldToEventLoop` between two steps until the next one is requested. */
export async function trainStep(work: Work, env: Environment): Promise<Iteration> {
  let proceed: () => void = () => undefined;
  let onPause: (error?: Error) => void = () => undefined;
  const untilPause = (start: () => void) =>
    new Promise<void>((resolve, reject) => {
      onPause = (error) => {
        if (error) reject(error);
        else resolve();
      };
      start();
    });
  const yieldToEventLoop = () =>
    new Promise<void>((resolve) => {
      proceed = resolve;
      onPause();
    });
  const tokens = randomTokens(work.corpus, work.model.vocab_size);
  const training = {
    ...{ batch_size: work.batch, learning_rate: 1e-3, min_lr: 1e-4, beta2: 0.99 },
    ...{ max_iters: NEVER, eval_interval: NEVER },
  };
  const input = {
    ...{ model: work.model, train: trainConfigSchema.parse(training), seed: 1, slot: nothingKept },
    ...{ trainTokens: tokens, valTokens: tokens, env: { ...env, yieldToEventLoop } },
  };
  await untilPause(() => {
    trainBase(input).then(
      () => {
        onPause(new Error('training ended'));
      },
      (error: unknown) => {
        onPause(error as Error);
      },
    );
  });
  return () => untilPause(proceed);
}
