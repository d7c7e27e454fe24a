/** The sentences for what people's votes come to (../judging.ts), in English; the window has them in its other languages too. */

/** Numbers are written already. */
export interface JudgingWords {
  readonly verdict: {
    better(first: string, second: string): string;
    worse(first: string, second: string): string;
    no_difference(first: string, second: string, most: string): string;
    no_votes(first: string, second: string): string;
    /** @param chance a percentage without its sign */
    close(most: string, chance: string): string;
    waiting(votes: string, isOne: boolean): string;
  };
  readonly alarm: {
    people_say_worse(newest: string, previous: string): string;
    people_see_no_difference(newest: string, previous: string): string;
  };
}

const alarm = (newest: string, previous: string, they: string): string =>
  `The reward model says that ${newest} is better than ${previous}; people ${they}. The reward is being raised by something that readers do not value: read the passages before another cycle.`;

export const judgingWords: JudgingWords = {
  verdict: {
    better: (first, second) => `${first} is better than ${second}: no more votes are needed.`,
    worse: (first, second) => `${first} is worse than ${second}: no more votes are needed.`,
    no_difference: (first, second, most) =>
      `No difference between ${first} and ${second} that ${most} votes could show: no more votes are needed.`,
    no_votes: (first, second) => `No votes on ${first} against ${second} yet.`,
    close: (most, chance) => `Undecided and close: even ${most} votes decide it with a probability of only ${chance}%.`,
    waiting: (votes, isOne) => `Undecided: about ${votes} more ${isOne ? 'vote' : 'votes'} would decide it.`,
  },
  alarm: {
    people_say_worse: (newest, previous) => alarm(newest, previous, `prefer ${previous}`),
    people_see_no_difference: (newest, previous) => alarm(newest, previous, 'see no difference'),
  },
};
