/** What may come of a project and what came of it, in German: the sentences of outcome.ts, ../cycle-advice.ts and ../cycle-control.ts. */
import type { AdviceWords } from '../cycle-advice.js';
import type { Change, ControlWords } from '../cycle-control.js';
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
    top_p_as_good:
      'Der letzte Zyklus gewann nicht mehr, als das Weglassen unwahrscheinlicher Tokens (Top-p) umsonst gibt: Ein weiterer ist seine Zeit vermutlich nicht wert.',
    temperature_as_good:
      'Der letzte Zyklus gewann nichts, was eine niedrigere Temperatur nicht auch gibt: Ein weiterer ist seine Zeit vermutlich nicht wert.',
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
    `Bei gleicher Vielfalt ${changed(cycle)} der Zyklus ${cycle.size} Nats pro Zeichen, schlichtes Training ${changed(trained)} ${trained.size} mit ${share} % des Aufwands`,
  paid: (changes) => `Dieser Zyklus hat sich gelohnt. ${changes}.`,
  train: (changes) => `Schlichtes Training ist hier besser. ${changes}.`,
  top_p: (cycle, free, topP) =>
    `Dieser Zyklus hat sich nicht gelohnt: Unwahrscheinliche Tokens wegzulassen (Top-p ${topP}) kostet nichts und ${changed(free)} bei gleicher Vielfalt ${free.size} Nats pro Zeichen, der Zyklus ${changed(cycle)} ${cycle.size}.`,
  temperature: (cycle) =>
    `Dieser Zyklus hat sich nicht gelohnt: Bei gleicher Vielfalt gewann er nichts, was eine niedrigere Temperatur nicht auch gibt (er ${changed(cycle)} ${cycle.size} Nats pro Zeichen).`,
  unclear: (changes) => `Ob sich dieser Zyklus gelohnt hat, ist nicht klar. ${changes}.`,
};

export const adviceInGerman: AdviceWords = {
  model:
    'Zyklen werden sich hier kaum lohnen: Der Kritiker eines Modells, das schon schreiben konnte, ist dieses Modell selbst, weiter trainiert; ein Zyklus bringt ihm also, was Weitertrainieren bringt, und kaum mehr. In den beiden ganzen Läufen, die gemessen wurden, änderte ein Zyklus nicht mehr als der Zufall; Weitertrainieren gewann 0,01 bis 0,02 Nats pro Zeichen.',
  larger:
    'Zyklen können sich hier lohnen: Der größere Lehrer weiß mehr als dieses Modell, und jede Aktualisierung bringt ihm etwas davon bei. Mit solchen Modellen wurde es nicht gemessen. In dem einen Projekt, in dem es gemessen wurde – ein Drittel der Schichten von SmolLM2 unter dem ganzen –, senkte ein Zyklus den Verlust auf nie gesehenem Text um 0,14 Nats pro Token, Weitertrainieren um höchstens 0,06.',
  blind:
    'Zyklen werden hier kaum helfen: Ein Belohnungsmodell ohne Kritiker war nicht besser als Raten, wo immer es gemessen wurde.',
  unlike:
    'Ob sich Zyklen für solchen Text und solches Modell lohnen, wurde noch nicht gemessen. Nach dem ersten sagt es seine Kontrolle.',
  few_passes: (passes, steps, enough) =>
    `Zuerst weitertrainieren: Das Basistraining geht ${passes}-mal durch den Text, und mehr Schritte senkten den Verlust auf nie gesehenem Text um ein Mehrfaches dessen, was Zyklen mit demselben Aufwand schafften. ${steps} Schritte gehen ${enough}-mal durch ihn.`,
  few_passes_again: (before, passes, steps, enough) =>
    `Zuerst weitertrainieren: Das Modell, mit dem es beginnt, ging ${before}-mal durch den Text, mit dem Basistraining werden es ${passes}-mal, und mehr Schritte senkten den Verlust auf nie gesehenem Text um ein Mehrfaches dessen, was Zyklen mit demselben Aufwand schafften. Mit ${steps} Schritten sind es ${enough}-mal.`,
  teacher: (ratio) =>
    `Die Zyklen bringen diesem Modell bei, was sein Lehrer weiß: In Projekten wie diesem gewannen sie mindestens das ${ratio}-Fache dessen, was Weitertrainieren oder das Weglassen unwahrscheinlicher Tokens gewann. Jede Aktualisierung lernt auch, was der Lehrer an jeder Stelle des Textes erwartet; das allein, ohne dass das Modell selbst schreibt, gewann etwa so viel.`,
  cycles: (paid, of) =>
    `Zyklen werden sich hier lohnen: In ${paid} von ${of} Projekten wie diesem gewannen sie mindestens anderthalbmal so viel wie der beste billigere Weg: weitertrainieren oder unwahrscheinliche Tokens weglassen.`,
  not_here: (paid, of) =>
    `Zyklen werden sich hier kaum lohnen: In ${paid} von ${of} Projekten wie diesem gewannen sie mindestens anderthalbmal so viel wie der beste billigere Weg: weitertrainieren oder unwahrscheinliche Tokens weglassen. Wie es in diesem ist, sagt nach dem ersten Zyklus dessen Kontrolle.`,
};
