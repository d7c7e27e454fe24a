/** Settings, and machines that are too small for them, as the main process speaks of them, in German. */
import type { Told } from '../../format/told.js';

export const settings: Told = [
  // Settings that are a slip of the keyboard, and a machine that is too small for them
  ['{} is {}, with which training diverges', '{} ist {}; damit divergiert das Training'],
  ['Usually it is between 0.00001 and 0.01.', 'Üblich ist ein Wert zwischen 0,00001 und 0,01.'],
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

  // main/jobs/machine/memory.ts
  [
    'a smaller model ({}, {}, {}) or a shorter context ({})',
    'ein kleineres Modell ({}, {}, {}) oder einen kürzeren Kontext ({})',
  ],
  [
    'About {} of memory would be needed; this machine has {}',
    'Etwa {} Arbeitsspeicher würden gebraucht; dieser Rechner hat {}',
  ],
  ['Use {} {} instead of {}, or {}.', '{} {} statt {} verwenden, oder {}.'],
  ['Use {}.', '{} verwenden.'],
  ['{} GB', '{} GB'],

  // main/jobs/problems.ts
  [
    '{} needs {}: beginning from scratch, there is nothing to adapt',
    '{} braucht {}: Wer von nichts beginnt, hat nichts anzupassen',
  ],
  [
    'Give {} a model that can write already, or use {}.',
    'Für {} ein Modell angeben, das schon schreiben kann, oder {} verwenden.',
  ],
  ['Not a Verisim project: {}', 'Kein Verisim-Projekt: {}'],
  ['{} list shows the projects.', '{} list zeigt die Projekte.'],
  [
    'Give the folder itself, which holds train_metadata.txt and val_metadata.txt.',
    'Den Ordner selbst angeben, der train_metadata.txt und val_metadata.txt enthält.',
  ],
  ['Reward dataset is a file, not a folder: {}', 'Der Belohnungsdatensatz ist eine Datei, kein Ordner: {}'],
  ['Reward dataset {}: {}', 'Belohnungsdatensatz {}: {}'],
  ['not found', 'nicht gefunden'],
  [
    'Make it with prepare_reward_data, or give {} its folder.',
    'Mit prepare_reward_data erzeugen oder für {} seinen Ordner angeben.',
  ],
  ['Check what {} names.', 'Prüfen, was {} nennt.'],

  // main/services/drafts/draft-check.ts
  [
    'Download it first: the page on which it was chosen does that.',
    'Es zuerst herunterladen: Das geht auf der Seite, auf der es gewählt wurde.',
  ],
  ['{} is not on this machine yet', '{} ist noch nicht auf diesem Rechner'],
  [
    '{} is {}, but the model to begin from has positions for {} tokens',
    '{} ist {}, aber das Ausgangsmodell hat Positionen für {} Tokens',
  ],
  ['Use {} {} or less.', '{} höchstens {} wählen.'],
  ['Use {} {} instead of {}.', '{} {} statt {} verwenden.'],
  [
    'Use a smaller model or a shorter context, or fewer completions.',
    'Ein kleineres Modell, einen kürzeren Kontext oder weniger Fortsetzungen verwenden.',
  ],
  [
    'Free some space, choose another folder for projects in the settings, or use a smaller model.',
    'Platz schaffen, in den Einstellungen einen anderen Ordner für Projekte wählen oder ein kleineres Modell verwenden.',
  ],

  // main/services/drafts/drafts.ts
  ['This draft is not there any more.', 'Dieser Entwurf ist nicht mehr da.'],
  [
    'It was started or discarded, perhaps in another window; begin a new one.',
    'Er wurde gestartet oder verworfen, vielleicht in einem anderen Fenster; einen neuen beginnen.',
  ],
  ['{} is not a setting of a project', '{} ist keine Einstellung eines Projekts'],
  ['Leave it out.', 'Es weglassen.'],

  // shared/config/checks.ts
  ['{} is not a setting', '{} ist keine Einstellung'],
  ['Give {}. {}: {}', '{} angeben. {}: {}'],
  ['{} is required', '{} ist nötig'],
  [' The default is {}.', ' Der Standardwert ist {}.'],
  ['{} must be {}; got {}', '{}: erlaubt ist {}; angegeben ist {}'],
  ['twice {}', 'das Doppelte von {}'],
  ['{} ({}) must be divisible by {}{} ({})', '{} ({}) muss durch {}{} ({}) teilbar sein'],
  [
    'Use {} {}, the nearest that is, or another {}: each head takes an equal share of the width.',
    '{} {} verwenden, den nächsten passenden Wert, oder ein anderes {}: Jeder Kopf bekommt einen gleichen Teil der Breite.',
  ],
  ['{} ({}) is above {} ({}), so the learning rate rises', '{} ({}) liegt über {} ({}), sodass die Lernrate steigt'],
  ['Usually {} is a tenth of {}.', 'Üblich ist für {} ein Zehntel von {}.'],
  ['{} needs {}, not {}', '{} braucht {}, nicht {}'],
  ['{} needs {} or {}, not {}', '{} braucht {} oder {}, nicht {}'],
  ['Use {}, or {}.', '{} oder {} verwenden.'],
  [
    '{} is for a writer that starts from scratch, but {} is given',
    '{} ist für ein Modell, das von nichts beginnt, aber {} ist angegeben',
  ],
  [
    'Use {}: the text is cut as that model does it.',
    '{} verwenden: Der Text wird so zerlegt, wie jenes Modell es tut.',
  ],
  ['{} needs a text in tokens of that model, not {}', '{} braucht einen Text in Tokens jenes Modells, nicht {}'],
  ['Use {}, or leave {} out.', '{} verwenden oder {} weglassen.'],
  [
    'The preset {} is for a model that can write already, and there is none to begin from',
    'Die Voreinstellung {} ist für ein Modell, das schon schreiben kann, und es gibt keines, von dem begonnen wird',
  ],
  ['Give {} and a model, or use another preset.', '{} und ein Modell angeben oder eine andere Voreinstellung nehmen.'],
  ['Reward model', 'Belohnungsmodell'],
  ['Allow reading it: chmod -R u+rX "{}"', 'Das Lesen erlauben: chmod -R u+rX "{}"'],
  ['{} file cannot be read: {}', 'Datei nicht lesbar ({}): {}'],
  ['Folder not found: {}', 'Ordner nicht gefunden: {}'],
  ['{} is a file, not a folder: {}', '{} ist eine Datei, kein Ordner: {}'],
  ['Give {} another folder.', 'Für {} einen anderen Ordner angeben.'],
  [
    'Give {} a folder of your own, or allow writing there.',
    'Für {} einen eigenen Ordner angeben oder das Schreiben dort erlauben.',
  ],
  ['Cannot write to {}: no permission', 'Schreiben in {} nicht erlaubt'],

  // shared/config/data-checks.ts
  ['{} needs {}, the model whose tokens they are', '{} braucht {}, das Modell, dessen Tokens es sind'],
  ['Use {}, or make a project with {}.', '{} verwenden oder ein Projekt mit {} anlegen.'],
  ["{} is ignored when {} is '{}'", '{} wirkt nicht, wenn {} „{}“ ist'],
  ['Leave {} out, or use {}.', '{} weglassen oder {} verwenden.'],
  ['Add {}, or leave {} out.', '{} hinzufügen oder {} weglassen.'],
  ['{} is ignored in text mode', '{} wirkt bei Text nicht'],
  ['Give {} and a text file, or {} with {} and {}.', '{} und eine Textdatei angeben, oder {} mit {} und {}.'],
  ['{} is required in text mode', '{} ist bei Text nötig'],
  [
    'Put texts there, such as .txt or .md files, or name a text file instead of a folder.',
    'Texte hineinlegen, etwa .txt- oder .md-Dateien, oder statt des Ordners eine Textdatei angeben.',
  ],
  ['Data folder holds no text: {}', 'Der Datenordner enthält keinen Text: {}'],
  [
    'Check the pattern; in a terminal it must stand in quotes, or the shell replaces it.',
    'Das Muster prüfen; im Terminal muss es in Anführungszeichen stehen, sonst ersetzt es die Shell.',
  ],
  ['text file', 'Textdatei'],
  [
    '{} is a table, and is read as it stands, with its separators and quotes',
    '{} ist eine Tabelle und wird so gelesen, wie sie dasteht, mit Trennzeichen und Anführungszeichen',
  ],
  [
    'To learn from one column, write it to a .jsonl file and name the column as {}.',
    'Um aus einer Spalte zu lernen, sie in eine .jsonl-Datei schreiben und die Spalte als {} angeben.',
  ],
  ['{} needs a text to learn from, not binary files', '{} braucht einen Text zum Lernen, keine Token-Dateien'],
  ['Use {}: the files bring their own tokens with them.', '{} verwenden: Die Dateien bringen ihre Tokens mit.'],
  ['{} is ignored in binary mode', '{} wirkt bei Token-Dateien nicht'],
  ['binary file', 'Token-Datei'],
  ['Give {} and a file of uint16 tokens.', 'Für {} eine Datei mit uint16-Tokens angeben.'],
  ['{} is required in binary mode', '{} ist bei Token-Dateien nötig'],
  ['{} file is a folder: {}', 'Ordner statt Datei ({}): {}'],
  ['Give the {} itself.', 'Die {} selbst angeben.'],
  ['Check that the {} exists and the path is correct{}', 'Prüfen, ob es die {} gibt und der Pfad stimmt{}'],
  ['; there is {}', '; vorhanden ist {}'],
  ['Allow reading it: chmod u+r "{}"', 'Das Lesen erlauben: chmod u+r "{}"'],

  // shared/config/fields.ts: what a setting takes
  ['a whole number of at least {}', 'eine ganze Zahl ab {}'],
  ['a whole number from {} to {}', 'eine ganze Zahl von {} bis {}'],
  ['a whole number', 'eine ganze Zahl'],
  ['a number of at least {}', 'eine Zahl ab {}'],
  ['a number above {}, at most {}', 'eine Zahl über {}, höchstens {}'],
  ['a number above {}', 'eine Zahl über {}'],
  ['a number from {} to {}', 'eine Zahl von {} bis {}'],
  ['a number', 'eine Zahl'],
  ['one or more folders', 'ein Ordner oder mehrere'],
  ['one or more texts', 'ein Text oder mehrere'],
  ['a folder', 'ein Ordner'],
  ['a path', 'ein Pfad'],
  ['text', 'Text'],
  ['true or false', 'true oder false'],
  ['{}, or none', '{}, oder nichts'],
  ['{} or {}', '{} oder {}'],
];
