/** A project's reward model, loaded to say how natural texts are: for the playground, and beside a person's ratings. */
import { readdirSync } from 'node:fs';
import { usesCritic } from '../../../shared/config/model.js';
import type { RatingOpinion } from '../../../shared/contract/ratings.js';
import { artefactName, artefactsAmong, parseArtefact } from '../../../shared/phases/index.js';
import { naturalAtEnd } from '../../engine/cycle/playground.js';
import { ratingOpinion } from '../../engine/cycle/ratings.js';
import { createBeside } from '../../engine/model/adapters.js';
import { createParameters } from '../../engine/model/model.js';
import { createRewardScorer, type RewardScorer } from '../../engine/reward/reward-scorer.js';
import type { Tokenizer } from '../../engine/tokenizer/index.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { openModel } from '../models.js';
import { tokenizerOf } from '../text.js';
import { environmentOf, type JobContext } from '../types.js';
import { singleSources, singleVotes, writtenPassages } from './single-report.js';

interface RewardJudge {
  readonly scorer: RewardScorer;
  readonly tokenizer: Tokenizer;
  readonly blockSize: number;
}

/** The newest reward_model_vn; null while there is none. */
export const newestRewardModel = (folder: string): string | null =>
  artefactsAmong('reward_model', readdirSync(projectPaths(folder).checkpoints)).at(-1) ?? null;

/** Loads it, lets `use` ask it, and lets go of it again. */
export async function withRewardScorer<T>(
  folder: string,
  name: string,
  context: JobContext,
  use: (judge: RewardJudge) => Promise<T>,
): Promise<T> {
  const paths = projectPaths(folder);
  const { cycle = 1 } = parseArtefact(name) ?? {};
  const judge = openModel(paths.model(name), 'reward', { context });
  const tokenizer = await tokenizerOf(judge.tokenization);
  const env = await environmentOf(context);
  const session = env.runtime.createSession();
  try {
    const model = { ...judge.config, dropout: 0 };
    // A critic is compared with the generator that wrote what it was fitted on.
    const wrote = usesCritic(model.reward_kind)
      ? openModel(paths.model(artefactName('base_model', cycle - 1)), 'generator', { context })
      : null;
    const { weights } = judge;
    const parameters = createParameters(session, weights);
    const writer = wrote && {
      model: { ...wrote.config, dropout: 0 },
      parameters: createBeside(session, wrote.config, wrote.weights, 'generator.', { weights, parameters }),
      temperature: 1,
    };
    const scorer = createRewardScorer(session, model, parameters, env, writer ?? undefined);
    return await use({ scorer, tokenizer, blockSize: model.block_size });
  } finally {
    session.dispose();
  }
}

/** P(natural) at the end of each text by a reward model; loads it where there is a text. */
export async function naturalBy(
  folder: string,
  judge: string,
  texts: readonly string[],
  context: JobContext,
): Promise<ArrayLike<number>> {
  if (texts.length === 0) return [];
  return withRewardScorer(
    folder,
    judge,
    context,
    ({ scorer, tokenizer, blockSize }) =>
    naturalAtEnd(scorer, blockSize, texts.map((text) => tokenizer.encode(text))), // oxfmt-ignore
  );
}

/** What the newest one makes of the passages that a person rates blind. */
export async function ratingOpinionOf(
  { folder }: { readonly folder: string },
  context: JobContext,
): Promise<RatingOpinion> {
  const passages = writtenPassages(folder);
  const model = passages.length === 0 ? null : newestRewardModel(folder);
  if (model === null) {
    return { model: null, sources: [], taken: { natural: null, generated: null } };
  }
  const texts = passages.map(({ prompt, text }) => prompt + text);
  const values = await naturalBy(folder, model, texts, context);
  const judged = passages.map(({ id, source }, at) => ({ id, source, natural: values[at] ?? NaN }));
  return ratingOpinion(model, singleSources(folder), judged, singleVotes(folder));
}
