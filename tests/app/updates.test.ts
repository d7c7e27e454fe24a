/** A check for updates downloads only with consent, never restarts the app, and reports errors as faults. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dialog, type BrowserWindow } from 'electron';
import { beforeEach, expect, it, vi } from 'vitest';
import { checkForUpdates, updatesConfigured, type Updater } from '../../main/app/updates.js';

vi.mock('electron', () => ({ dialog: { showMessageBox: vi.fn() }, shell: {} }));
const showMessageBox = vi.mocked(dialog.showMessageBox as (...args: unknown[]) => Promise<{ response: number }>);
const window = { isDestroyed: () => false, setProgressBar: vi.fn() };

const updaterWith = (isUpdateAvailable: boolean) => ({
  autoDownload: true,
  autoInstallOnAppQuit: false,
  checkForUpdates: vi.fn(async () => ({ isUpdateAvailable, updateInfo: { version: '2.0.0' } })),
  downloadUpdate: vi.fn(async () => []),
  on: vi.fn(),
  removeAllListeners: vi.fn(),
});
const check = (updater: Updater) =>
  checkForUpdates(window as unknown as BrowserWindow, '1.0.0', () => Promise.resolve(updater));
const shown = () => showMessageBox.mock.calls.map(([, options]) => (options as { message: string }).message);

beforeEach(() => void showMessageBox.mockReset());

it('reports that this is the newest version, and downloads nothing', async () => {
  const updater = updaterWith(false);
  await check(updater);
  expect(shown()).toEqual(['This is the newest version (1.0.0).']);
  expect(updater.downloadUpdate).not.toHaveBeenCalled();
});

it.each([
  [0, 1],
  [1, 0],
])('downloads only with consent (answer %i)', async (response, downloads) => {
  const updater = updaterWith(true);
  showMessageBox.mockResolvedValue({ response });
  await check(updater);
  expect(shown()[0]).toBe('Version 2.0.0 is available.');
  expect(updater.autoDownload).toBe(false);
  expect(updater.autoInstallOnAppQuit).toBe(true);
  expect(updater.downloadUpdate).toHaveBeenCalledTimes(downloads);
});

it('reports a server that does not answer, and removes the progress bar', async () => {
  const updater = { ...updaterWith(true), checkForUpdates: () => Promise.reject(new Error('ENOTFOUND')) };
  await expect(check(updater)).rejects.toMatchObject({
    code: 'network',
    message: expect.stringContaining('ENOTFOUND') as string,
  });
  expect(window.setProgressBar).toHaveBeenLastCalledWith(-1);
});

it('is configured by the file that electron-builder writes for a publish target', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-updates-'));
  expect(updatesConfigured(folder)).toBe(false);
  writeFileSync(join(folder, 'app-update.yml'), 'provider: generic\n');
  expect(updatesConfigured(folder)).toBe(true);
  rmSync(folder, { recursive: true });
});
