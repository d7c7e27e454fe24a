/** Words of the report page in German. */
import type { RatingReportWords } from './words.js';

export const german: RatingReportWords = {
  title: (project) => `Blindtest von ${project}`,
  nothing: 'Noch nichts bewertet.',
  natural: 'Originaltext',
  range: (low, high) => `${low} bis ${high}`,
  share: (share, yes, of, range) => `${share} (${yes} von ${of}; ${range})`,
  against: (first, second) => `${first} gegen ${second}`,
  decidedAt: (evidence, vote) => `${evidence}; entschieden bei Stimme ${vote}`,
  ignored: (answers) =>
    `Antworten auf Fragen einer früheren Version (natürlich oder nicht, bekannte Antworten) zählen nicht: ${answers}.`,
  people: 'Alle',
  comparisons: {
    title: 'Welche Version besser ist',
    chart: 'Anteil der entschiedenen Stimmen für die erste',
    chartHelp: 'Mit 95-%-Intervallen, die nach jeder Stimme gelten. Die gestrichelte Linie ist die Hälfte: gleich gut.',
    help: 'Eine Evidenz von 20 entscheidet: Zwei gleich gute Versionen werden je mit einer Wahrscheinlichkeit von höchstens 5 % verschieden genannt.',
    columns: ['Verglichen', 'Für jede', 'Gleich gut, beide schlecht', 'Gewinnrate', 'Evidenz'],
  },
  writing: {
    title: 'Belohnung und Kopiertes',
    help: 'Belohnung: nach dem Belohnungsmodell des Zyklus, aus dem die Version stammt. Kopiert: Anteil des Geschriebenen, der im Trainingstext steht; beim Lesen fällt er selten auf. Vielfältig: verschiedene Wortpaare.',
    columns: ['Version', 'Belohnung', 'Kopiert', 'Vielfältig'],
  },
  boundary: {
    title: 'Wo eine Passage aufhört, natürlich zu sein',
    help: 'Fehler: mittlerer Abstand vom richtigen Wort, als Anteil der Passage. Eine Antwort ist genau, wenn sie das richtige Wort trifft.',
    columns: ['Person', 'Antworten', 'Fehler', 'Zu spät um', 'Genau', 'Genau durch Zufall', 'Gleich beantwortet'],
  },
  reliability: {
    title: 'Verlässlichkeit der Stimmen',
    counted: (repeats, again) =>
      `Wiederholungen: ${repeats}; weitere Stimmen zu einem Paar: ${again}. In Vergleichen zählen sie nicht.`,
    help: 'Selbstübereinstimmung: mit vertauschten Seiten wiederholte Paare, die gleich beantwortet wurden.',
    columns: ['Person', 'Stimmen', 'Sekunden je Stimme', 'Selbstübereinstimmung', 'Für die erste'],
  },
};
