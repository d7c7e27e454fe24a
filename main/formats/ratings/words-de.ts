/** What the report of ratings says, in German. */
import type { RatingReportWords } from './words.js';

const some = (count: string, isOne: boolean, one: string, many: string): string => `${count} ${isOne ? one : many}`;

export const german: RatingReportWords = {
  title: (project) => `Bewertung von ${project} durch Menschen`,
  nothing: 'Noch nichts bewertet.',
  natural: 'Originaltext',
  range: (low, high) => `${low} bis ${high}`,
  share: (share, yes, of, range) => `${share} (${yes} von ${of}; ${range})`,
  against: (first, second) => `${first} gegen ${second}`,
  decidedAt: (evidence, vote) => `${evidence}; entschieden bei Stimme ${vote}`,
  comparisons: {
    title: 'Welche Version besser ist',
    chart: 'Anteil der entschiedenen Stimmen für die erste',
    chartHelp:
      'Mit 95-%-Intervallen, die nach jeder Stimme zugleich gelten. Die gestrichelte Linie ist die Hälfte: gleich gut.',
    help: 'Eine Evidenz von 20 entscheidet. Eine Präferenz zählt Unentschieden halb; ihr Intervall gilt für diese Zahl von Stimmen. Daneben steht, wie viel vom Geschriebenen jeder Version im Trainingstext steht und wie vielfältig es ist: Menschen fällt Kopiertes nicht auf.',
    columns: [
      ...(['Verglichen', 'Für jede', 'Gleich gut, beide schlecht', 'Evidenz', 'Präferenz'] as const),
      ...(['Mit Urteilen der Modelle', 'Erste: kopiert; vielfältig', 'Zweite: kopiert; vielfältig'] as const),
    ],
  },
  ratings: {
    title: 'Bewertung aller Versionen',
    chart: 'Bewertung jeder Version',
    unit: (against) => `Punkte über ${against}; 400 stehen für zehn zu eins`,
    mean: 'dem Mittel',
    help: 'Bradley–Terry mit Unentschieden (Davidson) und schwacher Vorannahme, mit 95-%-Intervallen.',
    ties: (share) => `Von Stimmen zu zwei gleich guten entfallen ${share} auf keine von beiden.`,
    flip: (below, above, votes, isOne) =>
      `${below} läge vor ${above} mit ${votes} ${isOne ? 'weiteren Stimme' : 'weiteren Stimmen'} dafür gegen ${above}.`,
    flipOfThousands: (below, above) =>
      `${below} läge vor ${above} mit Tausenden weiterer Stimmen dafür gegen ${above}.`,
  },
  writing: {
    title: 'Belohnung und Menschen',
    help: 'Belohnung: nach dem Belohnungsmodell des Zyklus, aus dem die Version stammt. Kopiert: vom Geschriebenen, was im Trainingstext steht. Vielfältig: verschiedene Wortpaare unter allen.',
    columns: ['Version', 'Belohnung', 'Bewertung durch Menschen', 'Kopiert', 'Vielfältig'],
  },
  boundary: {
    title: 'Wo eine Passage aufhört, natürlich zu sein',
    chart: 'Fehler jedes Urteilenden',
    unit: 'mittlerer Abstand vom richtigen Wort, als Anteil der Passage',
    chartHelp: 'Menschen, Belohnungsmodell und Kritiker zu denselben Passagen, mit 95-%-Intervallen.',
    help: 'Eine Antwort ist genau, wenn sie das richtige Wort trifft.',
    columns: ['Wer urteilt', 'Antworten', 'Fehler', 'Zu spät um', 'Genau', 'Genau durch Zufall', 'R²'],
    people: 'Menschen',
  },
  singles: {
    title: 'Einzelne Passagen',
    chart: 'Anteil der für natürlich gehaltenen Passagen',
    chartHelp: 'Jede für sich beurteilt, mit 95-%-Intervallen.',
  },
  trust: {
    title: 'Wie verlässlich die Stimmen sind',
    all: 'Alle',
    columns: ['Person', 'Stimmen', 'Sekunden je Stimme', 'Gleich beantwortet', 'Bekannte richtig', 'Für die linke'],
    sidesMattered: 'die Seite spielte eine Rolle',
    alpha: (pairs, alpha) => `Krippendorffs α über ${pairs} Paare, die mehrere bewertet haben: ${alpha}.`,
    counted: (repeats, known, again) =>
      `Wiederholungen: ${repeats}; bekannte Antworten: ${known}; weitere Stimmen zu einem Paar: ${again}. Keine wurde stillschweigend ausgelassen.`,
    help: 'Gleich beantwortet: Paare, die mit vertauschten Seiten noch einmal kamen; mehr kann nichts mit einem Menschen übereinstimmen.',
  },
  methods: {
    title: 'Methode',
    oneRater: 'eine Person',
    raters: (count, isOne) => some(count, isOne, 'Person', 'Personen'),
    votes: (count, isOne) => `${some(count, isOne, 'Stimme', 'Stimmen')} zu Paaren`,
    answers: (count, isOne) => `${some(count, isOne, 'Antwort', 'Antworten')} zu Grenzen`,
    judgements: (count, isOne) => `${some(count, isOne, 'Urteil', 'Urteile')} über einzelne Passagen`,
    gave: (raters, tasks) => `Bewertet durch ${raters}: ${tasks.join(', ')}.`,
    none: 'keinem Fall',
    share: ({ share, of, low, high }) => `${share} von ${of} (95-%-KI ${low} bis ${high})`,
    pairs:
      'Ein Paar bestand aus zwei Fortsetzungen desselben zurückgehaltenen Prompts; gewählt wurde die bessere, „gleich gut“ oder „beide schlecht“, ohne dass gesagt wurde, von wem sie stammen.',
    sides: 'Die Seiten wurden ausgelost.',
    sidesWith: (left) => `Die Seiten wurden ausgelost; entschiedene Stimmen galten der linken oder oberen in ${left}.`,
    seconds: (median) => `Eine Stimme dauerte im Median ${median} s.`,
    test: ({ mixture, decisive, most }) =>
      `Die Ergebnisse durften nach jeder Stimme angesehen werden: Versionen wurden mit einem jederzeit gültigen Test auf den entschiedenen Stimmen verglichen (ein E-Prozess mit einer Beta(${mixture})-Mischung, entschieden bei ${decisive}, sodass zwei gleich gute Versionen je mit einer Wahrscheinlichkeit von höchstens 5 % verschieden genannt werden), mit Konfidenzsequenzen aus derselben Mischung; ein Vergleich wurde aufgegeben, wenn ${most} Stimmen ihn mit weniger als 5 % Wahrscheinlichkeit entschieden hätten.`,
    decided: (decided, isOne, of, ofOne) =>
      `Entschieden ${isOne ? 'wurde' : 'wurden'} ${decided} von ${some(of, ofOne, 'Vergleich', 'Vergleichen')}.`,
    ratings:
      'Die Bewertungen stammen aus einem Davidson-Modell (Bradley–Terry mit Unentschieden; normale Vorannahme mit Standardabweichung 2 auf den logarithmierten Stärken) mit Sandwich-Intervallen, gruppiert nach Prompt. Mit Urteilen der Modelle gestützte Präferenzen sind vorhersagegestützte Schätzungen (prediction-powered) mit abgestimmtem Gewicht.',
    again: (votes, isOne) =>
      `Von mehreren Stimmen zu einem Paar zählte in Vergleichen die erste (daneben ${some(votes, isOne, 'Stimme', 'Stimmen')}).`,
    same: (share) => `Mit vertauschten Seiten wiederholte Paare wurden gleich beantwortet in ${share}.`,
    known: (share) => `Paare mit bekannter Antwort wurden richtig beantwortet in ${share}.`,
    agreement: (pairs, isOne, alpha) =>
      `Übereinstimmung zwischen den Personen über ${some(pairs, isOne, 'Paar', 'Paare')}: Krippendorffs α = ${alpha} (nominal).`,
    noneLeftOut: 'Aus keinem anderen Grund wurde eine Stimme ausgelassen.',
    boundary: (error, exact, chance) =>
      `In der Grenzaufgabe wurde das Wort markiert, ab dem eine Passage nicht mehr natürlich ist, oder gesagt, dass sie es ganz ist; der mittlere Fehler betrug ${error} der Passage, genau waren die Antworten in ${exact} (durch Zufall: ${chance}).`,
  },
};
