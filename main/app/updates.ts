/** Checks for a newer version when the user asks; the button exists only if a publish target is configured. */
import { localized } from '../../shared/messages/message.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dialog, type BrowserWindow } from 'electron';
import { UserError } from '../../shared/errors.js';
import { agreedTo } from './dialogs.js';
import { appWords } from './language.js';

/** The part of electron-updater that is used here. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  checkForUpdates(): Promise<{
    readonly isUpdateAvailable: boolean;
    readonly updateInfo: { readonly version: string };
  } | null>;
  downloadUpdate(): Promise<unknown>;
  on(event: 'download-progress', listener: (progress: { readonly percent: number }) => void): unknown;
  removeAllListeners(event: 'download-progress'): unknown;
}

/** Loads electron-updater on first use: it costs a start nothing. */
const loadUpdater = async (): Promise<Updater> => (await import('electron-updater')).autoUpdater;

/** @param resources the folder of the packaged app's resources */
export const updatesConfigured = (resources: string): boolean => existsSync(join(resources, 'app-update.yml'));

/** Checks, and downloads with consent; the version is installed when the app quits. @throws UserError `network` */
export async function checkForUpdates(window: BrowserWindow, version: string, load = loadUpdater): Promise<void> {
  const words = appWords().updateWords;
  const { title } = words;
  const updater = await load();
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = true;
  const showProgress = (share: number): void => void (window.isDestroyed() || window.setProgressBar(share));
  updater.on('download-progress', ({ percent }) => showProgress(percent / 100));
  try {
    const found = await updater.checkForUpdates();
    if (window.isDestroyed()) return;
    if (!found?.isUpdateAvailable) {
      await dialog.showMessageBox(window, { title, message: words.newest(version) });
      return;
    }
    const message = words.available(found.updateInfo.version);
    if (!(await agreedTo(window, { title, message, detail: words.availableDetail }, words.download, words.later)))
      return;
    await updater.downloadUpdate();
    if (!window.isDestroyed()) await dialog.showMessageBox(window, { title, message: words.downloaded });
  } catch (error) {
    throw new UserError(
      {
        code: 'network',
        message: localized('app.update_could_loaded', {
          error: error instanceof Error ? error.message : String(error),
        }),
        hint: localized('app.try_again_later_download_new'),
      },
      { cause: error },
    );
  } finally {
    updater.removeAllListeners('download-progress');
    showProgress(-1);
  }
}
