/** Creates the window: sandboxed, at its last place, reloaded if its page crashes, shown once something is drawn. */
import { join } from 'node:path';
import { BrowserWindow, app, nativeTheme, screen } from 'electron';
import type { Settings } from '../../shared/contract/machine.js';
import { readStored, writeStored } from '../services/files/stored.js';
import { confirm } from './dialogs.js';
import { setLanguage } from './language.js';
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
    void confirm(window, 'crashed', {}, 'error').then((isReload) => (isReload ? load() : app.quit()));
  });
  window.on('unresponsive', () => {
    void confirm(window, 'unresponsive', {}, 'warning').then((isReload) => {
      if (isReload) contents.forcefullyCrashRenderer();
    });
  });
}

/** Applies theme and language to title bar and dialogs. */
export function applyLook({ theme, language }: Pick<Settings, 'theme' | 'language'>): void {
  nativeTheme.themeSource = theme;
  setLanguage(language, [app.getLocale(), ...app.getPreferredSystemLanguages()]);
}

/** Paths of built files next to the bundled main process: dist/app/main/index.js → dist/app/…. */
export const builtFile = (...names: readonly string[]): string => join(__dirname, '..', ...names);
