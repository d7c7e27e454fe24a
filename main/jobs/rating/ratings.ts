/**
 * Rating a project's writing blind: passages in an order that says nothing, whose they are told only in the report.
 * Needs no TensorFlow: the job `rate` has written the passages.
 */
import type { BlindPassage, RatingReport, Verdict } from '../../../shared/contract/ratings.js';
import { UserError } from '../../../shared/errors.js';
import { ratingReport } from '../../engine/cycle/ratings.js';
import { modelNamesIn } from '../../storage/projects/project-facts.js';
import { openProject } from '../../storage/projects/project-folder.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { addRating, passageId, readPassages, readRatings, removeRating } from '../../storage/projects/ratings.js';

export interface Ratings {
  /** What is not rated yet. */
  waiting(): readonly BlindPassage[];
  /** @throws UserError `bad_input` for a passage that is not waiting; `disk_full`, `file_not_writable` */
  rate(id: string, verdict: Verdict): void;
  /** It waits again. @throws UserError `disk_full`, `file_not_writable` */
  withdraw(id: string): void;
  /** How many passages were rated. */
  rated(): number;
  report(): RatingReport;
}

/** The held-out text's own name among the sources; the others are generators. */
export const naturalSource = 'natural';

/** Whose passages are rated: the text, then the generators that are finished, in order. */
export const ratingSources = (folder: string): readonly string[] => [
  naturalSource,
  ...modelNamesIn(openProject(folder)),
];

/** A passage with what tells it from others, and whose it is. */
type SourcePassage = BlindPassage & { readonly source: string };

/** Every passage that is written, source by source. */
export const writtenPassages = (folder: string): readonly SourcePassage[] =>
  ratingSources(folder).flatMap((source) =>
    (readPassages(projectPaths(folder).ratings, source) ?? []).map((passage) => ({
      id: passageId(source, passage),
      source,
      ...passage,
    })),
  );

/** How many passages a source has at most, and whether one has fewer. */
export function passageCounts(folder: string): { readonly passages: number; readonly missing: boolean } {
  const counts = ratingSources(folder).map((source) => readPassages(projectPaths(folder).ratings, source)?.length ?? 0);
  const passages = Math.max(...counts);
  return { passages, missing: counts.some((count) => count < passages) };
}

/** @param folder the project's. @throws UserError when it is none */
export function openRatings(folder: string, now: () => number): Ratings {
  const { paths } = openProject(folder);
  const waiting = () => {
    const rated = new Set(readRatings(paths.ratings).map(({ passage }) => passage));
    // By what a hash gives: mixed, and the same the next time.
    return writtenPassages(folder)
      .filter(({ id }) => !rated.has(id))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  };
  return {
    waiting: () => waiting().map(({ id, prompt, text }) => ({ id, prompt, text })),
    rate(id, verdict) {
      const found = waiting().find((passage) => passage.id === id);
      if (!found) {
        throw new UserError({
          code: 'bad_input',
          message: 'That passage is rated already, or was made anew.',
          hint: 'Rate the next one.',
        });
      }
      addRating(paths.ratings, {
        passage: id,
        source: found.source,
        verdict,
        at: new Date(now()).toISOString(),
      });
    },
    rated: () => readRatings(paths.ratings).length,
    withdraw: (id) => removeRating(paths.ratings, id),
    report: () => ratingReport(ratingSources(folder), readRatings(paths.ratings)),
  };
}
