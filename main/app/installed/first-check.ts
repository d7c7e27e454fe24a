/**
 * The check of the installed app at its start: what is not as it was packaged is named, and the app ends. Until it has been made
 * no trainer starts (guarded-trainer.ts).
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { app, dialog } from 'electron';
import { appWords } from '../language.js';
import { changedFiles, type InstalledFiles } from './installation.js';
import { guardSecondRuntime } from './second-runtime.js';

const LONGEST_WAIT_MS = 10_000;

/** The exit code where files of the app were changed. */
const DAMAGED = 3;

/** Where nobody sits before a screen, nobody could close a dialog. */
const isWatched = () => !process.env['VERISIM_TIMINGS'];

/** Names what was changed, and ends: nothing of it is loaded. */
export function refuse(files: readonly string[]): void {
  const { title, message, detail } = appWords().damagedWords;
  console.error(`${message(files)} ${detail}`);
  process.exitCode = DAMAGED;
  if (isWatched()) dialog.showErrorBox(title, `${message(files)}\n\n${detail}`);
  app.exit(DAMAGED);
}

/** @returns why no trainer may start, or null: all that is installed is as it was packaged */
export async function checkInstallation(installed: InstalledFiles | null): Promise<string | null> {
  // On macOS signing changes the files that are signed, and the system itself checks them.
  if (installed === null || process.platform === 'darwin') return null;
  const kept = (name: string): string => join(app.getPath('userData'), name);
  const changed = await changedFiles({
    folder: join(process.execPath, '..'),
    installed,
    stampFile: kept('installation.json'),
    carrier: process.env['APPIMAGE'],
  });
  if (changed.length > 0) {
    refuse(changed);
    return appWords().damagedWords.message(changed);
  }
  const warning = await guardSecondRuntime(installed, kept('second-runtime.json'));
  if (warning !== null) {
    console.error(warning);
    if (isWatched()) dialog.showErrorBox(appWords().runtimeWords.title, warning);
  }
  return null;
}

/** What tells of windows: Electron's app. */
interface WindowNews {
  once(
    event: 'browser-window-created',
    listener: (event: unknown, window: { once(event: 'show', listener: () => void): unknown }) => void,
  ): unknown;
}

/**
 * Reading all of the app, at its first start, would hold up the window; a window that does not come does not hold up the check.
 * To be called before there is one.
 * @param longest milliseconds
 */
export function windowShown(news: WindowNews, longest = LONGEST_WAIT_MS): Promise<unknown> {
  const shown = new Promise<void>((resolve) => {
    news.once('browser-window-created', (_event, window) => void window.once('show', () => resolve()));
  });
  return Promise.race([shown, sleep(longest, null, { ref: false })]);
}
