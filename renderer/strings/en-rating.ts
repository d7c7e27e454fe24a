/** Sentences of rating blind. */
import type { RatingReport } from '../../shared/contract/ratings.js';

export const rating = {
  title: 'Rate the writing, blind',
  short: 'Blind test',
  back: (project: string) => `Back to ${project}`,
  lead: 'Passages of your text and of each model, mixed. You say which you take for natural; whose they were is told only in sum, at the end.',
  begin: {
    title: 'How good is the writing to you?',
    text: 'Passages are taken from the held-out part of your text, and written by each finished model. Rating them takes a few seconds each; stop whenever you like and continue later.',
    missing: 'A model has been finished since the passages were written. Its own are missing.',
    count: 'Passages of the text and of each model',
    countHelp: 'Below ten of each, chance decides; twenty or more tell small differences.',
    write: 'Write them and begin',
    writing: (done: string, total: string) => `Writing passages: ${done} of ${total} models`,
    starting: 'Loading the model…',
    rest: 'Rate what is there',
  },
  task: 'Is the marked part natural, or did a model write it?',
  context: 'What stands before it is from your text.',
  passage: (number: string) => `Passage ${number}`,
  progress: (rated: string, total: string) => `${rated} of ${total} rated`,
  natural: 'Natural',
  generated: 'Generated',
  skip: 'Skip',
  undo: 'Undo',
  results: 'Stop and see the results',
  keep: 'Every answer is saved at once.',
  report: {
    title: 'What you took for natural',
    none: 'Nothing is rated yet.',
    source: 'Written by',
    text: 'your text',
    rated: 'Rated',
    taken: 'Taken for natural',
    opinion: 'By the reward model',
    intervals: 'Below each figure its 95 % interval: where it may lie, as few passages as these can tell.',
    asking: 'Asking the reward model…',
    noModel: 'This project has no reward model yet, so there is nothing to compare with.',
    opinionFailed: 'The reward model could not be asked',
    agreement: (natural: string, generated: string) =>
      `Passages that you took for natural it finds ${natural} natural on average, those that you took for generated ${generated}. The larger the gap, the better the reward model agrees with you.`,
    contrary: 'Here it does not agree: what convinces you does not convince it.',
    verdict: (verdict: RatingReport['verdict'], before: string | undefined, newest: string | undefined): string => {
      switch (verdict) {
        case 'too_few':
          return before === undefined
            ? 'Whether a cycle makes the writing better can be told when one is finished.'
            : `Rate at least ten passages of ${before} and of ${newest} to see whether the last cycle made the writing better.`;
        case 'better':
          return `You take ${newest} for natural more often than ${before}, by more than chance explains: the last cycle made the writing better.`;
        case 'worse':
          return `You take ${newest} for natural less often than ${before}, by more than chance explains: continue from ${before}, and stop here.`;
        case 'no_clear_change':
          return `You do not take ${newest} for natural more often than ${before} by more than chance explains: by this measure the writing is no longer improving. More ratings may show a smaller difference.`;
      }
    },
    change: (points: string, low: string, high: string) =>
      `Difference in percentage points: ${points} (95 % interval ${low} to ${high}).`,
    goOn: (count: string) => `Continue: ${count} left`,
    more: 'More passages…',
  },
};
