/** Loads a project's reward model to score texts in the playground. */
import { readdirSync } from 'node:fs';
import { usesCritic } from '../../../shared/config/model.js';
import { artefactName, artefactsAmong, parseArtefact } from '../../../shared/phases/index.js';
import { createSharedParameters } from '../../engine/model/adapters.js';
import { createParameters } from '../../engine/model/model.js';
import { createRewardScorer, type RewardScorer } from '../../engine/reward/reward-scorer.js';
import type { Tokenizer } from '../../engine/tokenizer/index.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { openModel } from '../models.js';
import { tokenizerOf } from '../text.js';
import { environmentOf, type JobContext } from '../types.js';

interface LoadedScorer {
  readonly scorer: RewardScorer;
  readonly tokenizer: Tokenizer;
  readonly blockSize: number;
}

/** Returns the newest reward_model_vn, or null if there is none. */
export const newestRewardModel = (folder: string): string | null =>
  artefactsAmong('reward_model', readdirSync(projectPaths(folder).checkpoints)).at(-1) ?? null;

/** Loads a reward model, calls `use` with it, and releases it. */
export async function withRewardScorer<T>(
  folder: string,
  name: string,
  context: JobContext,
  use: (loaded: LoadedScorer) => Promise<T>,
): Promise<T> {
  const paths = projectPaths(folder);
  const { cycle = 1 } = parseArtefact(name) ?? {};
  const reward = openModel(paths.model(name), 'reward', { context });
  const tokenizer = await tokenizerOf(reward.tokenization);
  const env = await environmentOf(context);
  const session = env.runtime.createSession();
  try {
    const model = { ...reward.config, dropout: 0 };
    // A critic is compared with the generator that wrote its training data.
    const generator = usesCritic(model.reward_kind)
      ? openModel(paths.model(artefactName('base_model', cycle - 1)), 'generator', { context })
      : null;
    const { weights } = reward;
    const parameters = createParameters(session, weights);
    const writer = generator && {
      model: { ...generator.config, dropout: 0 },
      parameters: createSharedParameters(session, generator.config, generator.weights, 'generator.', {
        weights,
        parameters,
      }),
      temperature: 1,
    };
    const scorer = createRewardScorer(session, model, parameters, env, writer ?? undefined);
    return await use({ scorer, tokenizer, blockSize: model.block_size });
  } finally {
    session.dispose();
  }
}
