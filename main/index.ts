/** The desktop app's main process: one instance, one window, and behind the dispatcher the same services as everywhere. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync } from 'original-fs';
import { Menu, app, dialog, ipcMain, protocol, session, type BrowserWindow } from 'electron';
import { watchRuns } from './app/attention.js';
import { createBackend } from './app/backend.js';
import { confinePages, confineSession } from './app/confinement.js';
import { createConnection } from './app/connection.js';
import { archiveIsWhole, changedFiles, readInstalledFiles } from './app/installation.js';
import { appWords } from './app/language.js';
import { createMenu } from './app/menu.js';
import { createOpener, listenForFiles, projectFilesIn } from './app/opened-files.js';
import { schemePrivileges, servePage } from './app/page.js';
import { quitCarefully } from './app/quit.js';
import { applyLook, builtFile, openWindow } from './app/window.js';
import type { Settings } from '../shared/contract/machine.js';
import { defaultDataFolder } from './services/files/data-folder.js';

const isDevelopment = !app.isPackaged;
// The trainer, which inherits it, loads TensorFlow from there (main/installation/locations.mjs).
if (app.isPackaged) process.env['VERISIM_BUNDLED'] = join(process.resourcesPath, 'runtime');

/** Enough to see that something is wrong; whoever is refused may try without end. */
const MAX_REFUSALS_SAID = 20;

const LONGEST_WAIT_MS = 10_000;

/** The exit code where files of the app were changed. */
const DAMAGED = 3;

const say = (what: string, error: unknown): void =>
  console.error(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);

/** Names what was changed, and ends: nothing of it is loaded. */
function refuse(files: readonly string[]): void {
  const words = appWords().damagedWords.message(files);
  console.error(`${words} ${appWords().damagedWords.detail}`);
  process.exitCode = DAMAGED;
  // Where nobody sits before a screen, nobody could close it.
  if (!process.env['VERISIM_TIMINGS'])
    dialog.showErrorBox(appWords().damagedWords.title, `${words}\n\n${appWords().damagedWords.detail}`);
  app.exit(DAMAGED);
}

/** @returns why no trainer may start, or null: all that is installed is as it was packaged */
async function checkInstallation(): Promise<string | null> {
  const installed = readInstalledFiles(builtFile('files.json'));
  if (installed === null) return null;
  const changed = await changedFiles({
    folder: join(process.execPath, '..'),
    installed,
    stampFile: join(app.getPath('userData'), 'installation.json'),
    carrier: process.env['APPIMAGE'],
  });
  if (changed.length === 0) return null;
  refuse(changed);
  return appWords().damagedWords.message(changed);
}

/**
 * Reading all of the app, at its first start, would hold up the window; a window that does not come does not hold up the check.
 * To be called before there is one.
 */
function windowShown(): Promise<unknown> {
  const shown = new Promise<void>((resolve) => {
    app.once('browser-window-created', (_event, window) => void window.once('show', () => resolve()));
  });
  return Promise.race([shown, sleep(LONGEST_WAIT_MS, null, { ref: false })]);
}

/** Theme and language; the menu is made anew in it. */
function applySettings(settings: Settings): void {
  applyLook(settings);
  Menu.setApplicationMenu(createMenu(process.platform, isDevelopment));
}

function start(): void {
  let window: BrowserWindow | null = null;
  let refusals = 0;
  let open: ((path: string) => void) | null = null;
  const toOpen = [...projectFilesIn(process.argv, process.cwd())];
  const openFile = (path: string): void => void (open === null ? toOpen.push(path) : open(path));
  listenForFiles(app, openFile);
  app.on('second-instance', (_event, args, folder) => {
    if (window?.isMinimized()) window.restore();
    window?.focus();
    projectFilesIn(args, folder).forEach(openFile);
  });
  app.on('window-all-closed', () => app.quit());
  confinePages(app);

  void app.whenReady().then(() => {
    confineSession(session.defaultSession, isDevelopment);
    servePage(protocol, builtFile('renderer'));
    const { dispatcher, bus, services, training } = createBackend({
      version: app.getVersion(),
      documents: app.getPath('documents'),
      trainer: builtFile('main', 'trainer.js'),
      allowed: windowShown().then(checkInstallation),
      onBug: say,
    });
    applySettings(services.settings.get());
    bus.listen((topic) => {
      if (topic === 'settings.changed') applySettings(services.settings.get());
    });
    const connection = createConnection({
      ipc: ipcMain,
      dispatcher,
      bus,
      files: services.files,
      onRefused(what) {
        refusals += 1;
        if (refusals <= MAX_REFUSALS_SAID) say('Refused', what);
      },
    });
    const icon = builtFile('resources', 'icon.png');
    const shown = () => window;
    const keepsAwake = () => services.settings.get().keep_awake === 'while_training';
    const endWatching = watchRuns({ bus, dispatcher, keepsAwake, window: shown, icon });
    const askBeforeClosing = quitCarefully({
      app,
      window: shown,
      training,
      async close() {
        endWatching();
        await services.close();
      },
      onBug: (error) => say('Quitting', error),
    });
    window = openWindow({
      preload: builtFile('preload', 'index.js'),
      icon,
      placeFile: join(app.getPath('userData'), 'place.json'),
      onCreated(created) {
        connection.admit(created);
        askBeforeClosing(created);
        created.on('closed', () => {
          window = null;
        });
      },
    });
    window.webContents.once('did-finish-load', () => {
      open = createOpener({ dispatcher, files: services.files, window: shown });
      toOpen.splice(0).forEach(open);
    });
    window.once('show', () => {
      // Kept for the tests' measurement, which may ask later: what a person waits for.
      const began = process.getCreationTime();
      if (process.env['VERISIM_TIMINGS'] && began !== null) {
        process.env['VERISIM_SHOWN_AFTER'] = String(Date.now() - began);
        console.error('Window shown.');
      }
    });
  });
}

protocol.registerSchemesAsPrivileged([schemePrivileges]);
// Every page, whatever it is for. As root (in a container) Chromium cannot: `--no-sandbox` must then be given, and each
// page still runs without Node, behind its bridge (`sandbox` in main/app/window.ts).
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
// Chromium's own files, beside the app's.
app.setPath('userData', join(defaultDataFolder(), 'window'));
// Electron itself checks its archive on Windows and macOS.
if (app.isPackaged && process.platform === 'linux' && !archiveIsWhole(app.getAppPath(), readFileSync)) {
  void app.whenReady().then(() => refuse(['resources/app.asar']));
} else if (app.requestSingleInstanceLock()) start();
else app.quit();
