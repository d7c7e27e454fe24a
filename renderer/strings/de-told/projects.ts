/** Projects, files, disks, ratings and calls, as the main process speaks of them, in German. */
import type { Told } from '../../format/told.js';

export const projects: Told = [
  // Files and disks
  ['The disk is full ({})', 'Die Festplatte ist voll ({})'],
  [
    'The disk is full: {} could not be written ({})',
    'Die Festplatte ist voll: {} konnte nicht geschrieben werden ({})',
  ],
  [
    'Free some space on this disk, or set TMPDIR (TEMP on Windows) to a folder on another one, and try again.',
    'Platz auf dieser Festplatte schaffen oder TMPDIR (unter Windows TEMP) auf einen Ordner auf einer anderen setzen und es erneut versuchen.',
  ],
  [
    'It is for what is soon removed: set TMPDIR (TEMP on Windows) to a folder that can be written.',
    'Dort liegt, was bald wieder gelöscht wird: TMPDIR (unter Windows TEMP) auf einen beschreibbaren Ordner setzen.',
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

  // main/ipc/dispatcher.ts
  ['Nothing was changed.', 'Nichts wurde geändert.'],
  [
    'This is a bug in Verisim; please report it with what you did, and with “Copy diagnostics” from the settings.',
    'Das ist ein Fehler in Verisim; bitte melden, mit dem, was getan wurde, und mit „Diagnosedaten kopieren“ aus den Einstellungen.',
  ],
  ['There is no channel {}', 'Es gibt keinen Kanal {}'],
  [
    'This window and the program are of different versions: reload it.',
    'Dieses Fenster und das Programm haben verschiedene Versionen: neu laden.',
  ],
  ['Not acceptable: {}{}', 'Nicht zulässig: {}{}'],
  ['Change this value and try again.', 'Diesen Wert ändern und es erneut versuchen.'],

  // main/ipc/handlers/app.ts
  ['A browser cannot open the system’s dialog.', 'Ein Browser kann den Dialog des Systems nicht öffnen.'],
  ['Choose the folder from the list.', 'Den Ordner aus der Liste wählen.'],

  // main/ipc/handlers/files.ts
  ['The window chooses files in the system’s dialog.', 'Das Fenster wählt Dateien im Dialog des Systems.'],
  ['Open the dialog.', 'Den Dialog öffnen.'],
  ['A folder cannot be taken together with others.', 'Ein Ordner lässt sich nicht zusammen mit anderem nehmen.'],
  [
    'Take one folder, with all it holds, or several files.',
    'Einen Ordner mit allem darin nehmen oder mehrere Dateien.',
  ],
  ['The sample text is not there.', 'Der Beispieltext ist nicht da.'],
  ['npm run setup fetches it.', 'npm run setup lädt ihn.'],
  ['A browser cannot open the system’s dialogs.', 'Ein Browser kann die Dialoge des Systems nicht öffnen.'],
  ['Choose from the list, or send the file.', 'Aus der Liste wählen oder die Datei senden.'],

  // main/ipc/session.ts
  ['Too much was asked at once.', 'Es wurde zu viel auf einmal verlangt.'],
  ['Wait for the answers to what was asked before.', 'Auf die Antworten zum bisher Verlangten warten.'],

  // main/jobs/commands/playground.ts
  ['This project has no reward model yet', 'Dieses Projekt hat noch kein Belohnungsmodell'],
  [
    'It is trained in the first cycle, after base training.',
    'Es wird im ersten Zyklus trainiert, nach dem Basistraining.',
  ],
  [
    'Use characters of the text that the model was trained on.',
    'Zeichen des Textes verwenden, mit dem das Modell trainiert wurde.',
  ],

  // main/jobs/project/list.ts
  ['awaiting votes', 'wartet auf Stimmen'],

  // main/jobs/project/project-artefacts.ts
  ['{} is damaged', '{} ist beschädigt'],
  [
    'Delete it: the cycle is then finished again from its last checkpoint.',
    'Es löschen: Der Zyklus wird dann von seinem letzten Checkpoint aus noch einmal beendet.',
  ],

  // main/jobs/project/project.ts
  ['{} is {} there, {} was asked for', '{} ist dort {}, gewünscht war {}'],
  ['The project was made with other settings: {}', 'Das Projekt wurde mit anderen Einstellungen begonnen: {}'],
  [
    'Leave these flags out to resume it, or make a new project in another folder. Of an existing project only {} can be changed.',
    'Diese Angaben weglassen, um es fortzusetzen, oder in einem anderen Ordner ein neues Projekt beginnen. An einem bestehenden Projekt lässt sich nur {} ändern.',
  ],

  // main/jobs/project/remove.ts
  [
    'There is no trash that {} could go to; it is still there',
    'Es gibt keinen Papierkorb, in den {} könnte; es ist noch da',
  ],
  ['Delete it for good with --force, or move the folder away yourself.', 'Den Ordner selbst wegräumen.'],

  // main/jobs/project/settings-again.ts
  ['The project has no base model {}.', 'Das Projekt hat kein Basismodell {}.'],
  ['Choose one of its finished base models.', 'Eines seiner fertigen Basismodelle wählen.'],

  // main/jobs/rating/desk.ts
  ['Rate the next one.', 'Die nächste bewerten.'],

  // main/jobs/rating/rate.ts
  ['Compare with: {}.', 'Vergleichen mit: {}.'],

  // main/jobs/rating/report.ts
  ['Nothing of {} has been rated yet.', 'Von {} wurde noch nichts bewertet.'],
  ['Rate it first, with rate.', 'Zuerst bewerten.'],

  // main/jobs/rating/task-files.ts
  ['There are no passages to rate yet.', 'Es gibt noch keine Passagen zum Bewerten.'],
  [
    'These answers belong to a rating task of another project.',
    'Diese Antworten gehören zu einer Bewertungsaufgabe eines anderen Projekts.',
  ],
  ['The file was changed after it was downloaded.', 'Die Datei wurde nach dem Herunterladen verändert.'],
  ['There is no question {} in this task.', 'Diese Aufgabe hat keine Frage {}.'],

  // main/jobs/rating/write.ts
  [
    '{} has no finished model yet, so there is no writing to rate.',
    '{} hat noch kein fertiges Modell, also gibt es nichts Geschriebenes zu bewerten.',
  ],
  ['Train it first, with cycle.', 'Es zuerst trainieren.'],

  // main/jobs/report/gather.ts
  [
    'Neither a project nor a run: {} holds no project.json and no run.json',
    'Weder ein Projekt noch ein Lauf: {} enthält weder project.json noch run.json',
  ],
  [
    'Give the folder of a project, or the output folder of train, train_reward_model or train_grpo.',
    'Den Ordner eines Projekts angeben oder den Ausgabeordner von train, train_reward_model oder train_grpo.',
  ],

  // main/jobs/report/report.ts
  ['There is nothing to report on.', 'Es gibt nichts zu berichten.'],
  ['Name at least one project or run.', 'Mindestens ein Projekt oder einen Lauf angeben.'],

  // main/jobs/report/tensorboard.ts
  ['{} exists and is not empty', '{} ist schon da und nicht leer'],
  ['Name a folder that is not there yet.', 'Einen Ordner angeben, den es noch nicht gibt.'],

  // main/services/files/file-handles.ts
  ['This file is not known any more.', 'Diese Datei ist nicht mehr bekannt.'],
  ['Choose it again.', 'Sie noch einmal wählen.'],

  // main/services/files/file-pattern.ts
  ['These files cannot be taken together.', 'Diese Dateien lassen sich nicht zusammen nehmen.'],
  [
    'Put them into one folder, under names without braces and commas, and choose them there; or join them to one file.',
    'Sie in einen Ordner legen, unter Namen ohne geschweifte Klammern und Kommas, und dort wählen; oder zu einer Datei zusammenfügen.',
  ],

  // main/services/files/uploads.ts
  ['{} is too large to be sent', '{} ist zu groß zum Senden'],
  [
    'Copy it to the machine that Verisim runs on, and choose it there.',
    'Auf den Rechner kopieren, auf dem Verisim läuft, und dort wählen.',
  ],
  ['{} did not arrive whole', '{} ist nicht vollständig angekommen'],
  ['Send it again.', 'Noch einmal senden.'],
  ['There is no such file to fetch.', 'Diese Datei gibt es nicht zum Abholen.'],
  ['Export it again.', 'Noch einmal exportieren.'],
  ['There is no such folder to send files to.', 'Diesen Ordner gibt es nicht zum Senden von Dateien.'],
  ['Drop the folder again.', 'Den Ordner noch einmal hineinziehen.'],

  // main/services/machine/absent-supervisor.ts
  ['Training cannot be started from here.', 'Von hier aus lässt sich kein Training starten.'],
  ['Use the terminal: verisim cycle.', 'Im Terminal: verisim cycle.'],

  // main/services/projects/deletion.ts
  ['This project cannot be brought back any more.', 'Dieses Projekt lässt sich nicht mehr zurückholen.'],
  ['Look in the system’s trash.', 'Im Papierkorb des Systems nachsehen.'],
  ['Something else is where the project was: {}', 'Wo das Projekt war, ist jetzt etwas anderes: {}'],
  ['Move or rename it, and try again.', 'Das verschieben oder umbenennen und es erneut versuchen.'],

  // main/services/projects/project-making.ts

  // main/services/projects/reward-data.ts
  ['Cycle {} has no reward data yet.', 'Zyklus {} hat noch keine Belohnungsdaten.'],
  [
    'It is written when base training, or the cycle before, is over.',
    'Sie entstehen, wenn das Basistraining oder der Zyklus davor vorbei ist.',
  ],

  // main/storage/disk/disk.ts
  [
    'Not enough room for {} at {}: it needs {}, {} are free, {} are missing',
    'Nicht genug Platz für {} in {}: Nötig sind {}, frei sind {}, es fehlen {}',
  ],
  [
    'Free some space on this disk, or choose a folder on another one.',
    'Platz auf dieser Festplatte schaffen oder einen Ordner auf einer anderen wählen.',
  ],

  // main/storage/disk/file-bytes.ts
  ['{} ends earlier than it should', '{} endet früher als es sollte'],
  ['{} was changed while it was in use', '{} wurde geändert, während es in Gebrauch war'],
  [
    'Try again once no other program writes to it.',
    'Versuchen Sie es noch einmal, wenn kein anderes Programm mehr hineinschreibt.',
  ],
  [
    'It was cut short while being copied or written; use another copy.',
    'Beim Kopieren oder Schreiben wurde die Datei abgeschnitten; eine andere Kopie verwenden.',
  ],
  ['{} is {} bytes long; such a file has at most {}', '{} ist {} Byte lang; eine solche Datei hat höchstens {}'],
  [
    'Check that it is the right file, or use another copy.',
    'Prüfen, ob es die richtige Datei ist, oder eine andere Kopie verwenden.',
  ],

  // main/storage/disk/json-lines.ts
  ['{} has a line of more than {} bytes', '{} hat eine Zeile von mehr als {} Byte'],
  ['{} line {} is damaged', '{}, Zeile {}, ist beschädigt'],
  [
    '{} has {} bytes; its checkpoint was saved when it had {}',
    '{} hat {} Byte; als der Checkpoint gesichert wurde, waren es {}',
  ],
  [
    'Move the file away to continue without it, or restore it from a copy.',
    'Die Datei wegräumen, um ohne sie weiterzumachen, oder sie aus einer Kopie wiederherstellen.',
  ],

  // main/storage/disk/lock.ts
  ['another process', 'einem anderen Programm'],
  ['process {} on {} ({})', 'Prozess {} auf {} ({})'],
  ['Wait until it has finished, or stop it first.', 'Warten, bis es fertig ist, oder es zuerst anhalten.'],
  [
    'If you are sure that nothing uses this project any more, delete the folder {}.',
    'Wenn sicher nichts mehr dieses Projekt benutzt, den Ordner {} löschen.',
  ],

  // main/storage/disk/manifest.ts
  ['is missing', 'fehlt'],
  ['an export in the format {}', 'einen Export in der Form {}'],
  ['a model, or an export by an older Verisim', 'ein Modell oder einen Export eines älteren Verisim'],
  ['{} holds {}, which is not replaced', '{} enthält {}; das wird nicht ersetzt'],
  ['move this one away', 'dieses wegräumen'],
  ['{} holds files that Verisim did not write there: {}', '{} enthält Dateien, die nicht von Verisim sind: {}'],
  ['move these files away', 'diese Dateien wegräumen'],
  ['Choose another folder, or {}.', 'Einen anderen Ordner wählen oder {}.'],
  ['is damaged', 'ist beschädigt'],
  ['{} {} (in {})', '{} {} (in {})'],
  [
    'It is not what was saved there; use another copy, or make it again.',
    'Es ist nicht, was dort gespeichert wurde; eine andere Kopie verwenden oder es neu erzeugen.',
  ],

  // main/storage/disk/names.ts
  ['Not an acceptable name: {}', 'Kein zulässiger Name: {}'],
  [
    'Use letters, digits, dots, hyphens and underscores, beginning with a letter or a digit.',
    'Buchstaben, Ziffern, Punkte, Bindestriche und Unterstriche verwenden, am Anfang einen Buchstaben oder eine Ziffer.',
  ],

  // main/storage/projects/checkpoint-store.ts
  ['Stepped back to checkpoint {}: {}', 'Zurück zum Checkpoint {}: {}'],
  ['No checkpoint could be used, starting anew: {}', 'Kein Checkpoint war brauchbar, es beginnt von vorn: {}'],

  // main/storage/projects/environment-record.ts
  ['the runtime', 'die Laufzeit'],
  ['the device', 'das Gerät'],
  ['the precision', 'die Genauigkeit'],
  ['the processor', 'der Prozessor'],
  ['the number of threads', 'die Zahl der Threads'],
  ['{} was {}, is {} now', '{} war {}, ist jetzt {}'],

  // main/storage/projects/export-place.ts
  ['{} {} the folder of a {}: {}', '{} {} der Ordner eines anderen ({}): {}'],
  ['lies in', 'liegt in'],
  [
    'Choose a place outside of it, so that what is there stays as it is.',
    'Einen Ort außerhalb wählen, damit bleibt, was dort ist.',
  ],

  // main/storage/projects/project-archive.ts
  ['it was written by another version of Verisim', 'eine andere Version von Verisim hat es geschrieben'],
  ['{} has more than {} folders inside each other at {}…', '{} hat bei {2}… mehr als {1} Ordner ineinander'],
  ['A link may lead round in circles; remove it.', 'Vielleicht führt eine Verknüpfung im Kreis; sie entfernen.'],
  ['the exported project', 'das exportierte Projekt'],
  ['{} is there already, and is not an exported project', '{} ist schon da und kein exportiertes Projekt'],
  ['Choose another file, or move this one away.', 'Eine andere Datei wählen oder diese wegräumen.'],
  ['{} is there already', '{} ist schon da'],
  ['Choose a folder that is not there yet, with --project.', 'Einen Ordner wählen, den es noch nicht gibt.'],
  ['the project', 'das Projekt'],
  ['{} differs', '{} weicht ab'],
  ['there is no project in it ({})', 'darin ist kein Projekt ({})'],
  ['it is no project of Verisim', 'es ist kein Projekt von Verisim'],
  ['its files are not those that its manifest lists', 'die Dateien sind nicht die des Manifests'],
  ['its manifest is not JSON', 'das Manifest ist kein JSON'],
  ['it names a file outside of the project: {}', 'es nennt eine Datei außerhalb des Projekts: {}'],
  ['{} cannot be imported: {}', '{} lässt sich nicht importieren: {}'],
  [
    'Use another copy of the file, or export the project again.',
    'Eine andere Kopie der Datei verwenden oder das Projekt noch einmal exportieren.',
  ],

  // main/storage/projects/project-folder.ts
  [
    'this Verisim reads {}; the project was written by another version',
    'dieses Verisim liest {}; eine andere Version hat das Projekt geschrieben',
  ],
  ['Choose a new or empty folder for the project.', 'Für das Projekt einen neuen oder leeren Ordner wählen.'],
  ['Not a Verisim project: {} holds no project.json', 'Kein Verisim-Projekt: {} enthält keine project.json'],
  [
    'A project’s folder has a file project.json in it: choose that folder, or make a new project.',
    'Der Ordner eines Projekts enthält eine Datei project.json: diesen Ordner wählen oder ein neues Projekt beginnen.',
  ],
  [
    'Fix this value in the file, or restore the file from a copy.',
    'Diesen Wert in der Datei berichtigen oder die Datei aus einer Kopie wiederherstellen.',
  ],
  ['{} is damaged: it is not JSON', '{} ist beschädigt: Es ist kein JSON'],
  [
    'Restore the file from a copy, or fix it in a text editor.',
    'Die Datei aus einer Kopie wiederherstellen oder in einem Texteditor berichtigen.',
  ],

  // main/storage/projects/tar.ts
  ['a header is', 'ein Kopf ist'],
  ['a file in it is cut short or', 'eine Datei darin ist abgeschnitten oder'],
  ['an extended header is', 'ein erweiterter Kopf ist'],
  ['it holds something other than files ({}) or', 'es enthält etwas anderes als Dateien ({}) oder ist'],
  ['it ends too early or', 'es endet zu früh oder ist'],
  ['{} is not a whole archive: {} damaged', '{} ist kein vollständiges Archiv: {} beschädigt'],

  // shared/client/client.ts
  ['The connection was lost before the answer came.', 'Die Verbindung riss ab, bevor die Antwort kam.'],
  [
    'It is being made again; then look whether it was done, and try once more if not.',
    'Sie wird wiederhergestellt; dann nachsehen, ob es geschehen ist, und es sonst noch einmal versuchen.',
  ],
  ['The answer was not of the form that was agreed on.', 'Die Antwort hatte nicht die vereinbarte Form.'],
  [
    'This window and the program are of different versions, or this is a bug: reload, and report it if it stays.',
    'Dieses Fenster und das Programm haben verschiedene Versionen, oder das ist ein Fehler: neu laden, und melden, wenn es bleibt.',
  ],

  // shared/errors.ts
  [
    'This is a bug in Verisim; please report it with the command you ran.',
    'Das ist ein Fehler in Verisim; bitte melden, mit dem ausgeführten Befehl.',
  ],

  // main/ipc/handlers/drafts.ts
  ['New project', 'Neues Projekt'],

  // main/jobs/project/keep-checkpoint.ts
  [
    'The checkpoint of {} at step {} is not there any more.',
    'Den Checkpoint von {} bei Schritt {} gibt es nicht mehr.',
  ],
  [
    'Training has gone on and keeps newer ones: choose one of those.',
    'Das Training ist weitergegangen und hebt neuere auf: einen davon wählen.',
  ],

  // main/services/updates
  ['This Verisim has no source of updates.', 'Dieses Verisim hat keine Quelle für Updates.'],
  ['Download the new version by hand.', 'Die neue Version von Hand herunterladen.'],
  ['The update could not be loaded: {}', 'Das Update ließ sich nicht laden: {}'],
  [
    'Try again later, or download the new version by hand.',
    'Später erneut versuchen oder die neue Version von Hand herunterladen.',
  ],
];
