/** Sentences of rating blind, in German. */
import { judgingInGerman } from '../../shared/words/de-judging.js';
import type { Strings } from './en.js';

export const rating: Strings['rating'] = {
  title: 'Texte blind bewerten',
  short: 'Blindtest',
  back: (project) => `Zurück zu ${project}`,
  lead: 'Passagen werden bewertet, ohne dass ihre Herkunft bekannt ist. Aufgelöst wird erst in der Summe, bei den Ergebnissen.',
  tasks: {
    label: 'Aufgabe',
    pair: 'Welche ist besser?',
    boundary: 'Wo endet es?',
    single: 'Natürlich oder nicht?',
    help: {
      pair: 'Zwei Fortsetzungen desselben Textes nebeneinander. Der sicherste Weg, zwei Modelle zu unterscheiden.',
      boundary:
        'Eine Passage, die natürlich beginnt und generiert enden kann: genau die Aufgabe des Belohnungsmodells.',
      single: 'Eine Passage nach der anderen, aus dem eigenen Text oder von einem Modell.',
    },
  },
  against: {
    label: 'Neuestes Modell vergleichen mit',
    previous: 'der Version davor',
    base: 'dem Basismodell',
    text: 'dem eigenen Text',
  },
  begin: {
    title: 'Wie gut ist das Geschriebene?',
    text: 'Die Passagen stammen aus dem zurückgehaltenen Teil des Textes und von den Modellen. Eine Bewertung dauert wenige Sekunden; aufhören und später weitermachen ist jederzeit möglich.',
    missing: 'Seit die Passagen geschrieben wurden, ist ein Modell fertig geworden. Dessen Passagen fehlen.',
    nothing: 'Noch gibt es nichts zu vergleichen: Das erste Modell ist nicht fertig.',
    count: 'Passagen je Modell',
    countHelp: 'Unter zehn je Modell entscheidet der Zufall; mehr zeigen kleinere Unterschiede.',
    design: 'Ab diesem Unterschied lohnt es sich: Das bessere Modell wird vorgezogen',
    designShare: (share) => `in ${share} der Fälle`,
    plan: (votes, minutes, most) =>
      `Etwa ${votes} Stimmen weisen einen solchen Unterschied in der Hälfte der Fälle nach, ${most} in vier von fünf. ${votes} Stimmen dauern etwa ${minutes} Minuten.`,
    planNone: 'Keine vertretbare Zahl von Stimmen würde einen so kleinen Unterschied zeigen.',
    write: 'Passagen schreiben und beginnen',
    writing: (done, total) => `Passagen werden geschrieben: ${done} von ${total} Modellen`,
    starting: 'Modell wird geladen…',
    rest: 'Vorhandene bewerten',
  },
  question: {
    pair: 'Welche setzt den Text besser fort?',
    boundary: 'Wo endet das Natürliche?',
    single: 'Ist der markierte Teil natürlich oder von einem Modell geschrieben?',
  },
  context: 'Was davor steht, stammt aus dem eigenen Text.',
  prompt: 'Der Text davor',
  first: 'Erste',
  second: 'Zweite',
  answers: {
    first: 'Die erste',
    second: 'Die zweite',
    tie: 'Gleich gut',
    both_bad: 'Beide schlecht',
    natural: 'Natürlich',
    generated: 'Generiert',
    never: 'Alles ist natürlich',
    boundary: (word) => `Generiert ab „${word}“`,
  },
  boundary: {
    help: 'Das erste vom Modell geschriebene Wort anklicken oder mit den Pfeiltasten ansteuern und die Eingabetaste drücken.',
    words: 'Wörter der Passage',
    confirm: 'Endet hier',
    word: (word, number, total) => `${word}, Wort ${number} von ${total}`,
  },
  passage: (number) => `Passage ${number}`,
  progress: (rated, total) => `${rated} von ${total} bewertet`,
  left: (votes) => `Etwa ${votes} weitere ${votes === '1' ? 'Stimme würde' : 'Stimmen würden'} es entscheiden.`,
  known: 'Es ist entschieden: Aufhören ist möglich.',
  hopeless: 'Kein Unterschied, den einige Hundert Stimmen zeigen könnten: Aufhören ist möglich.',
  natural: 'Natürlich',
  generated: 'Generiert',
  skip: 'Überspringen',
  undo: 'Rückgängig',
  results: 'Ergebnisse',
  keep: 'Jede Antwort wird sofort gespeichert.',
  saving: 'Wird gespeichert…',
  rest: {
    text: (votes, minutes) =>
      `${votes} Antworten in ${minutes} Minuten. Eine Pause von einigen Minuten hält das Urteil scharf; alles ist gespeichert.`,
    later: 'Weiter',
  },
  history: {
    title: 'Frühere Antworten',
    none: 'Noch keine Antworten.',
    undo: (number) => `Antwort ${number} rückgängig machen`,
  },
  others: {
    export: 'Bewertungsaufgabe exportieren…',
    import: 'Antworten aus einer Datei hinzufügen…',
    exported: (name) => `${name} gespeichert`,
    exportedHelp:
      'An die Person schicken, die bewerten soll. Die Datei öffnet sich in jedem Browser und verrät nicht, von wem die Passagen sind.',
    report: 'Ergebnisse speichern…',
    reporting: 'Der Bericht entsteht; die Belohnungsmodelle werden befragt…',
    formats: {
      html: 'Als Seite (HTML)',
      json: 'Als Daten (JSON)',
      csv: 'Jede Antwort als Zeile (CSV)',
      pairs: 'Bevorzugte Paare zum Trainieren (JSON Lines)',
    },
    reported: (judgements) => `Antworten: ${judgements}; daneben die Urteile der Belohnungsmodelle.`,
    imported: (rater, added, changed) => `Antworten von ${rater}: ${added} neu, ${changed} geändert`,
  },
  pairs: {
    title: 'Was Menschen vorziehen',
    names: { natural: 'eigener Text' },
    share: (first, share, low, high) =>
      `Von den Antworten für eines von beiden entfallen ${share} auf ${first} (95-%-Intervall ${low} bis ${high}, nach jeder Antwort gültig).`,
    counts: (wins, losses, ties, bad) => `${wins} dafür, ${losses} dagegen, ${ties} gleich gut, ${bad} beide schlecht.`,
    none: 'Noch nichts bewertet.',
    alarm: 'Belohnungsmodell und Menschen sind sich uneins',
    said: judgingInGerman,
    versions: 'Alle Versionen',
    ratings: 'Bewertung durch Menschen',
    ratingsUnit: 'Punkte über dem Basismodell',
    reward: 'Belohnung',
    copying: 'Beim Lesen fällt Kopiertes nicht auf. Deshalb steht der kopierte Anteil neben jeder Bewertung.',
    columns: {
      version: 'Version',
      rating: 'Bewertung',
      votes: 'Stimmen',
      reward: 'Belohnung',
      copied: 'Kopiert',
      variety: 'Verschiedene Wortpaare',
    },
    text: 'eigener Text',
    flips: (below, above, votes) =>
      votes === '1'
        ? `Eine weitere Stimme für ${below} brächte es vor ${above}.`
        : `${votes} weitere Stimmen für ${below} brächten es vor ${above}.`,
  },
  trust: {
    title: 'Wie verlässlich die Antworten sind',
    help: 'Jedes zehnte Paar kommt noch einmal mit vertauschten Seiten, bei jedem zwanzigsten ist die Antwort bekannt. Nichts wird deswegen ausgelassen.',
    columns: {
      rater: 'Person',
      votes: 'Antworten',
      self: 'Einig mit sich selbst',
      known: 'Bekannte richtig beantwortet',
      left: 'Für die zuerst gezeigte',
      seconds: 'Sekunden',
    },
    you: 'selbst',
    bias: 'Die Seite spielt eine Rolle: Die zuerst gezeigte wird öfter oder seltener vorgezogen, als der Zufall erklärt.',
    alpha: (alpha, pairs) =>
      `Krippendorffs α zwischen den Personen: ${alpha}, aus ${pairs} mehrfach bewerteten Paaren.`,
    of: (share, of) => `${share} von ${of}`,
  },
  boundaries: {
    title: 'Wo das Natürliche endet',
    axis: 'Mittlerer Abstand vom richtigen Wort als Anteil der Passage',
    people: 'Menschen',
    asking: 'Belohnungsmodell wird gefragt…',
    columns: {
      judge: 'Wer urteilt',
      answers: 'Passagen',
      words: 'Wörter daneben',
      exact: 'Genau',
      late: 'Zu spät',
      r2: 'R²',
    },
    again: (same, of, apart) =>
      `Von ${of} erneut gezeigten Passagen wurden ${same} gleich beantwortet; die Antworten liegen ${apart} Wörter auseinander. Nichts kann mit Menschen besser übereinstimmen als sie mit sich selbst.`,
    chance: (share) => `Raten träfe in ${share} der Fälle genau. Menschen setzen das Ende meist zu spät.`,
  },
  report: {
    title: 'Was für natürlich gehalten wurde',
    none: 'Noch nichts bewertet.',
    source: 'Geschrieben von',
    text: 'eigener Text',
    rated: 'Bewertet',
    taken: 'Für natürlich gehalten',
    opinion: 'Laut Belohnungsmodell',
    intervals: 'Unter jedem Wert sein 95-%-Intervall: wo er liegen kann, so wenig verraten so wenige Passagen.',
    asking: 'Belohnungsmodell wird gefragt…',
    noModel: 'Dieses Projekt hat noch kein Belohnungsmodell zum Vergleich.',
    opinionFailed: 'Das Belohnungsmodell ließ sich nicht befragen',
    agreement: (natural, generated) =>
      `Für natürlich gehaltene Passagen bewertet es im Mittel als ${natural} natürlich, für generiert gehaltene als ${generated}. Je größer der Abstand, desto mehr stimmt das Belohnungsmodell mit den Antworten überein.`,
    contrary: 'Hier stimmt es nicht überein: Was Menschen überzeugt, überzeugt es nicht.',
    verdict: (verdict, before, newest) => {
      switch (verdict) {
        case 'too_few':
          return before === undefined
            ? 'Ob ein Zyklus das Geschriebene verbessert, zeigt sich, sobald einer abgeschlossen ist.'
            : `Mindestens zehn Passagen von ${before} und von ${newest} bewerten, um zu sehen, ob der letzte Zyklus das Geschriebene verbessert hat.`;
        case 'all_generated':
          return `Nichts von ${before} und ${newest} wurde für natürlich gehalten: Das sagt nicht, was besser ist; der Vergleich in Paaren zeigt es eher.`;
        case 'all_natural':
          return `Alles von ${before} und ${newest} wurde für natürlich gehalten: Das sagt nicht, was besser ist; der Vergleich in Paaren zeigt es eher.`;
        case 'better':
          return `${newest} wird häufiger für natürlich gehalten als ${before}, mehr als durch Zufall erklärbar: Der letzte Zyklus hat das Geschriebene verbessert.`;
        case 'worse':
          return `${newest} wird seltener für natürlich gehalten als ${before}, mehr als durch Zufall erklärbar: mit ${before} weiterarbeiten und hier aufhören.`;
        case 'no_clear_change':
          return `Noch kein messbarer Unterschied zwischen ${before} und ${newest}. Weitere Bewertungen könnten einen kleineren zeigen.`;
      }
    },
    change: (points, low, high) => `Unterschied in Prozentpunkten: ${points} (95-%-Intervall ${low} bis ${high}).`,
    goOn: (count) => `Weiter: noch ${count}`,
    more: 'Weitere Passagen…',
  },
};
