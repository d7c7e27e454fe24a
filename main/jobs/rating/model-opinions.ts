/**
 * What reward models say of the passages that people judged, beside the people. Apart from results.ts because it needs
 * TensorFlow, which nothing that answers the window loads.
 */
import { readdirSync } from 'node:fs';
import type { BoundaryResults } from '../../../shared/contract/ratings.js';
import { parseArtefact } from '../../../shared/phases/index.js';
import { boundaryJudges, type BoundaryOpinion } from '../../engine/judging/boundary.js';
import type { BoundaryVote } from '../../engine/judging/votes.js';
import { openProject } from '../../storage/projects/project-folder.js';
import type { JobContext } from '../types.js';
import { questionsOf } from './questions.js';
import { boundaryVotes } from './results.js';
import { naturalBy } from './reward-judge.js';

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

/** Of every kind that the newest cycle trained: the one that rewards, and those it is compared with. */
export function newestRewardModels(folder: string): readonly string[] {
  const found = readdirSync(openProject(folder).paths.checkpoints).flatMap((name) => {
    const artefact = parseArtefact(name);
    return artefact?.kind === 'reward_model' ? [{ name, version: artefact.version }] : [];
  });
  const newest = Math.max(0, ...found.map(({ version }) => version));
  return found.flatMap(({ name, version }) => (version === newest ? [name] : [])).toSorted();
}
