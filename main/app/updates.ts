/** Checks for a newer version when the user asks; the button exists only if a publish target is configured. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dialog, type BrowserWindow } from 'electron';
import { UserError } from '../../shared/errors.js';
import { localized } from '../../shared/messages/message.js';
import { confirm } from './dialogs.js';
import { t } from './language.js';

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

/** Loads electron-updater on first use, so that it does not slow down the start. */
const loadUpdater = async (): Promise<Updater> => (await import('electron-updater')).autoUpdater;

/** @param resources the folder of the packaged app's resources */
export const updatesConfigured = (resources: string): boolean => existsSync(join(resources, 'app-update.yml'));

/** Checks, and downloads with consent; the version is installed when the app quits. @throws UserError `network` */
export async function checkForUpdates(window: BrowserWindow, version: string, load = loadUpdater): Promise<void> {
  const updater = await load();
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = true;
  const show = (message: string) => dialog.showMessageBox(window, { title: t('desktop.update.title'), message });
  const showProgress = (share: number): void => void (window.isDestroyed() || window.setProgressBar(share));
  updater.on('download-progress', ({ percent }) => showProgress(percent / 100));
  try {
    const found = await updater.checkForUpdates();
    if (window.isDestroyed()) return;
    if (!found?.isUpdateAvailable) {
      await show(t('desktop.update.newest', { version }));
      return;
    }
    if (!(await confirm(window, 'update', { name: found.updateInfo.version }))) return;
    await updater.downloadUpdate();
    if (!window.isDestroyed()) await show(t('desktop.update.downloaded'));
  } catch (cause) {
    const error = cause instanceof Error ? cause.message : String(cause);
    const [message, hint] = [
      localized('app.update_could_loaded', { error }),
      localized('app.try_again_later_download_new'),
    ];
    throw new UserError({ code: 'network', message, hint }, { cause });
  } finally {
    updater.removeAllListeners('download-progress');
    showProgress(-1);
  }
}
