/** A project's reward model, loaded to say how natural texts are: for the playground, and beside a person's ratings. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { usesCritic } from '../../shared/config/model.js';
import { createParameters } from '../engine/model.js';
import { createRewardScorer, type RewardScorer } from '../engine/reward-scorer.js';
import type { Tokenizer } from '../engine/tokenizer/index.js';
import { projectPaths } from '../storage/project-paths.js';
import { openModel } from './models.js';
import { tokenizerOf } from './text.js';
import { environmentOf, type JobContext } from './types.js';

export interface RewardJudge {
  readonly scorer: RewardScorer;
  readonly tokenizer: Tokenizer;
  readonly blockSize: number;
}

/** The n of the newest reward_model_vn; null while there is none. */
export function newestRewardVersion(folder: string): number | null {
  const versions = readdirSync(join(folder, 'checkpoints')).flatMap((entry) => {
    const version = /^reward_model_v(\d+)$/.exec(entry)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
  return versions.length === 0 ? null : Math.max(...versions);
}

/** Loads it, lets `use` ask it, and lets go of it again. */
export async function withRewardScorer<T>(
  folder: string,
  version: number,
  context: JobContext,
  use: (judge: RewardJudge) => Promise<T>,
): Promise<T> {
  const paths = projectPaths(folder);
  const judge = openModel(paths.model(`reward_model_v${version}`), 'reward', { context });
  const tokenizer = await tokenizerOf(judge.tokenization);
  const env = await environmentOf(context);
  const session = env.runtime.createSession();
  try {
    const model = { ...judge.config, dropout: 0 };
    // A critic is compared with the generator that wrote what it was fitted on.
    const wrote = usesCritic(model.reward_kind)
      ? openModel(paths.model(`base_model_v${version}`), 'generator', { context })
      : null;
    const writer = wrote && {
      model: { ...wrote.config, dropout: 0 },
      parameters: createParameters(session, wrote.weights, 'generator.'),
      temperature: 1,
    };
    const parameters = createParameters(session, judge.weights);
    const scorer = createRewardScorer(session, model, parameters, env, writer ?? undefined);
    return await use({ scorer, tokenizer, blockSize: model.block_size });
  } finally {
    session.dispose();
  }
}
