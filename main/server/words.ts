/** Plain-text replies of the server, in the browser's preferred language: the window is not loaded yet. */
import type { IncomingMessage } from 'node:http';
import { languageOf, type Language } from '../../shared/language.js';

interface ServerWords {
  readonly notAdmitted: string;
  readonly otherName: string;
  readonly noAddress: string;
  readonly onlyFiles: string;
  readonly notPossible: string;
  readonly noFile: string;
  readonly notBuilt: string;
  readonly lengthFirst: string;
}

const english: ServerWords = {
  notAdmitted:
    'This page needs the address that “verisim serve” printed in the terminal, with its token. Open that one.',
  otherName: 'This server is not known under that name.',
  noAddress: 'Not an address.',
  onlyFiles: 'Only the page of this server may send files.',
  notPossible: 'Not possible here.',
  noFile: 'There is no such file.',
  notBuilt: 'The window is not built here yet: npm run setup builds it.',
  lengthFirst: 'How long the file is must be said first.',
};

const german: ServerWords = {
  notAdmitted:
    'Diese Seite braucht die Adresse, die „verisim serve“ im Terminal ausgegeben hat, samt ihrem Token. Öffnen Sie diese.',
  otherName: 'Unter diesem Namen ist dieser Server nicht bekannt.',
  noAddress: 'Das ist keine Adresse.',
  onlyFiles: 'Nur die Seite dieses Servers darf Dateien senden.',
  notPossible: 'Das geht hier nicht.',
  noFile: 'Diese Datei gibt es nicht.',
  notBuilt: 'Das Fenster ist hier noch nicht gebaut: npm run setup baut es.',
  lengthFirst: 'Zuerst muss gesagt werden, wie lang die Datei ist.',
};

export const serverWords: Readonly<Record<Language, ServerWords>> = { en: english, de: german };

/** As browsers send them, which name them in that order: de-DE,de;q=0.9,en;q=0.8. */
const preferredLanguages = ({ headers }: IncomingMessage): readonly string[] =>
  (headers['accept-language'] ?? '').split(',').map((one) => (one.split(';')[0] ?? '').trim());

export const wordsFor = (request: IncomingMessage): ServerWords =>
  serverWords[languageOf('system', preferredLanguages(request))];
