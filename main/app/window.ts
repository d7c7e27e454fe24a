/** Creates the window: sandboxed, where it was last time, reloaded if its page crashes, shown once something is drawn. */
import { join } from 'node:path';
import { BrowserWindow, app, dialog, nativeTheme, screen } from 'electron';
import type { Settings } from '../../shared/contract/machine.js';
import { readStored, writeStored } from '../services/files/stored.js';
import { appWords, speak } from './language.js';
import { pageAddress } from './page.js';
import { fittingPlace, placeSchema, smallest } from './window-place.js';

interface WindowOptions {
  readonly preload: string;
  readonly icon: string;
  readonly placeFile: string;
  readonly onCreated: (window: BrowserWindow) => void;
}

/** As the page's own background, in both themes (renderer/styles): what is seen before it is there. */
const background = () => (nativeTheme.shouldUseDarkColors ? '#1a2020' : '#ffffff');

/** After more crashes within a minute, the user decides. */
const crashesBeforeAsking = 2;

export function openWindow({ preload, icon, placeFile, onCreated }: WindowOptions): BrowserWindow {
  const screens = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({ workArea }) => workArea);
  const { maximized, ...area } = fittingPlace(readStored(placeFile, placeSchema.nullable(), null), screens);
  const window = new BrowserWindow({
    ...area,
    minWidth: smallest.width,
    minHeight: smallest.height,
    show: false,
    title: 'Verisim',
    icon,
    backgroundColor: background(),
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: !app.isPackaged,
    },
  });
  window.once('ready-to-show', () => {
    if (maximized) window.maximize();
    window.show();
  });
  window.on('close', () => {
    writeStored(placeFile, { ...window.getNormalBounds(), maximized: window.isMaximized() });
  });
  recoverFromCrashes(window);
  onCreated(window);
  void window.loadURL(pageAddress);
  return window;
}

/** Reloads a crashed page with `?recovered`; training continues in its own process. */
function recoverFromCrashes(window: BrowserWindow): void {
  const { webContents: contents } = window;
  let crashes: number[] = [];
  const load = () => void contents.loadURL(`${pageAddress}?recovered`);
  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    crashes = [...crashes.filter((time) => Date.now() - time < 60_000), Date.now()];
    if (crashes.length <= crashesBeforeAsking) {
      load();
      return;
    }
    const { title, message, detail, again, quit } = appWords().crashWords;
    void dialog
      .showMessageBox(window, { type: 'error', title, message, detail, buttons: [again, quit], cancelId: 1 })
      .then(({ response }) => (response === 0 ? load() : app.quit()));
  });
  window.on('unresponsive', () => {
    const { title, message, detail, wait, again } = appWords().stuckWords;
    void dialog
      .showMessageBox(window, { type: 'warning', title, message, detail, buttons: [wait, again], cancelId: 0 })
      .then(({ response }) => {
        if (response === 1) contents.forcefullyCrashRenderer();
      });
  });
}

/** Applies theme and language to title bar and dialogs. */
export function applyLook({ theme, language }: Pick<Settings, 'theme' | 'language'>): void {
  nativeTheme.themeSource = theme;
  speak(language, [app.getLocale(), ...app.getPreferredSystemLanguages()]);
}

/** Paths of built files next to the bundled main process: dist/app/main/index.js → dist/app/…. */
export const builtFile = (...names: readonly string[]): string => join(__dirname, '..', ...names);
