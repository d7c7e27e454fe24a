/**
 * The built app in a real Electron, under Xvfb where there is no screen, with folders of its own; and what every test of
 * it wants: the page, what it complained of, screenshots, axe.
 */
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { electronProgram } from '../../../main/installation/locations.mjs';
import { windowFolder, windowReady } from '../../../scripts/setup/window.mjs';
import { startDisplay } from './display.js';
import { watchPage, type PageWatch } from './page.js';

export const checkout = join(import.meta.dirname, '../../..');
export const artifacts = join(checkout, 'tests/artifacts/e2e');

/** Milliseconds that something on the page may take on a machine that does other things as well. */
export const patience = 60_000;

export interface Folders {
  /** Holds all the others; removed by `removeFolders`. */
  readonly all: string;
  readonly projects: string;
  readonly environment: NodeJS.ProcessEnv;
}

export function makeFolders(): Folders {
  const all = mkdtempSync(join(tmpdir(), 'verisim-e2e-'));
  const inside = (name: string) => join(all, name);
  for (const name of ['data', 'projects', 'documents']) mkdirSync(inside(name));
  return {
    all,
    projects: inside('projects'),
    environment: { ...process.env, XDG_DATA_HOME: inside('data'), VERISIM_HOME: inside('projects') },
  };
}

export const removeFolders = ({ all }: Pick<Folders, 'all'>): void =>
  rmSync(all, { recursive: true, force: true, maxRetries: 5 });

export interface RunningApp {
  readonly electron: ElectronApplication;
  readonly page: Page;
  /** Errors and warnings of the page. */
  readonly watch: PageWatch;
  /** Milliseconds from the process's beginning until the window was shown, once it is. */
  shownAfter(): Promise<number>;
  /** As a person who closes the window would. */
  quit(): Promise<void>;
}

/** Starts it and waits until its page is loaded. @param flags of Chromium */
export async function openApp(folders: Folders, flags: readonly string[] = []): Promise<RunningApp> {
  if (!windowReady(checkout)) throw new Error('The window is not built: node scripts/setup.mjs --only window');
  const display = await startDisplay();
  const electron = await _electron.launch({
    executablePath: electronProgram(),
    args: [windowFolder(checkout), ...flags],
    cwd: folders.all,
    env: { ...definedIn(folders.environment), DISPLAY: display, VERISIM_TIMINGS: '1' },
  });
  // Output of the main process and the trainers, for diagnosis.
  mkdirSync(artifacts, { recursive: true });
  electron.process().stderr?.pipe(createWriteStream(join(artifacts, 'electron.log'), { flags: 'a' }));
  const page = await electron.firstWindow();
  page.setDefaultTimeout(patience);
  const watch = watchPage(page);
  await page.waitForLoadState();
  return {
    electron,
    page,
    watch,
    async shownAfter() {
      for (;;) {
        const milliseconds = await electron.evaluate(() => process.env['VERISIM_SHOWN_AFTER']);
        if (milliseconds !== undefined) return Number(milliseconds);
        await page.waitForTimeout(20);
      }
    },
    async quit() {
      const ended = new Promise((resolve) => electron.process().once('close', resolve));
      await electron.evaluate(({ app }) => app.quit());
      await ended;
    },
  };
}

/** At once, whatever it is doing, as a crash or a power cut would. */
export async function endApp({ electron }: RunningApp): Promise<void> {
  const running = electron.process();
  if (running.exitCode !== null || running.signalCode !== null) return;
  const ended = new Promise((resolve) => running.once('close', resolve));
  running.kill('SIGKILL');
  await ended;
}

/** Answers the system's next dialogs with these paths. */
export const answerDialog = (electron: ElectronApplication, paths: readonly string[]): Promise<void> =>
  electron.evaluate(({ dialog }, filePaths) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: filePaths.length === 0, filePaths: [...filePaths] });
  }, paths);

const definedIn = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
