/**
 * What the page of an exported rating task says, in every language. The page holds its own as data, so all of it is text:
 * `{done}` and the like are filled in by its script.
 */
import type { Language } from '../../../shared/language.js';
import type { RatingTask } from '../../../shared/rating.js';

interface TaskWords {
  readonly title: string;
  readonly name: string;
  readonly begin: string;
  /** Of `{questions}`. */
  readonly length: string;
  readonly sent: string;
  readonly kept: string;
  readonly titles: Readonly<Record<RatingTask, string>>;
  readonly helps: Readonly<Record<RatingTask, string>>;
  readonly answers: {
    readonly first: string;
    readonly second: string;
    readonly tie: string;
    readonly both_bad: string;
    readonly never: string;
    readonly natural: string;
    readonly generated: string;
  };
  readonly confirm: string;
  readonly firstText: string;
  readonly secondText: string;
  /** Its `{number}`. */
  readonly passage: string;
  /** `{done}` of `{total}`. */
  readonly rated: string;
  readonly skip: string;
  readonly undo: string;
  /** Those `{done}`. */
  readonly download: string;
  /** The file's name, before the rater's. */
  readonly file: string;
  /** `{rater}`. */
  readonly thanks: string;
  readonly allSent: string;
  readonly sendBack: string;
  /** After `{done}`. */
  readonly rest: string;
  readonly notSent: string;
}

const english: TaskWords = {
  title: 'Rate some writing',
  name: 'Your name or initials',
  begin: 'Begin',
  length: '{questions} questions. Stop whenever you like;',
  sent: 'every answer is sent at once.',
  kept: 'answers are kept in this browser, and nothing is sent anywhere: you download a small file in the end.',
  titles: {
    pair: 'Which continues the text better?',
    boundary: 'Where does it stop being natural?',
    single: 'Is the marked part natural, or did a model write it?',
  },
  helps: {
    pair: 'Both continue the text above them. Say which you would rather read on.',
    boundary:
      'It begins natural. Click the first word that a model wrote, or go there with the arrow keys, and press Enter.',
    single: 'What stands before it is natural.',
  },
  answers: {
    first: 'The first',
    second: 'The second',
    tie: 'As good as each other',
    both_bad: 'Both bad',
    never: 'All of it is natural',
    natural: 'Natural',
    generated: 'Generated',
  },
  confirm: 'Stops here',
  firstText: 'First',
  secondText: 'Second',
  passage: 'Passage {number}',
  rated: '{done} of {total} rated',
  skip: 'Skip',
  undo: 'Undo',
  download: 'Download the answers ({done})',
  file: 'answers',
  thanks: 'Thank you, {rater}!',
  allSent: 'All answers have been sent. You may close this page.',
  sendBack: 'Download the answers and send the file back.',
  rest: '{done} answers: a break of a few minutes keeps judgement sharp.',
  notSent: 'The answers could not be sent. They are kept here, and sent with the next one.',
};

const german: TaskWords = {
  title: 'Texte bewerten',
  name: 'Ihr Name oder Ihre Initialen',
  begin: 'Beginnen',
  length: '{questions} Fragen. Aufhören können Sie jederzeit;',
  sent: 'jede Antwort wird sofort gesendet.',
  kept: 'die Antworten bleiben in diesem Browser, und nichts wird gesendet: Am Ende laden Sie eine kleine Datei herunter.',
  titles: {
    pair: 'Welche setzt den Text besser fort?',
    boundary: 'Wo endet das Natürliche?',
    single: 'Ist der markierte Teil natürlich oder von einem Modell geschrieben?',
  },
  helps: {
    pair: 'Beide setzen den Text darüber fort. Wählen Sie die, die Sie lieber weiterlesen würden.',
    boundary:
      'Der Anfang ist natürlich. Klicken Sie das erste Wort an, das ein Modell geschrieben hat, oder steuern Sie es mit den Pfeiltasten an und drücken Sie die Eingabetaste.',
    single: 'Was davor steht, ist natürlich.',
  },
  answers: {
    first: 'Die erste',
    second: 'Die zweite',
    tie: 'Gleich gut',
    both_bad: 'Beide schlecht',
    never: 'Alles ist natürlich',
    natural: 'Natürlich',
    generated: 'Generiert',
  },
  confirm: 'Endet hier',
  firstText: 'Erste',
  secondText: 'Zweite',
  passage: 'Passage {number}',
  rated: '{done} von {total} bewertet',
  skip: 'Überspringen',
  undo: 'Rückgängig',
  download: 'Antworten herunterladen ({done})',
  file: 'antworten',
  thanks: 'Vielen Dank, {rater}!',
  allSent: 'Alle Antworten sind gesendet. Sie können diese Seite schließen.',
  sendBack: 'Laden Sie die Antworten herunter und schicken Sie die Datei zurück.',
  rest: '{done} Antworten: Eine Pause von einigen Minuten hält das Urteil scharf.',
  notSent: 'Die Antworten konnten nicht gesendet werden. Sie bleiben hier und werden mit der nächsten gesendet.',
};

export const taskWords: Readonly<Record<Language, TaskWords>> = { en: english, de: german };
