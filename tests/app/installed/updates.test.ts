/** What an app came as decides how it is updated; an AppImage that runs is replaced in one step, and whoever reads it reads on. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { installCommand, packageKind, replaceAppImage } from '../../../main/app/installed/updates.js';

vi.mock('electron', () => ({ app: {}, dialog: {}, shell: {} }));
const folder = mkdtempSync(join(tmpdir(), 'verisim-kind-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('knows what it was installed from', () => {
  expect(packageKind(folder, '/home/person/Verisim.AppImage')).toBe('AppImage');
  expect(packageKind(folder, undefined)).toBe('tar.gz');
  for (const kind of ['deb', 'rpm']) {
    writeFileSync(join(folder, 'package-kind'), `${kind}\n`);
    expect(packageKind(folder, undefined)).toBe(kind);
  }
});

it('says how packages are installed, whatever their folder is called', () => {
  expect(installCommand('deb', ["/home/o'neil/a.deb", '/x/b.deb'])).toBe(
    `sudo apt install '/home/o'\\''neil/a.deb' /x/b.deb`,
  );
  expect(installCommand('rpm', ['/x/a.rpm'])).toBe(`sudo dnf install /x/a.rpm`);
  expect(installCommand('tar.gz', ['/x/a.tar.gz'])).toBeNull();
});

it('an AppImage takes the place of the one that runs, which is read on', async () => {
  const [running, fetched] = [join(folder, 'Verisim.AppImage'), join(folder, 'Verisim-2.AppImage')];
  writeFileSync(running, 'old');
  writeFileSync(fetched, 'new', { mode: 0o600 });
  const open = openSync(running, 'r');
  expect(await replaceAppImage(fetched, running)).toBe(running);
  expect(readFileSync(open, 'utf8')).toBe('old');
  closeSync(open);
  expect(readFileSync(running, 'utf8')).toBe('new');
  expect(statSync(running).mode & 0o777).toBe(0o755);
});
