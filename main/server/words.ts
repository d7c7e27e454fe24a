/**
 * What the server says to a browser in a page of its own, where it shows none and takes nothing: in the language that the
 * browser asks for. Who meets these sentences has no window yet, or never gets one, as those who rate.
 */
import type { IncomingMessage } from 'node:http';
import { languageOf, type Language } from '../../shared/language.js';
import { AnswersRefused, type AnswerRefusal } from '../../shared/rating-task.js';

interface ServerWords {
  readonly notAdmitted: string;
  readonly guestNotAdmitted: string;
  readonly otherName: string;
  readonly noAddress: string;
  readonly onlyFiles: string;
  readonly onlyAnswers: string;
  readonly notPossible: string;
  readonly noFile: string;
  readonly notBuilt: string;
  readonly lengthFirst: string;
  readonly tooLong: string;
  /** Why answers were not taken. */
  readonly refused: Readonly<Record<AnswerRefusal | 'other', string>>;
}

const english: ServerWords = {
  notAdmitted:
    'This page needs the address that “verisim serve” printed in the terminal, with its token. Open that one.',
  guestNotAdmitted: 'This page needs the address that was sent to you, with its token. Open that one.',
  otherName: 'This server is not known under that name.',
  noAddress: 'Not an address.',
  onlyFiles: 'Only the page of this server may send files.',
  onlyAnswers: 'Only the page of this server may send answers.',
  notPossible: 'Not possible here.',
  noFile: 'There is no such file.',
  notBuilt: 'The window is not built here yet: npm run setup builds it.',
  lengthFirst: 'How long the file is must be said first.',
  tooLong: 'That is too long for answers.',
  refused: {
    other_project: 'These answers belong to the questions of another project. Please load the page again.',
    changed: 'The answers were changed after they were given.',
    no_question: 'One of the questions answered does not exist here. Please load the page again.',
    no_answer: 'One of the answers does not fit its question. Please load the page again.',
    damaged: 'What was sent is not answers, or it is damaged.',
    other: 'These answers could not be taken here. Please tell the person who asked you for them.',
  },
};

const german: ServerWords = {
  notAdmitted:
    'Diese Seite braucht die Adresse, die „verisim serve“ im Terminal ausgegeben hat, samt ihrem Token. Öffnen Sie diese.',
  guestNotAdmitted:
    'Diese Seite braucht die Adresse, die man Ihnen geschickt hat, samt ihrem Token. Öffnen Sie bitte diese.',
  otherName: 'Unter diesem Namen ist dieser Server nicht bekannt.',
  noAddress: 'Das ist keine Adresse.',
  onlyFiles: 'Nur die Seite dieses Servers darf Dateien senden.',
  onlyAnswers: 'Nur die Seite dieses Servers darf Antworten senden.',
  notPossible: 'Das geht hier nicht.',
  noFile: 'Diese Datei gibt es nicht.',
  notBuilt: 'Das Fenster ist hier noch nicht gebaut: npm run setup baut es.',
  lengthFirst: 'Zuerst muss gesagt werden, wie lang die Datei ist.',
  tooLong: 'Das ist zu lang für Antworten.',
  refused: {
    other_project: 'Diese Antworten gehören zu den Fragen eines anderen Projekts. Bitte laden Sie die Seite neu.',
    changed: 'Die Antworten wurden verändert, nachdem sie gegeben waren.',
    no_question: 'Eine der beantworteten Fragen gibt es hier nicht. Bitte laden Sie die Seite neu.',
    no_answer: 'Eine der Antworten passt nicht zu ihrer Frage. Bitte laden Sie die Seite neu.',
    damaged: 'Was gesendet wurde, sind keine Antworten, oder es ist beschädigt.',
    other:
      'Diese Antworten konnten hier nicht angenommen werden. Sagen Sie es bitte der Person, die Sie darum gebeten hat.',
  },
};

export const serverWords: Readonly<Record<Language, ServerWords>> = { en: english, de: german };

/** As browsers send them, which name them in that order: de-DE,de;q=0.9,en;q=0.8. */
export const preferredLanguages = ({ headers }: IncomingMessage): readonly string[] =>
  (headers['accept-language'] ?? '').split(',').map((one) => (one.split(';')[0] ?? '').trim());

export const wordsFor = (request: IncomingMessage): ServerWords =>
  serverWords[languageOf('system', preferredLanguages(request))];

export const refusalFor = (request: IncomingMessage, error: unknown): string =>
  wordsFor(request).refused[error instanceof AnswersRefused ? error.refusal : 'other'];
