/** Words of an exported rating task in every language: plain text, in which the page's script fills `{done}` and the like. */
import type { Language } from '../../../shared/language.js';

const english = {
  title: 'Blind test',
  name: 'Your name or initials',
  begin: 'Start',
  length: '{questions} questions. Stop whenever you like;',
  kept: 'answers are kept in this browser, and nothing is sent anywhere: download them as a small file at the end.',
  titles: {
    pair: 'Which continues the text better?',
    boundary: 'Where does it stop being natural?',
  },
  helps: {
    pair: 'Both continue the text above them. Choose the one that you would rather keep reading.',
    boundary:
      'It starts natural. Click the first word that a model wrote, or move there with the arrow keys and press Enter.',
  },
  answers: {
    first: 'The first',
    second: 'The second',
    tie: 'Tie',
    both_bad: 'Both bad',
    never: 'All of it is natural',
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
  sendBack: 'Download the answers and send the file back.',
};

const german: typeof english = {
  title: 'Blindtest',
  name: 'Ihr Name oder Ihre Initialen',
  begin: 'Beginnen',
  length: '{questions} Fragen. Aufhören können Sie jederzeit;',
  kept: 'die Antworten bleiben in diesem Browser, und nichts wird gesendet: Am Ende laden Sie eine kleine Datei herunter.',
  titles: {
    pair: 'Welche setzt den Text besser fort?',
    boundary: 'Wo endet das Natürliche?',
  },
  helps: {
    pair: 'Beide setzen den Text darüber fort. Wählen Sie die, die Sie lieber weiterlesen würden.',
    boundary:
      'Der Anfang ist natürlich. Klicken Sie das erste Wort an, das ein Modell geschrieben hat, oder steuern Sie es mit den Pfeiltasten an und drücken Sie die Eingabetaste.',
  },
  answers: {
    first: 'Die erste',
    second: 'Die zweite',
    tie: 'Gleich gut',
    both_bad: 'Beide schlecht',
    never: 'Alles ist natürlich',
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
  sendBack: 'Laden Sie die Antworten herunter und schicken Sie die Datei zurück.',
};

export const taskWords: Readonly<Record<Language, typeof english>> = { en: english, de: german };
