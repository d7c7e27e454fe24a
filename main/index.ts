/** The desktop app's main process: one instance, one window, and behind the dispatcher the same services as everywhere. */
import { join } from 'node:path';
import { Menu, app, ipcMain, protocol, session, type BrowserWindow } from 'electron';
import { addCatalogues } from '../shared/messages/catalogue.js';
import { readCatalogues } from './installation/locales.mjs';
import { watchRuns } from './app/attention.js';
import { createBackend } from './app/backend.js';
import { confinePages, confineSession } from './app/confinement.js';
import { createConnection } from './app/connection.js';
import { createMenu } from './app/menu.js';
import { createOpener, listenForFiles, projectFilesIn } from './app/opened-files.js';
import { schemePrivileges, servePage } from './app/page.js';
import { quitCarefully } from './app/quit.js';
import { checkForUpdates, updatesConfigured } from './app/updates.js';
import { applyLook, builtFile, openWindow } from './app/window.js';
import type { Settings } from '../shared/contract/machine.js';
import { defaultDataFolder } from './services/files/data-folder.js';

addCatalogues(readCatalogues());

const isDevelopment = !app.isPackaged;
// The trainer, which inherits it, loads TensorFlow from there (main/installation/locations.mjs).
if (app.isPackaged) process.env['VERISIM_BUNDLED'] = join(process.resourcesPath, 'runtime');

const MAX_REFUSALS_LOGGED = 20;

const log = (subject: string, error: unknown): void =>
  console.error(`${subject}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);

function applySettings(settings: Settings): void {
  applyLook(settings);
  Menu.setApplicationMenu(createMenu(process.platform, isDevelopment));
}

/** The update check, when the app was packaged with a publish target. */
const updateCheck = () =>
  app.isPackaged && updatesConfigured(process.resourcesPath)
    ? (window: BrowserWindow) => checkForUpdates(window, app.getVersion())
    : undefined;

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
  confinePages(app);

  void app.whenReady().then(() => {
    confineSession(session.defaultSession, isDevelopment);
    servePage(protocol, builtFile('renderer'));
    const { dispatcher, bus, services, training } = createBackend({
      version: app.getVersion(),
      documents: app.getPath('documents'),
      trainer: builtFile('main', 'trainer.js'),
      onBug: log,
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
      checkForUpdates: updateCheck(),
      onRefused(reason) {
        refusals += 1;
        if (refusals <= MAX_REFUSALS_LOGGED) log('Refused', reason);
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
      onBug: (error) => log('Quitting', error),
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
          // A trainer's window may be open.
          app.quit();
        });
      },
    });
    window.webContents.once('did-finish-load', () => {
      open = createOpener({ dispatcher, files: services.files, window: shown });
      toOpen.splice(0).forEach(open);
    });
    window.once('show', () => {
      const began = process.getCreationTime();
      if (process.env['VERISIM_TIMINGS'] && began !== null) {
        process.env['VERISIM_SHOWN_AFTER'] = String(Date.now() - began);
        console.error('Window shown.');
      }
    });
  });
}

// Chromium's WebGPU for Linux; other systems have it anyway.
if (process.platform === 'linux') app.commandLine.appendSwitch('enable-unsafe-webgpu');
protocol.registerSchemesAsPrivileged([schemePrivileges]);
// Electron would make a menu of its own first.
Menu.setApplicationMenu(null);
// Every page, whatever it is for. As root (in a container) Chromium cannot: `--no-sandbox` must then be given, and each
// page still runs without Node, behind its bridge (`sandbox` in main/app/window.ts).
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
app.setPath('userData', join(defaultDataFolder(), 'window'));
if (app.requestSingleInstanceLock()) start();
else app.quit();
