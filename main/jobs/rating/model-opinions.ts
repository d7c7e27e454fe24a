/**
 * What reward models say of the passages that people judged, beside the people. Apart from results.ts because it needs
 * TensorFlow, which nothing that answers the window loads.
 */
import { readdirSync } from 'node:fs';
import type { BoundaryResults } from '../../../shared/contract/ratings.js';
import { parseArtefact } from '../../../shared/phases/index.js';
import { naturalAtEnd } from '../../engine/cycle/playground.js';
import { boundaryJudges, type BoundaryOpinion } from '../../engine/judging/boundary.js';
import type { BoundaryVote } from '../../engine/judging/votes.js';
import { openProject } from '../../storage/projects/project-folder.js';
import type { JobContext } from '../types.js';
import { questionsOf } from './questions.js';
import { boundaryVotes } from './results.js';
import { withRewardScorer } from './reward-judge.js';

/** People beside the newest reward models of every kind, on the passages that people judged. */
export async function boundaryResults(
  { folder }: { readonly folder: string },
  context: JobContext,
): Promise<BoundaryResults> {
  const votes = boundaryVotes(folder);
  return { judges: boundaryJudges(votes, await boundaryOpinions(folder, votes, context)) };
}

/** What the newest reward models of every kind say of the passages that people judged. Loads them where there are any. */
export async function boundaryOpinions(
  folder: string,
  votes: readonly BoundaryVote[],
  context: JobContext,
): Promise<readonly BoundaryOpinion[]> {
  const judged = new Set(votes.map(({ passage }) => passage));
  const passages = questionsOf(folder, { task: 'boundary', against: null }).flatMap((question) =>
    question.task === 'boundary' && judged.has(question.id) ? [{ id: question.id, text: question.words.join('') }] : [],
  );
  const opinions: BoundaryOpinion[] = [];
  for (const judge of newestRewardModels(folder)) {
    const texts = passages.map(({ text }) => text);
    const values = await naturalBy(folder, judge, texts, context);
    passages.forEach(({ id }, at) => opinions.push({ judge, passage: id, natural: values[at] ?? NaN }));
  }
  return opinions;
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

/** Of every kind that the newest cycle trained: the one that rewards, and those it is compared with. */
export function newestRewardModels(folder: string): readonly string[] {
  const found = readdirSync(openProject(folder).paths.checkpoints).flatMap((name) => {
    const artefact = parseArtefact(name);
    return artefact?.kind === 'reward_model' ? [{ name, version: artefact.version }] : [];
  });
  const newest = Math.max(0, ...found.map(({ version }) => version));
  return found.flatMap(({ name, version }) => (version === newest ? [name] : [])).toSorted();
}
