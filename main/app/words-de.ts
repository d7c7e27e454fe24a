/** Every word that the main process itself shows, in German. */

export const fileWords = {
  save: 'Speichern unter',
  all: 'Alle Dateien',
  choose: {
    text: { title: 'Texte zum Lernen wählen', label: 'Texte' },
    folder: { title: 'Ordner mit Texten wählen', label: '' },
    tokens: { title: 'train.bin oder val.bin wählen', label: 'Tokens' },
    meta: { title: 'meta.pkl wählen', label: 'Vokabular' },
    model: { title: 'GGUF-Datei wählen', label: 'Modelle' },
    modelFolder: { title: 'Ordner eines Modells wählen', label: '' },
    project: { title: 'Projektordner wählen', label: '' },
    archive: { title: 'Exportiertes Projekt wählen', label: 'Exportierte Projekte' },
    ratingTask: { title: 'Bewertungsaufgabe speichern', label: 'Bewertungsaufgaben' },
    ratingResult: { title: 'Zurückgekommene Antworten wählen', label: 'Antworten' },
    report: { title: 'Bericht speichern', label: 'Berichte' },
    ratingReport: { title: 'Bewertungsergebnisse speichern', label: 'Bewertungsergebnisse' },
  },
};

export const menuWords = {
  file: 'Datei',
  close: 'Fenster schließen',
  quit: 'Beenden',
  edit: 'Bearbeiten',
  undo: 'Rückgängig',
  redo: 'Wiederholen',
  cut: 'Ausschneiden',
  copy: 'Kopieren',
  paste: 'Einfügen',
  selectAll: 'Alles auswählen',
  view: 'Ansicht',
  resetZoom: 'Originalgröße',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  fullScreen: 'Vollbild',
  window: 'Fenster',
};

export const crashWords = {
  title: 'Das Fenster ist abgestürzt',
  message: 'Das Fenster ist mehrmals hintereinander abgestürzt.',
  detail:
    'Das Training ist davon nicht betroffen: Es läuft in einem eigenen Prozess weiter. Meist hilft es, das Fenster neu zu laden.',
  again: 'Neu laden',
  quit: 'Beenden',
};

export const stuckWords = {
  title: 'Das Fenster reagiert nicht',
  message: 'Das Fenster reagiert nicht.',
  detail:
    'Möglicherweise ist es beschäftigt. Das Training läuft in einem eigenen Prozess weiter, wie auch immer die Wahl ausfällt.',
  wait: 'Warten',
  again: 'Neu laden',
};

export const quitWords = {
  title: 'Verisim beenden',
  message: (name: string) => `${name} wird gerade trainiert.`,
  detail:
    'Das Beenden stoppt das Training mit einem Checkpoint. Beim nächsten Öffnen von Verisim lässt es sich von dort exakt fortsetzen.',
  stop: 'Stoppen und beenden',
  stay: 'Weiter trainieren',
};

export const importWords = {
  title: 'Projekt importieren',
  message: (file: string) => `${file} importieren?`,
  detail: 'Eine Kopie davon wird zu den Projekten hinzugefügt. Die Datei selbst bleibt, wie sie ist.',
  yes: 'Importieren',
  no: 'Abbrechen',
};

export const noticeWords = {
  ended: (name: string) => `${name} ist fertig trainiert`,
  endedBody: 'Alle Zyklen sind abgeschlossen.',
  trouble: (name: string) => `${name} wurde gestoppt`,
  waits: (name: string) => `${name} wartet auf Stimmen`,
  waitsBody: (votes: string, isOne: boolean) =>
    isOne
      ? 'Etwa eine weitere Stimme entscheidet, ob es noch einen Zyklus gibt.'
      : `Etwa ${votes} weitere Stimmen entscheiden, ob es noch einen Zyklus gibt.`,
};

export const updateWords = {
  title: 'Updates',
  newest: (version: string) => `Dies ist die neueste Version (${version}).`,
  available: (version: string) => `Version ${version} ist verfügbar.`,
  availableDetail: 'Sie wird beim Beenden von Verisim installiert. Die Projekte bleiben unverändert.',
  download: 'Herunterladen',
  later: 'Jetzt nicht',
  downloaded: 'Die neue Version ist heruntergeladen und wird beim Beenden von Verisim installiert.',
};
