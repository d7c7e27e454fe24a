/** The choices that a project's models can learn from: picks on the writing page, and blind votes on pairs, imported ones too. */
import type { Choice } from '../../engine/taste/taste.js';
import { projectPaths } from '../../storage/projects/project-paths.js';
import { readPairVotes } from '../../storage/projects/rating-votes.js';
import { readPicks } from '../../storage/projects/writing.js';
import { pairsBetween } from '../rating/questions.js';

/** Characters of a context that are learned from. */
const CONTEXT = 1500;

/** In the order of their making, picks first. @throws UserError `file_damaged` */
export function choicesOf(folder: string): readonly Choice[] {
  return [...readPicks(folder), ...votedIn(folder)]
    .map(({ context, chosen, others }) => ({
      context: context.slice(-CONTEXT),
      chosen,
      others: others.filter((text) => text.trim() !== '' && text !== chosen),
    }))
    .filter(({ chosen, others }) => chosen.trim() !== '' && others.length > 0);
}

/** The first decided vote of each rater on each pair whose passages are still there. */
function votedIn(folder: string): readonly Choice[] {
  const pairs = new Map<string, ReturnType<typeof pairsBetween>>();
  return readPairVotes(projectPaths(folder).ratings).flatMap((vote) => {
    const { first, second, outcome, repeat_of: isRepeat } = vote;
    if (isRepeat !== undefined || (outcome !== 'first' && outcome !== 'second')) return [];
    const key = JSON.stringify([first, second]);
    const known = pairs.get(key) ?? pairsBetween(folder, first, second);
    pairs.set(key, known);
    const found = known.find(({ id }) => id === vote.pair);
    if (found?.task !== 'pair') return [];
    const { prompt: context, texts } = found;
    const other = outcome === 'first' ? 'second' : 'first';
    return [{ context, chosen: texts[outcome], others: [texts[other]] }];
  });
}
