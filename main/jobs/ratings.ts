/**
 * Rating a project's writing blind: passages in an order that says nothing, whose they are told only in the report.
 * Needs no TensorFlow: the job `rate` has written the passages.
 */
import { UserError } from '../../shared/errors.js';
import { ratingReport, type RatingReport, type Verdict } from '../engine/ratings.js';
import { modelNamesIn } from '../storage/project-facts.js';
import { openProject } from '../storage/project-folder.js';
import { addRating, passageId, readPassages, readRatings } from '../storage/ratings.js';

/** What a person sees of a passage. */
export interface BlindPassage {
  readonly id: string;
  readonly prompt: string;
  readonly text: string;
}

export interface Ratings {
  /** What is not rated yet. */
  waiting(): readonly BlindPassage[];
  /** @throws UserError `bad_input` for a passage that is not waiting; `disk_full`, `file_not_writable` */
  rate(id: string, verdict: Verdict): void;
  report(): RatingReport;
}

/** The held-out text's own name among the sources; the others are generators. */
export const naturalSource = 'natural';

/** Whose passages are rated: the text, then the generators that are finished, in order. */
export const ratingSources = (folder: string): readonly string[] => [
  naturalSource,
  ...modelNamesIn(openProject(folder)),
];

/** @param folder the project's. @throws UserError when it is none */
export function openRatings(folder: string, now: () => number): Ratings {
  const { paths } = openProject(folder);
  const waiting = () => {
    const rated = new Set(readRatings(paths.ratings).map(({ passage }) => passage));
    const all = ratingSources(folder).flatMap((source) =>
      (readPassages(paths.ratings, source) ?? []).map((passage) => ({
        ...{ id: passageId(source, passage), source },
        ...passage,
      })),
    );
    // By what a hash gives: mixed, and the same the next time.
    return all.filter(({ id }) => !rated.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
  };
  return {
    waiting: () => waiting().map(({ id, prompt, text }) => ({ id, prompt, text })),
    rate(id, verdict) {
      const found = waiting().find((passage) => passage.id === id);
      if (!found) {
        throw new UserError({
          code: 'bad_input',
          message: 'That passage is rated already, or was made anew.',
          hint: 'Go on with the next one.',
        });
      }
      addRating(paths.ratings, {
        passage: id,
        source: found.source,
        verdict,
        at: new Date(now()).toISOString(),
      });
    },
    report: () => ratingReport(ratingSources(folder), readRatings(paths.ratings)),
  };
}
