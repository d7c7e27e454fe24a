/** The desktop app's main process: one instance, one window, and behind the dispatcher the same services as everywhere. */
import { join } from 'node:path';
import { Menu, app, ipcMain, protocol, session, type BrowserWindow } from 'electron';
import { createBackend } from './app/backend.js';
import { confinePages, confineSession } from './app/confinement.js';
import { createConnection } from './app/connection.js';
import { createMenu } from './app/menu.js';
import { schemePrivileges, servePage } from './app/page.js';
import { quitCarefully } from './app/quit.js';
import { applyTheme, builtFile, openWindow } from './app/window.js';
import { defaultDataFolder } from './services/files/data-folder.js';

const isDevelopment = !app.isPackaged;
// The trainer, which inherits it, loads TensorFlow from there (main/installation/locations.mjs).
if (app.isPackaged) process.env['VERISIM_BUNDLED'] ??= join(process.resourcesPath, 'runtime');

/** Enough to see that something is wrong; whoever is refused may try without end. */
const MAX_REFUSALS_SAID = 20;

const say = (what: string, error: unknown): void =>
  console.error(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);

function start(): void {
  let window: BrowserWindow | null = null;
  let refusals = 0;
  app.on('second-instance', () => {
    if (window?.isMinimized()) window.restore();
    window?.focus();
  });
  app.on('window-all-closed', () => app.quit());
  confinePages(app);

  void app.whenReady().then(() => {
    Menu.setApplicationMenu(createMenu(process.platform, isDevelopment));
    confineSession(session.defaultSession, isDevelopment);
    servePage(protocol, builtFile('renderer'));
    const { dispatcher, bus, services, training } = createBackend({
      version: app.getVersion(),
      documents: app.getPath('documents'),
      trainer: builtFile('main', 'trainer.js'),
      onBug: say,
    });
    applyTheme(services.settings.get().theme);
    bus.listen((topic) => {
      if (topic === 'settings.changed') applyTheme(services.settings.get().theme);
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
    const askBeforeClosing = quitCarefully({
      app,
      window: () => window,
      training,
      close: () => services.close(),
      onBug: (error) => say('Quitting', error),
    });
    window = openWindow({
      preload: builtFile('preload', 'index.js'),
      icon: builtFile('resources', 'icon.png'),
      placeFile: join(app.getPath('userData'), 'place.json'),
      onCreated(created) {
        connection.admit(created);
        askBeforeClosing(created);
        created.on('closed', () => {
          window = null;
        });
      },
    });
    window.once('show', () => {
      // Kept for the tests' measurement, which may ask later: what a person waits for.
      const began = process.getCreationTime();
      if (process.env['VERISIM_TIMINGS'] && began !== null) {
        process.env['VERISIM_SHOWN_AFTER'] = String(Date.now() - began);
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
if (app.requestSingleInstanceLock()) start();
else app.quit();
