/** What may come of a project and what came of it, in German: the sentences of outcome.ts, ../cycle-advice.ts and ../cycle-control.ts. */
import type { AdviceWords } from '../reports/cycle-advice.js';
import type { Change, ControlWords } from '../reports/cycle-control.js';
import type { HeldOutFigures, OutcomeWords } from './outcome.js';

const figuresOf = ({ before, after, interval }: HeldOutFigures): string =>
  `Perplexität ${before} → ${after}${interval ? `, 95-%-Intervall ${interval.low} bis ${interval.high}` : ''}`;
const votesOf = (votes: string, isOne: boolean): string => `${votes} ${isOne ? 'Stimme' : 'Stimmen'}`;
const undecided = (first: string, second: string, votes: string, isOne: boolean): string =>
  `Ob Menschen finden, dass ${first} besser schreibt als ${second}, ist nicht entschieden (${votesOf(votes, isOne)}).`;

export const outcomeInGerman: OutcomeWords = {
  version: (cycle) => (cycle === 0 ? 'das Basismodell' : `das Modell nach Zyklus ${String(cycle)}`),
  baseAlone: (name, perplexity) => `Auf nie gesehenem Text erreicht ${name} eine Perplexität von ${perplexity}.`,
  heldOut: {
    better: (of) =>
      `Nie gesehenen Text sagt ${of.name} besser voraus als ${of.base}: Die Perplexität ist ${of.size} niedriger (${figuresOf(of)}).`,
    worse: (of) =>
      `Nie gesehenen Text sagt ${of.name} schlechter voraus als ${of.base}: Die Perplexität ist ${of.size} höher (${figuresOf(of)}).`,
    unclear: (of) =>
      `Auf nie gesehenem Text ist ${of.name} nicht besser und nicht schlechter als ${of.base}, jedenfalls nicht mehr, als der Zufall erklärt (${figuresOf(of)}).`,
    unknown: (of) =>
      `Auf nie gesehenem Text ging die Perplexität von ${of.before} (${of.base}) auf ${of.after} (${of.name}). Wie weit das Zufall ist, wurde nicht gemessen.`,
  },
  reward: {
    better: (cycle, before, after) =>
      `In Zyklus ${cycle} stieg die Belohnung mehr, als der Zufall erklärt (${before} → ${after} natürlich, wie das Belohnungsmodell es sieht).`,
    worse: (cycle, before, after) =>
      `In Zyklus ${cycle} sank die Belohnung mehr, als der Zufall erklärt (${before} → ${after} natürlich, wie das Belohnungsmodell es sieht).`,
    unclear: (cycle, before, after) =>
      `In Zyklus ${cycle} änderte sich die Belohnung nicht mehr, als der Zufall erklären könnte (${before} → ${after}).`,
    unknown: (cycle, before, after) =>
      `In Zyklus ${cycle} ging die Belohnung von ${before} auf ${after}; wie weit das Zufall ist, wurde nicht gemessen.`,
  },
  judge: {
    better: (size) =>
      `Der unabhängige Gutachter, gegen den nichts trainiert wurde, findet das Geschriebene um ${size} Nats pro Token wahrscheinlicher als am Anfang.`,
    worse: (size) =>
      `Der unabhängige Gutachter, gegen den nichts trainiert wurde, findet das Geschriebene um ${size} Nats pro Token unwahrscheinlicher als am Anfang.`,
    unclear: () => 'Der unabhängige Gutachter findet keinen Unterschied zum Anfang, der mehr als Zufall ist.',
  },
  people: {
    better: (first, second, votes, isOne) =>
      `Menschen finden, dass ${first} besser schreibt als ${second} (${votesOf(votes, isOne)}).`,
    worse: (first, second, votes, isOne) =>
      `Menschen finden, dass ${first} schlechter schreibt als ${second} (${votesOf(votes, isOne)}).`,
    no_difference: (first, second, votes, isOne) =>
      `Menschen sehen keinen Unterschied: ${first}, verglichen mit dem davor, ${second} (${votesOf(votes, isOne)}).`,
    waiting: undecided,
    no_votes: undecided,
  },
  blind: {
    always:
      'Das Belohnungsmodell konnte in keinem Zyklus natürlichen von generiertem Text unterscheiden (sein R² liegt nicht klar über 0); die Belohnungen sagen daher nichts.',
    some: (cycles, isOne) =>
      `In ${isOne ? 'Zyklus' : 'den Zyklen'} ${cycles} war das Belohnungsmodell nicht besser als Raten.`,
  },
  another: {
    not_begun: '',
    better: 'Der letzte Zyklus half mehr, als der Zufall erklärt: Ein weiterer ist seine Zeit wert.',
    better_unchecked:
      'Der letzte Zyklus half mehr, als der Zufall erklärt. Ob schlichtes Training in derselben Zeit mehr geholfen hätte, wurde nicht gemessen (Einstellung control_share).',
    better_unclear:
      'Der letzte Zyklus half mehr, als der Zufall erklärt; ob schlichtes Training in derselben Zeit mehr geholfen hätte, ist nicht klar.',
    not_together:
      'Der letzte Zyklus half mehr, als der Zufall erklärt, alle Zyklen zusammen aber nicht: Ein weiterer ist seine Zeit vermutlich nicht wert.',
    people_better: 'Menschen ziehen vor, was der letzte Zyklus gemacht hat: Ein weiterer ist seine Zeit wert.',
    people_not_better:
      'Menschen ziehen nicht vor, was der letzte Zyklus gemacht hat: Ein weiterer ist seine Zeit nicht wert.',
    blind:
      'Das letzte Belohnungsmodell war nicht besser als Raten, ein weiterer Zyklus würde also nichts lernen. Ein Kritiker (reward_kind) ist es meist; mehr Belohnungsdaten helfen ein wenig.',
    caught_up: 'Der Generator hat seinen Kritiker eingeholt: Ein weiterer Zyklus braucht einen stärkeren Kritiker.',
    training_better:
      'Der letzte Zyklus gewann weniger, als schlichtes Training gewonnen hätte: besser weitertrainieren, ein weiterer ist seine Zeit nicht wert.',
    less_varied:
      'Der letzte Zyklus machte das Geschriebene weniger vielfältig, wie es eine niedrigere Temperatur auch tut: Ein weiterer ist seine Zeit vermutlich nicht wert.',
    no_gain:
      'Nach dem unabhängigen Gutachter gewann der letzte Zyklus nichts: Ein weiterer ist seine Zeit vermutlich nicht wert.',
    nothing_changed:
      'Der letzte Zyklus änderte nichts, was mehr als Zufall ist: Ein weiterer ist seine Zeit vermutlich nicht wert.',
    reward_against_text:
      'Die Belohnung stieg, während der Text schlechter vorausgesagt wird: vor einem weiteren Zyklus die Textproben lesen.',
    worse: 'Der letzte Zyklus hat es verschlechtert: Ein weiterer ist seine Zeit nicht wert.',
  },
};

const changed = ({ isLoss }: Change): string => (isLoss ? 'verlor' : 'gewann');

export const controlInGerman: ControlWords = {
  changes: (cycle, trained, share) =>
    `Der Zyklus ${changed(cycle)} ${cycle.size} Nats pro Token, schlichtes Training ${changed(trained)} ${trained.size} mit ${share} % des Aufwands`,
  paid: (changes) => `Dieser Zyklus hat sich gelohnt. ${changes}.`,
  train: (changes) => `Schlichtes Training ist hier besser. ${changes}.`,
  narrower: (changes) =>
    `Dieser Zyklus machte das Geschriebene weniger vielfältig, wie es eine niedrigere Temperatur auch tut. ${changes}.`,
  nothing: (changes) => `Dieser Zyklus hat sich nicht gelohnt. ${changes}.`,
  unclear: (changes) => `Ob sich dieser Zyklus gelohnt hat, ist nicht klar. ${changes}.`,
};

export const adviceInGerman: AdviceWords = {
  blind: 'Zyklen werden sich hier kaum lohnen: Ein Belohnungsmodell ohne Kritiker rät bei diesen Größen nur.',
  teacher: 'Zyklen lohnen sich hier: Sie bringen diesem Modell bei, was sein größerer Lehrer weiß.',
  model:
    'Zyklen werden sich hier kaum lohnen: Ohne größeren Lehrer bringt längeres Training diesem Modell ebenso viel.',
  alone:
    'Zyklen werden sich hier kaum lohnen: Ein Kritiker, der nur diesen Text kennt, ist kaum voraus. Längeres Training bringt mehr.',
  few_passes: (passes, steps, enough) =>
    `Zuerst weitertrainieren: Das Basistraining geht ${passes}-mal durch den Text, und mehr Schritte helfen mehr als Zyklen. ${steps} Schritte gehen ${enough}-mal durch ihn.`,
};
