/** Every word that the main process itself shows: dialogs, menus, notices. The page has its own in renderer/. */
export const saveTitle = 'Save as';

export const menuWords = { file: 'File', edit: 'Edit', view: 'View', window: 'Window' };

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
