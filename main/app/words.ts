/**
 * Holds the texts that the main process itself shows: dialogs, menus, notices; words-de.ts has the German ones,
 * language.ts selects. The page has its own in renderer/.
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

export const updateWords = {
  title: 'Updates',
  newest: (version: string) => `This is the newest version (${version}).`,
  available: (version: string) => `Version ${version} is available.`,
  availableDetail: 'It is installed when you quit Verisim. Your projects are not touched.',
  download: 'Download',
  later: 'Not now',
  downloaded: 'The new version is downloaded and will be installed when you quit Verisim.',
};
