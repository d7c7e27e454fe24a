/**
 * A person rates the writing of a project's generators, blind among passages of the text (specification 5.5).
 * Writes the passages that are not there yet, asks, and reports how often each was taken for natural.
 */
import type { BlindPassage, Verdict } from '../../../shared/contract/ratings.js';
import { writeRatingPassages } from './rating-passages.js';
import { ratingOpinionOf } from './rating-opinion.js';
import { openRatings, type Ratings } from './ratings.js';
import type { Job, JobContext } from '../types.js';

export const rateJob: Job<{ readonly project: string; readonly passages: number }> = async (
  { project: folder, passages },
  context,
) => {
  await writeRatingPassages({ folder, passages }, context, () => undefined);
  const ratings = openRatings(folder, () => context.now());
  const rated = await askAll(ratings, context);
  const opinion = await ratingOpinionOf({ folder }, context);
  return { project: folder, rated, waiting: ratings.waiting().length, ...ratings.report(), opinion };
};

const answers: Readonly<Record<string, Verdict>> = {
  n: 'natural',
  natural: 'natural',
  g: 'generated',
  generated: 'generated',
};

/** Until everything is rated, or the person has had enough. @returns how many were rated */
async function askAll(ratings: Ratings, context: JobContext): Promise<number> {
  const waiting = ratings.waiting();
  const said = new Set<string>();
  let at = 0;
  for (let passage = waiting[at]; passage; passage = waiting[at]) {
    const answer = await answerTo(`Passage ${at + 1} of ${waiting.length}`, passage, context);
    if (answer === 'quit') break;
    if (answer === 'back') {
      at = Math.max(0, at - 1);
      const before = waiting[at];
      if (before && said.delete(before.id)) ratings.withdraw(before.id);
      continue;
    }
    if (answer !== 'skip') {
      ratings.rate(passage.id, answer);
      said.add(passage.id);
    }
    at++;
  }
  return said.size;
}

async function answerTo(
  heading: string,
  { prompt, text }: BlindPassage,
  context: JobContext,
): Promise<Verdict | 'skip' | 'back' | 'quit'> {
  let question = `\n${heading}\n\n…${prompt}⟦${text}⟧…\n\nWhat stands in ⟦ ⟧: n natural, g generated, Enter to skip, b to go back, q to end? `;
  for (;;) {
    const line = context.stop.requested ? null : await context.ask?.(question);
    const answer = line?.trim().toLowerCase();
    if (answer === undefined || answer === 'q' || answer === 'quit') return 'quit';
    if (answer === '') return 'skip';
    if (answer === 'b' || answer === 'back') return 'back';
    const verdict = answers[answer];
    if (verdict) return verdict;
    question = 'n, g, b, Enter or q? ';
  }
}
