/** What answers about single passages come to: how often each source was taken for natural. */
import type { RatingReport } from '../../../shared/contract/ratings.js';
import { ratingReport } from '../../engine/cycle/ratings.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { readVotes, type StoredVoteOf } from '../../storage/projects/rating-votes.js';
import { readPassages, passageId, taskFolder } from '../../storage/projects/ratings.js';
import type { BlindQuestion } from '../../../shared/rating.js';
import { sourcesOf } from './questions.js';

const asked = { task: 'single', against: null } as const;

/** Whose passages are rated: the text, then the generators that are finished, in order. */
export const singleSources = (folder: string): readonly string[] => sourcesOf(folder, asked);

/** Everybody's answers. @throws UserError `file_damaged` */
export const singleVotes = (folder: string): readonly StoredVoteOf<'single'>[] =>
  readVotes(openProject(folder).paths.ratings).votes.filter((vote) => vote.task === 'single');

/** A passage with what tells it from others, and whose it is. */
type SourcePassage = Omit<Extract<BlindQuestion, { task: 'single' }>, 'task'> & { readonly source: string };

/** Every single passage that is written, source by source. */
export function writtenPassages(folder: string): readonly SourcePassage[] {
  const place = taskFolder(openProject(folder).paths.ratings, 'single');
  return singleSources(folder).flatMap((source) =>
    (readPassages(place, source) ?? []).map((passage) => ({ id: passageId(source, passage), source, ...passage })),
  );
}

/** @throws UserError when `folder` is no project */
export const singleReport = (folder: string): RatingReport => ratingReport(singleSources(folder), singleVotes(folder));
