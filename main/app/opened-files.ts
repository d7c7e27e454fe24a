/** Imports a project file that the user opens from the file manager, after a confirmation: importing makes a copy. */
import { existsSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { dialog, type App, type BrowserWindow } from 'electron';
import { isNamedAs } from '../../shared/config/file-kinds.js';
import type { Dispatcher } from '../ipc/dispatcher.js';
import type { FileHandles } from '../services/files/file-handles.js';
import { confirm, dialogsOf } from './dialogs.js';
import { pageAddress } from './page.js';
import { t } from './language.js';

/** Returns the exported projects among the arguments of a start. @param from its working folder */
export const projectFilesIn = (args: readonly string[], from: string): readonly string[] =>
  args
    .slice(1)
    .filter((argument) => !argument.startsWith('-') && isNamedAs('archive', argument))
    .map((argument) => (isAbsolute(argument) ? argument : resolve(from, argument)))
    .filter((path) => existsSync(path));

interface OpenerOptions {
  readonly dispatcher: Dispatcher;
  readonly files: FileHandles;
  readonly window: () => BrowserWindow | null;
}

/** @returns what opens such a file, one after another */
export function createOpener({ dispatcher, files, window }: OpenerOptions): (path: string) => void {
  let last: Promise<void> = Promise.resolve();
  const open = async (path: string): Promise<void> => {
    const shown = window();
    if (shown === null) return;
    if (!(await confirm(shown, 'import', { name: basename(path) }))) return;
    shown.setProgressBar(2); // indeterminate progress
    const caller = { transport: 'electron' as const, dialogs: dialogsOf(shown) };
    const reply = await dispatcher.dispatch('projects.import', { file: files.give(path).handle }, caller);
    if (shown.isDestroyed()) return;
    shown.setProgressBar(-1);
    if (!reply.ok) {
      const [message, detail] = [t(reply.fault.message), t(reply.fault.hint)];
      await dialog.showMessageBox(shown, { type: 'error', title: t('desktop.import.title'), message, detail });
      return;
    }
    const { id } = reply.value as { id: string };
    await shown.loadURL(`${pageAddress}#/project/${id}`);
  };
  return (path) => {
    last = last.then(() => open(path)).catch(() => undefined);
  };
}

export function listenForFiles(app: App, open: (path: string) => void): void {
  app.on('open-file', (event, path) => {
    event.preventDefault();
    if (isNamedAs('archive', path)) open(path);
  });
}
