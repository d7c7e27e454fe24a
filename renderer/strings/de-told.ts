/**
 * What the main process says, in German. English stands where each sentence is made (main/, shared/);
 * tests/renderer/strings.test.ts knows those that are made no more.
 */
import type { Told } from '../format/told.js';

export const told: Told = [
  // Why files of a folder are left out
  ['{}. Read from {}, {} file: {}. Not read: {}.', '{}. Gelesen aus {}, {} Datei: {}. Nicht gelesen: {}.'],
  ['{}. Read from {}, {} files: {}. Not read: {}.', '{}. Gelesen aus {}, {} Dateien: {}. Nicht gelesen: {}.'],
  ['{}. Read from {}, {} file: {}.', '{}. Gelesen aus {}, {} Datei: {}.'],
  ['{}. Read from {}, {} files: {}.', '{}. Gelesen aus {}, {} Dateien: {}.'],
  ['Read from {}, {} file: {}. Not read: {}.', 'Gelesen aus {}, {} Datei: {}. Nicht gelesen: {}.'],
  ['Read from {}, {} files: {}. Not read: {}.', 'Gelesen aus {}, {} Dateien: {}. Nicht gelesen: {}.'],
  ['Read from {}, {} file: {}.', 'Gelesen aus {}, {} Datei: {}.'],
  ['Read from {}, {} files: {}.', 'Gelesen aus {}, {} Dateien: {}.'],
  ['{} files: {}', '{} Dateien: {}'],
  ['plain text, {}', 'reiner Text, {}'],
  ['hidden', 'versteckt'],
  ['more than {} folders deep', 'mehr als {} Ordner tief'],
  ['not an ordinary file', 'keine gewöhnliche Datei'],
  ['not a kind of text that is read', 'keine Art von Text, die gelesen wird'],
  ['a link out of the folder', 'eine Verknüpfung aus dem Ordner hinaus'],
  ['a link to what is in the folder', 'eine Verknüpfung auf etwas im Ordner'],
  ['a link to nothing', 'eine Verknüpfung ins Leere'],
  ['cannot be read', 'nicht lesbar'],
  ['empty', 'leer'],
  ['larger than {} bytes', 'größer als {} Byte'],
  ['{} holds more than {} files and folders', '{} enthält mehr als {} Dateien und Ordner'],
  ['The folder {} holds no text', 'Der Ordner {} enthält keinen Text'],
  [
    'Put texts there, such as .txt or .md files, or name a text file. Not read: {}.',
    'Texte hineinlegen, etwa .txt- oder .md-Dateien, oder eine Textdatei angeben. Nicht gelesen: {}.',
  ],
  [
    'Put texts there, such as .txt or .md files, or name a text file.',
    'Texte hineinlegen, etwa .txt- oder .md-Dateien, oder eine Textdatei angeben.',
  ],

  // Documents
  ['{} is not a {} document that can be read: {}', '{} ist kein lesbares {}-Dokument: {}'],
  ['{} is not an {} document that can be read: {}', '{} ist kein lesbares {}-Dokument: {}'],
  ['not a {} document that can be read: {}', 'kein lesbares {}-Dokument: {}'],
  ['not an {} document that can be read: {}', 'kein lesbares {}-Dokument: {}'],
  [
    'It was cut short, damaged or protected; use another copy, or save it as plain text (UTF-8).',
    'Sie ist abgeschnitten, beschädigt oder geschützt; eine andere Kopie nehmen oder als reinen Text (UTF-8) speichern.',
  ],
  ['it is protected by a password', 'es ist durch ein Passwort geschützt'],
  [
    'it is protected: whoever made it does not allow its text to be taken out',
    'es ist geschützt: Wer es gemacht hat, erlaubt nicht, den Text zu entnehmen',
  ],
  ['it would have more than {} pages', 'es hätte mehr als {} Seiten'],
  ['page {} would have more than {} characters', 'Seite {} hätte mehr als {} Zeichen'],
  [
    'its letters stand in a table that is not known here ({})',
    'seine Buchstaben stehen in einer Tabelle, die hier nicht bekannt ist ({})',
  ],
  [
    '{} % of its characters have no letter, as its fonts do not say which they are',
    '{} % seiner Zeichen haben keinen Buchstaben, da die Schriften nicht sagen, welche es sind',
  ],
  [
    '{} holds no text: its pages ({}) are pictures, as a scanner makes them',
    '{} enthält keinen Text: Die Seiten ({}) sind Bilder, wie ein Scanner sie macht',
  ],
  [
    'holds no text: its pages ({}) are pictures, as a scanner makes them',
    'enthält keinen Text: Die Seiten ({}) sind Bilder, wie ein Scanner sie macht',
  ],
  [
    'Have its text recognised first (OCR), or name a document with text in it.',
    'Den Text zuerst erkennen lassen (OCR) oder ein Dokument mit Text angeben.',
  ],
  ['{} cannot be read as a page: {}', '{} lässt sich nicht als Seite lesen: {}'],

  // What is found in a text, and which tokens suit it
  [
    'One split would have about {} tokens; {} {} needs at least {}',
    'Ein Teil hätte etwa {} Tokens; {} {} braucht mindestens {}',
  ],
  ['Use a longer text or a smaller {}.', 'Einen längeren Text nehmen, oder ein kleineres {}.'],
  [
    'The text has only {} characters: a model will learn it by heart rather than learn to write',
    'Der Text hat nur {} Zeichen: Ein Modell wird ihn eher auswendig lernen als schreiben lernen',
  ],
  ['A few hundred thousand are a good beginning.', 'Einige hunderttausend sind ein guter Anfang.'],
  ['{} % of this text is repeated', '{} % dieses Textes wiederholen sich'],
  ['Duplicates make test results look too good.', 'Doppeltes lässt Testergebnisse zu gut aussehen.'],
  [
    'char, because {} characters are too few to learn longer pieces from',
    'Zeichen, denn {} Zeichen sind zu wenige, um längere Stücke daraus zu lernen',
  ],
  [
    'bpe, because {} characters and a model of this size have use for all of GPT-2’s pieces',
    'Wortstücke von GPT-2, denn {} Zeichen und ein Modell dieser Größe nutzen alle Stücke von GPT-2',
  ],
  [
    'learned, because it has {} different characters, of which most are rare',
    'gelernte Wortstücke, denn er hat {} verschiedene Zeichen, von denen die meisten selten sind',
  ],
  [
    'learned, because a small model writes in pieces learned from its text better than in characters or in GPT-2’s pieces',
    'gelernte Wortstücke, denn ein kleines Modell schreibt in Stücken, die aus seinem Text gelernt sind, besser als in Zeichen oder den Stücken von GPT-2',
  ],

  // Settings that are a slip of the keyboard, and a machine that is too small for them
  ['{} is {}, with which training diverges', '{} ist {}; damit divergiert das Training'],
  ['Usually it is between 0.00001 and 0.01.', 'Üblich ist ein Wert zwischen 0,00001 und 0,01.'],
  ['At the speed of this machine it would take about {} days', 'Auf diesem Rechner würde es etwa {} Tage dauern'],
  ['Check {} and {}, or use a smaller model.', '{} und {} prüfen oder ein kleineres Modell nehmen.'],
  [
    'About {} of memory would be needed at the peak; {} are free now',
    'Höchstens würden etwa {} Arbeitsspeicher gebraucht; {} sind jetzt frei',
  ],
  [
    'Close other programs before it gets that far, or use a smaller model or {}: short of memory, a machine becomes slow, and may end the training.',
    'Vorher andere Programme schließen, oder ein kleineres Modell oder {} nehmen: Ohne genug Arbeitsspeicher wird ein Rechner langsam und beendet womöglich das Training.',
  ],
  [
    'About {} would be written; {} are free where projects are kept',
    'Etwa {} würden geschrieben; {} sind dort frei, wo die Projekte liegen',
  ],

  // Files and disks
  [
    'The disk is full: {} could not be written ({})',
    'Die Festplatte ist voll: {} konnte nicht geschrieben werden ({})',
  ],
  [
    'Free some space on this disk, or choose a folder on another one, and run the command again; nothing half-written was kept.',
    'Platz auf dieser Festplatte schaffen oder einen Ordner auf einer anderen wählen und es erneut versuchen; nichts halb Geschriebenes wurde aufgehoben.',
  ],
  ['File not found: {}', 'Datei nicht gefunden: {}'],
  ['Check that the path is correct.', 'Den Pfad prüfen.'],
  ['{} is a folder, not a file', '{} ist ein Ordner, keine Datei'],
  ['Name a file in it.', 'Eine Datei darin angeben.'],
  ['Cannot write {} ({})', '{} lässt sich nicht schreiben ({})'],
  ['Cannot read {} ({})', '{} lässt sich nicht lesen ({})'],
  [
    'You have no permission to write there; choose another folder, or change its permissions.',
    'Dort fehlt das Recht zu schreiben; einen anderen Ordner wählen oder die Rechte ändern.',
  ],
  ['Check the disk, or choose another folder.', 'Die Festplatte prüfen oder einen anderen Ordner wählen.'],
  ['You have no permission to read it; change its permissions.', 'Das Recht zu lesen fehlt; die Rechte ändern.'],
  ['Check that it is a file.', 'Prüfen, ob es eine Datei ist.'],
  ['The disk could not read {} ({})', 'Die Festplatte konnte {} nicht lesen ({})'],
  [
    'The disk or its connection is failing; copy what you can to another one.',
    'Die Festplatte oder ihre Verbindung versagt; retten, was sich auf eine andere kopieren lässt.',
  ],
  ['{} is in use by {}', '{} wird benutzt von {}'],

  // Projects
  ['This project is not in the list any more.', 'Dieses Projekt ist nicht mehr in der Liste.'],
  ['Open its folder to add it again.', 'Den Ordner öffnen, um es wieder hinzuzufügen.'],
  ['The project’s folder is not there any more: {}', 'Der Ordner des Projekts ist nicht mehr da: {}'],
  [
    'Put it back, open it where it is now, or take it out of the list.',
    'Ihn zurücklegen, das Projekt an seinem neuen Ort öffnen oder aus der Liste nehmen.',
  ],
  [
    'The loss became infinite or not a number at step {}. {}',
    'Der Verlust wurde bei Schritt {} unendlich oder keine Zahl. {}',
  ],
  ['{} holds no notes that can be read', '{} enthält keine lesbaren Notizen'],
  [
    'Mend the file, or move it away; then write the notes again.',
    'Die Datei in Ordnung bringen oder wegräumen und die Notizen noch einmal schreiben.',
  ],
];
