/** Sentences of rating blind. */
import type { RatingReport } from '../../shared/contract/ratings.js';
import { judgingWords } from '../../shared/words/judging.js';

export const rating = {
  title: 'Rate the writing, blind',
  short: 'Blind test',
  back: (project: string) => `Back to ${project}`,
  lead: 'You judge passages without knowing whose they are. That is told only in sum, in the results.',
  tasks: {
    label: 'Task',
    pair: 'Which is better?',
    boundary: 'Where does it stop?',
    single: 'Natural or not?',
    help: {
      pair: 'Two continuations of the same text, side by side. The surest way to tell two models apart.',
      boundary: 'A passage that begins natural and may end generated: the very task of the reward model.',
      single: 'One passage at a time, of your text or of a model.',
    },
  },
  against: {
    label: 'Compare the newest model with',
    previous: 'the version before it',
    base: 'the base model',
    text: 'your text',
  },
  begin: {
    title: 'How good is the writing to you?',
    text: 'Passages are taken from the held-out part of your text, and written by the models. Rating them takes a few seconds each; stop whenever you like and continue later.',
    missing: 'A model has been finished since the passages were written. Its own are missing.',
    nothing: 'There is nothing to compare yet: the first model is not finished.',
    count: 'Passages of each model',
    countHelp: 'Below ten of each, chance decides; more tell smaller differences.',
    design: 'A difference worth knowing: the better one is preferred',
    designShare: (share: string) => `${share} of the time`,
    plan: (votes: string, minutes: string, most: string) =>
      `About ${votes} votes find such a difference half of the time, ${most} four times of five. ${votes} votes take about ${minutes} minutes.`,
    planNone: 'No reasonable number of votes would show so small a difference.',
    write: 'Write them and begin',
    writing: (done: string, total: string) => `Writing passages: ${done} of ${total} models`,
    starting: 'Loading the model…',
    rest: 'Rate what is there',
  },
  question: {
    pair: 'Which continues the text better?',
    boundary: 'Where does it stop being natural?',
    single: 'Is the marked part natural, or did a model write it?',
  },
  context: 'What stands before it is from your text.',
  prompt: 'The text before',
  first: 'First',
  second: 'Second',
  answers: {
    first: 'The first',
    second: 'The second',
    tie: 'As good as each other',
    both_bad: 'Both bad',
    natural: 'Natural',
    generated: 'Generated',
    never: 'All of it is natural',
    boundary: (word: string) => `Generated from “${word}” on`,
  },
  boundary: {
    help: 'Click the first word that a model wrote, or move with the arrow keys and press Enter.',
    words: 'Words of the passage',
    confirm: 'Stops here',
    word: (word: string, number: string, total: string) => `${word}, word ${number} of ${total}`,
  },
  passage: (number: string) => `Passage ${number}`,
  progress: (rated: string, total: string) => `${rated} of ${total} rated`,
  left: (votes: string) => `About ${votes} more ${votes === '1' ? 'vote' : 'votes'} would decide it.`,
  known: 'It is decided: you may stop.',
  hopeless: 'No difference that a few hundred votes could show: you may stop.',
  natural: 'Natural',
  generated: 'Generated',
  skip: 'Skip',
  undo: 'Undo',
  results: 'Results',
  keep: 'Every answer is saved at once.',
  saving: 'Saving…',
  rest: {
    text: (votes: string, minutes: string) =>
      `${votes} answers in ${minutes} minutes. A break of a few minutes keeps your judgement sharp; everything is saved.`,
    later: 'Continue',
  },
  history: {
    title: 'Earlier answers',
    none: 'No answers yet.',
    undo: (number: string) => `Undo answer ${number}`,
  },
  others: {
    export: 'Export a rating task…',
    import: 'Add answers from a file…',
    exported: (name: string) => `Saved ${name}`,
    exportedHelp: 'Send it to whoever is to rate. It opens in any browser and does not hold whose the passages are.',
    report: 'Save the results…',
    reporting: 'Writing the report; the reward models are asked…',
    formats: {
      html: 'As a page (HTML)',
      json: 'As data (JSON)',
      csv: 'Every answer as a row (CSV)',
      pairs: 'Preferred pairs to train on (JSON Lines)',
    },
    reported: (judgements: string) => `Answers: ${judgements}; the reward models’ opinions beside them.`,
    imported: (rater: string, added: string, changed: string) =>
      `Answers of ${rater}: ${added} new, ${changed} changed`,
  },
  pairs: {
    title: 'What people prefer',
    names: { natural: 'your text' } as Readonly<Record<string, string>>,
    share: (first: string, share: string, low: string, high: string) =>
      `Of the answers for one of the two, ${share} are for ${first} (95% interval ${low} to ${high}, valid after every answer).`,
    counts: (wins: string, losses: string, ties: string, bad: string) =>
      `${wins} for it, ${losses} against, ${ties} as good as each other, ${bad} both bad.`,
    none: 'Nothing is rated yet.',
    alarm: 'The reward model and people disagree',
    said: judgingWords,
    versions: 'Every version',
    ratings: 'Rating by people',
    ratingsUnit: 'points above the base model',
    reward: 'Reward',
    copying: 'Readers do not notice copying. What is copied stands beside every preference.',
    columns: {
      version: 'Version',
      rating: 'Rating',
      votes: 'Votes',
      reward: 'Reward',
      copied: 'Copied',
      variety: 'Different word pairs',
    },
    text: 'your text',
    flips: (below: string, above: string, votes: string) =>
      `${votes} more ${votes === '1' ? 'vote' : 'votes'} for ${below} would put it above ${above}.`,
  },
  trust: {
    title: 'How far the answers can be trusted',
    help: 'One pair in ten comes again with its sides swapped, and one in twenty has a known answer. Nothing is left out because of it.',
    columns: {
      rater: 'Rater',
      votes: 'Answers',
      self: 'Agrees with oneself',
      known: 'Known answers right',
      left: 'For the first shown',
      seconds: 'Seconds',
    },
    you: 'you',
    bias: 'Sides matter: the first shown is preferred more or less often than chance explains.',
    alpha: (alpha: string, pairs: string) =>
      `Krippendorff’s α between raters: ${alpha}, from ${pairs} pairs that several rated.`,
    of: (share: string, of: string) => `${share} of ${of}`,
  },
  boundaries: {
    title: 'Where the writing stops being natural',
    axis: 'Mean distance from the true word, as a share of the passage',
    people: 'People',
    asking: 'Asking the reward model…',
    columns: {
      judge: 'Judge',
      answers: 'Passages',
      words: 'Words off',
      exact: 'Exact',
      late: 'Too late',
      r2: 'R²',
    },
    again: (same: string, of: string, apart: string) =>
      `Of ${of} passages shown again, ${same} were answered the same; the answers lie ${apart} words apart. Nothing can agree with people more than they do with themselves.`,
    chance: (share: string) => `Guessing would be exact in ${share}. People place it too late, on the whole.`,
  },
  report: {
    title: 'What you took for natural',
    none: 'Nothing is rated yet.',
    source: 'Written by',
    text: 'your text',
    rated: 'Rated',
    taken: 'Taken for natural',
    opinion: 'By the reward model',
    intervals: 'Below each figure its 95% interval: where it may lie, as few passages as these can tell.',
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
        case 'all_generated':
          return `You took nothing of ${before} and ${newest} for natural: this says nothing about which is better. Pairs, side by side, tell them apart.`;
        case 'all_natural':
          return `You took everything of ${before} and ${newest} for natural: this says nothing about which is better. Pairs, side by side, tell them apart.`;
        case 'better':
          return `You take ${newest} for natural more often than ${before}, by more than chance explains: the last cycle made the writing better.`;
        case 'worse':
          return `You take ${newest} for natural less often than ${before}, by more than chance explains: continue from ${before}, and stop here.`;
        case 'no_clear_change':
          return `No measurable difference between ${before} and ${newest} yet. More ratings may show a smaller one.`;
      }
    },
    change: (points: string, low: string, high: string) =>
      `Difference in percentage points: ${points} (95% interval ${low} to ${high}).`,
    goOn: (count: string) => `Continue: ${count} left`,
    more: 'More passages…',
  },
};
