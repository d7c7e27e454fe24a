/** Writing with the key-value cache: many passages from one token each, and a whole reward dataset. */
import { rewardDataConfigSchema } from '../../../shared/config/reward-data.js';
import { createWriter } from '../../../main/engine/generate/generate.js';
import { createParameters, initialWeights } from '../../../main/engine/model/model.js';
import { makeRewardData } from '../../../main/engine/reward/reward-data.js';
import { streams } from '../../../main/engine/rng.js';
import type { Work } from '../shapes.js';
import type { Environment } from '../../../main/engine/types.js';
import { randomTokens, type Iteration } from './environment.js';

export function generate(work: Work, env: Environment): Iteration {
  const { model, sequences } = work;
  const session = env.runtime.createSession();
  const parameters = createParameters(session, initialWeights(model, 1));
  const rule = { temperature: 1, topK: null, vocabLimit: model.vocab_size };
  const writer = createWriter(session, model, parameters, sequences, rule, env);
  const tokens = randomTokens(sequences, model.vocab_size);
  let round = 0;
  return async () => {
    const passages = Array.from({ length: sequences }, (_, row) => ({
      prefix: tokens.read(row, 1),
      index: round * sequences + row,
    }));
    round++;
    await writer.complete(passages, { seed: 1, stream: streams.sample });
  };
}

/** The whole phase, as `prepare_reward_data` runs it, with tracing and compiling. */
export function rewardData(work: Work, env: Environment): Iteration {
  const { model, samples } = work;
  const weights = initialWeights(model, 1);
  const tokens = randomTokens(work.corpus, model.vocab_size);
  const validation = Math.round(samples / 4);
  return async () => {
    let made = 0;
    await makeRewardData({
      model,
      weights,
      tokens: { train: tokens, val: tokens },
      config: rewardDataConfigSchema.parse({
        samples_per_chunk: 1,
        reward_train_samples: samples - validation,
        reward_val_samples: validation,
      }),
      generation: { temperature: 1, top_k: null },
      seed: 1,
      vocabLimit: model.vocab_size,
      append: (_, x) => {
        made += x.length / model.block_size;
      },
      env,
    });
    if (made !== samples) throw new Error(`${made} samples were made, not ${samples}`);
  };
}
