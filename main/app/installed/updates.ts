/**
 * Looking for a newer version, from the settings: it asks before it looks at a server, before it fetches anything and before it starts
 * anew. An AppImage is replaced where it lies; a package is fetched and shown, for the system's own installer.
 */
import { agreedTo } from '../dialogs.js';
import { shellWord } from '../../../shared/config/command-line.js';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { app, dialog, shell, type BrowserWindow } from 'electron';
import { packageKinds, type PackageKind } from '../../services/updates/manifest.js';
import { fetchUpdate, findUpdate, type Update, type UpdateSource } from '../../services/updates/update.js';
import { appWords } from '../language.js';
import type { InstalledFiles } from './installation.js';

/** What this app came as; `scripts/package/tree.mjs` writes it down where a package manager installed it. */
export function packageKind(resources: string, appImage: string | undefined): PackageKind {
  if (appImage !== undefined) return 'AppImage';
  const file = join(resources, 'package-kind');
  const written = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return packageKinds.find((kind) => kind === written) ?? 'tar.gz';
}

/** What the person types to install packages that were fetched; null where they are unpacked anywhere. */
export const installCommand = (kind: PackageKind, files: readonly string[]): string | null => {
  const program = { deb: 'sudo apt install', rpm: 'sudo dnf install', AppImage: null, 'tar.gz': null }[kind];
  return program === null ? null : [program, ...files.map(shellWord)].join(' ');
};

/**
 * Puts a fetched AppImage in the place of the one that runs, which keeps running: what it reads stays until it ends.
 * @returns where it is now
 */
export async function replaceAppImage(fetched: string, running: string): Promise<string> {
  await chmod(fetched, 0o755);
  renameSync(fetched, running);
  return running;
}

interface OfferOptions {
  readonly source: UpdateSource;
  readonly installed: InstalledFiles;
  readonly window: BrowserWindow;
}

/** All of it, with the person's word before each step. @throws UserError */
export async function offerUpdate(options: OfferOptions): Promise<void> {
  const { source, installed, window } = options;
  const words = appWords().updateWords;
  const show = (share: number): void => void (window.isDestroyed() || window.setProgressBar(share));
  const kind = packageKind(process.resourcesPath, process.env['APPIMAGE']);
  try {
    if (!(await ask(window, words.mayLook(new URL(source.address).host), words.mayLookDetail, words.look))) return;
    const { version, runtime } = installed;
    const update = await findUpdate(source, { version, runtime: runtime.version, kind });
    if (update === null) {
      if (!window.isDestroyed())
        await dialog.showMessageBox(window, { title: words.title, message: words.newest(version) });
      return;
    }
    const megabytes = Math.ceil(update.files.reduce((sum, { size }) => sum + size, 0) / 1e6);
    if (!(await ask(window, words.there(update.version), words.thereDetail(megabytes), words.fetch))) return;
    await take({ ...options, update, kind, progress: (done, total) => show(done / Math.max(1, total)) });
  } finally {
    show(-1);
  }
}

async function take(
  options: OfferOptions & { update: Update; kind: PackageKind; progress: (done: number, total: number) => void },
): Promise<void> {
  const { source, update, kind, window, progress } = options;
  const words = appWords().updateWords;
  const running = process.env['APPIMAGE'];
  const folder = kind === 'AppImage' && running !== undefined ? dirname(running) : app.getPath('downloads');
  const files = await fetchUpdate({ source, update, folder, older: running, progress });
  const [first = ''] = files;
  if (kind === 'AppImage' && running !== undefined) {
    const execPath = await replaceAppImage(first, running);
    if (!(await ask(window, words.inPlace(update.version), words.inPlaceDetail, words.restart))) return;
    app.relaunch({ execPath, args: [] });
    app.quit();
    return;
  }
  const command = installCommand(kind, files);
  const names = files.map((file) => basename(file)).join(', ');
  const isWanted = await ask(window, words.fetched(names), command ?? words.unpackDetail, words.show);
  if (isWanted) shell.showItemInFolder(first);
}

/** @returns whether the person wants it */
async function ask(window: BrowserWindow, message: string, detail: string, yes: string): Promise<boolean> {
  if (window.isDestroyed()) return false;
  const { title, no } = appWords().updateWords;
  return agreedTo(window, { title, message, detail }, yes, no);
}
