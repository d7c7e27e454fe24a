/** The sentences that say what came of a project (../outcome.ts), in English; the window has them in its other languages too. */
import type { Verdict } from '../judging.js';
import type { Direction, OutcomeReason } from '../reports/outcome.js';

/** What a sentence on held-out text is made of; figures are written already. */
export interface HeldOutFigures {
  readonly name: string;
  readonly base: string;
  readonly before: string;
  readonly after: string;
  /** By how much, as a percentage without a sign. */
  readonly size: string;
  readonly interval: { readonly low: string; readonly high: string } | null;
}

export interface OutcomeWords {
  /** A version within a sentence; 0 is base training's. */
  version(cycle: number): string;
  baseAlone(name: string, perplexity: string): string;
  readonly heldOut: Readonly<Record<Direction, (figures: HeldOutFigures) => string>>;
  readonly reward: Readonly<Record<Direction, (cycle: string, before: string, after: string) => string>>;
  readonly judge: Readonly<Record<'better' | 'worse' | 'unclear', (size: string) => string>>;
  readonly people: Readonly<Record<Verdict, (first: string, second: string, votes: string, isOne: boolean) => string>>;
  readonly blind: { readonly always: string; some(cycles: string, isOne: boolean): string };
  readonly another: Readonly<Record<OutcomeReason, string>>;
}

const figuresOf = ({ before, after, interval }: HeldOutFigures): string =>
  `perplexity ${before} → ${after}${interval ? `, 95% interval ${interval.low} to ${interval.high}` : ''}`;
const votesOf = (votes: string, isOne: boolean): string => `${votes} ${isOne ? 'vote' : 'votes'}`;
const undecided = (first: string, second: string, votes: string, isOne: boolean): string =>
  `Whether people find ${first} better than ${second} is undecided (${votesOf(votes, isOne)}).`;

export const outcomeWords: OutcomeWords = {
  version: (cycle) => (cycle === 0 ? 'the base model' : `the model after cycle ${String(cycle)}`),
  baseAlone: (name, perplexity) => `${name} has a perplexity of ${perplexity} on text that it has never seen.`,
  heldOut: {
    better: (of) =>
      `${of.name} predicts text that it has never seen better than ${of.base}: perplexity is ${of.size} lower (${figuresOf(of)}).`,
    worse: (of) =>
      `${of.name} predicts text that it has never seen worse than ${of.base}: perplexity is ${of.size} higher (${figuresOf(of)}).`,
    unclear: (of) =>
      `On text that it has never seen ${of.name} is neither better nor worse than ${of.base} by more than chance explains (${figuresOf(of)}).`,
    unknown: (of) =>
      `On text that it has never seen, perplexity went from ${of.before} (${of.base}) to ${of.after} (${of.name}); how far that is chance was not measured.`,
  },
  reward: {
    better: (cycle, before, after) =>
      `In cycle ${cycle} the reward rose by more than chance explains (${before} → ${after} natural, as the reward model sees it).`,
    worse: (cycle, before, after) =>
      `In cycle ${cycle} the reward fell by more than chance explains (${before} → ${after} natural, as the reward model sees it).`,
    unclear: (cycle, before, after) =>
      `In cycle ${cycle} the reward did not change by more than chance could explain (${before} → ${after}).`,
    unknown: (cycle, before, after) =>
      `In cycle ${cycle} the reward went ${before} → ${after}; how far that is chance was not measured.`,
  },
  judge: {
    better: (size) =>
      `The independent judge, which nothing was trained against, finds its writing likelier than at the beginning, by ${size} nats per token.`,
    worse: (size) =>
      `The independent judge, which nothing was trained against, finds its writing less likely than at the beginning, by ${size} nats per token.`,
    unclear: () => 'The independent judge finds no difference from the beginning that is more than chance.',
  },
  people: {
    better: (first, second, votes, isOne) => `People find ${first} better than ${second} (${votesOf(votes, isOne)}).`,
    worse: (first, second, votes, isOne) => `People find ${first} worse than ${second} (${votesOf(votes, isOne)}).`,
    no_difference: (first, second, votes, isOne) =>
      `People see no difference between ${first} and ${second} (${votesOf(votes, isOne)}).`,
    waiting: undecided,
    no_votes: undecided,
  },
  blind: {
    always:
      'The reward model could not tell natural from generated text in any cycle (its R² is not clearly above 0), so the rewards say nothing.',
    some: (cycles, isOne) => `In ${isOne ? 'cycle' : 'cycles'} ${cycles} the reward model was no better than guessing.`,
  },
  another: {
    not_begun: '',
    better: 'The last cycle helped by more than chance: another one is worth its time.',
    better_unchecked:
      'The last cycle helped by more than chance. Whether plain training for the same time would have helped more was not measured (setting control_share).',
    better_unclear:
      'The last cycle helped by more than chance; whether plain training for the same time would have helped more is not clear.',
    not_together:
      'The last cycle helped by more than chance, but all cycles together did not: another one is unlikely to be worth its time.',
    people_better: 'People prefer what the last cycle made: another one is worth its time.',
    people_not_better: 'People do not prefer what the last cycle made: another one is not worth its time.',
    blind:
      'The last reward model was no better than guessing, so another cycle would learn nothing. A critic (reward_kind) usually is; more reward data helps a little.',
    caught_up: 'The generator has caught up with its critic: another cycle needs a stronger critic.',
    training_better:
      'The last cycle gained less than plain training would have: train on instead, another cycle is not worth its time.',
    less_varied:
      'The last cycle made the writing less varied, as a lower temperature does: another one is unlikely to be worth its time.',
    no_gain: 'By the independent judge the last cycle gained nothing: another one is unlikely to be worth its time.',
    nothing_changed:
      'The last cycle changed nothing by more than chance: another one is unlikely to be worth its time.',
    reward_against_text: 'The reward rose while the text is predicted worse: read the samples before another cycle.',
    worse: 'The last cycle made it worse: another one is not worth its time.',
  },
};
