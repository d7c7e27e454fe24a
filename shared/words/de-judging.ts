/** What people's votes come to, in German: the sentences of judging.ts. */
import type { JudgingWords } from './judging.js';

const alarm = (newest: string, previous: string, they: string): string =>
  `Das Belohnungsmodell hält ${newest} für besser als ${previous}; Menschen ${they}. Die Belohnung steigt durch etwas, worauf Lesende keinen Wert legen: vor dem nächsten Zyklus die Passagen lesen.`;

export const judgingInGerman: JudgingWords = {
  verdict: {
    better: (first, second) => `${first} ist besser als ${second}: Das steht fest, weitere Stimmen sind nicht nötig.`,
    worse: (first, second) =>
      `${first} ist schlechter als ${second}: Das steht fest, weitere Stimmen sind nicht nötig.`,
    no_difference: (first, second, most) =>
      `Zwischen ${first} und ${second} ist kein Unterschied, den ${most} Stimmen zeigen könnten: Weitere sind nicht nötig.`,
    no_votes: (first, second) => `Noch keine Stimmen zu ${first} gegen ${second}.`,
    close: (most, chance) =>
      `Unentschieden und knapp: Selbst ${most} Stimmen entscheiden es nur mit einer Wahrscheinlichkeit von ${chance} %.`,
    waiting: (votes, isOne) =>
      isOne
        ? `Noch unentschieden: Etwa ${votes} weitere Stimme würde es entscheiden.`
        : `Noch unentschieden: Etwa ${votes} weitere Stimmen würden es entscheiden.`,
  },
  alarm: {
    people_say_worse: (newest, previous) => alarm(newest, previous, `ziehen ${previous} vor`),
    people_see_no_difference: (newest, previous) => alarm(newest, previous, 'sehen keinen Unterschied'),
  },
};
