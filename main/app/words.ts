/**
 * Every word that the main process itself shows: dialogs, menus, notices; in German in words-de.ts, and asked for through
 * language.ts. The page has its own in renderer/.
 */
import { fileKinds, type FilePurpose } from '../../shared/config/file-kinds.js';

export const fileWords = {
  save: 'Save as',
  all: 'All files',
  /** The dialog's title, and what the files are called together. */
  choose: Object.fromEntries(
    Object.entries(fileKinds).map(([purpose, { title, files }]) => [purpose, { title, label: files?.label ?? '' }]),
  ) as Readonly<Record<FilePurpose, { readonly title: string; readonly label: string }>>,
};

export const menuWords = {
  file: 'File',
  close: 'Close Window',
  quit: 'Quit',
  edit: 'Edit',
  undo: 'Undo',
  redo: 'Redo',
  cut: 'Cut',
  copy: 'Copy',
  paste: 'Paste',
  selectAll: 'Select All',
  view: 'View',
  resetZoom: 'Actual Size',
  zoomIn: 'Zoom In',
  zoomOut: 'Zoom Out',
  fullScreen: 'Toggle Full Screen',
  window: 'Window',
};

export const crashWords = {
  title: 'The window stopped working',
  message: 'The window stopped working several times in a row.',
  detail:
    'Training is not touched by this: it continues in a process of its own. Loading the window again usually helps.',
  again: 'Load it again',
  quit: 'Quit',
};

export const stuckWords = {
  title: 'The window does not respond',
  message: 'The window does not respond.',
  detail: 'It may be busy. Training continues in a process of its own, whatever you choose here.',
  wait: 'Wait',
  again: 'Load it again',
};

export const quitWords = {
  title: 'Quit Verisim',
  message: (name: string) => `${name} is being trained.`,
  detail: 'Quitting stops it with a checkpoint. The next time you open Verisim it can resume from there, exactly.',
  stop: 'Stop and quit',
  stay: 'Keep training',
};

export const importWords = {
  title: 'Import a project',
  message: (file: string) => `Import ${file}?`,
  detail: 'A copy of it is added to your projects. The file itself stays as it is.',
  yes: 'Import',
  no: 'Cancel',
};

export const noticeWords = {
  ended: (name: string) => `${name} is trained`,
  endedBody: 'Every cycle is done.',
  trouble: (name: string) => `${name} has stopped`,
  waits: (name: string) => `${name} waits for votes`,
  waitsBody: (votes: string, isOne: boolean) =>
    `About ${votes} more ${isOne ? 'vote decides' : 'votes decide'} whether there is another cycle.`,
};

export const trayWords = {
  tip: (name: string) => `Verisim: ${name}`,
  open: 'Open the window',
  afterPhase: 'Stop after this phase',
  quit: 'Quit',
};

/** Of the second runtime. */
export const runtimeWords = {
  title: 'Support for NVIDIA GPUs',
  choose: 'The file with TensorFlow for NVIDIA GPUs',
  fileKind: 'Runtime of Verisim',
  done: (version: string) => `TensorFlow for NVIDIA GPUs is installed (${version}).`,
  doneDetail: 'It is used from the next start of Verisim.',
  changed: 'TensorFlow for NVIDIA GPUs is not as it was installed: it is not loaded. Install it again from its file.',
};

export const updateWords = {
  title: 'Newer versions',
  no: 'Not now',
  mayLook: (host: string) => `Ask ${host} for a newer version?`,
  mayLookDetail: 'Verisim never asks by itself. Nothing of yours is sent.',
  look: 'Ask',
  newest: (version: string) => `This is the newest version (${version}).`,
  there: (version: string) => `Version ${version} is there.`,
  thereDetail: (megabytes: number) => `At most ${String(megabytes)} MB are downloaded. Projects stay as they are.`,
  fetch: 'Download',
  inPlace: (version: string) => `Version ${version} is installed.`,
  inPlaceDetail: 'It is used from the next start. What trains is stopped with a checkpoint first.',
  restart: 'Start it now',
  fetched: (names: string) => `Downloaded: ${names}.`,
  unpackDetail: 'Quit Verisim, then unpack it in place of this version.',
  show: 'Show in the folder',
};

export const damagedWords = {
  title: 'Verisim is damaged',
  message: (files: readonly string[]) =>
    files.length === 1
      ? `A file of Verisim is not as it was installed: ${String(files[0])}.`
      : `${String(files.length)} files of Verisim are not as they were installed: ${files.slice(0, 5).join(', ')}${files.length > 5 ? ', …' : ''}.`,
  detail:
    'It was not loaded, and nothing can be trained with it. Install Verisim again; your projects stay as they are.',
};
