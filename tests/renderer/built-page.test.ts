/** What the built page must bring with it: it fetches nothing, and runs in the Chromium of the oldest Electron. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { windowFolder } from '../../scripts/setup/window.mjs';

const checkout = join(import.meta.dirname, '../..');
const textsIn = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
const built = (ending: RegExp) => textsIn(join(windowFolder(checkout), 'renderer'), ending).join('\n');

it('has every icon that its sources name, those that only its thinking names too', () => {
  const named = textsIn(join(checkout, 'renderer'), /\.(vue|ts)$/).flatMap((source) =>
    [...source.matchAll(/\bi-lucide-([a-z0-9-]+)/g)].map(([, icon = '']) => icon),
  );
  expect(named).toContain('package-check');
  const page = built(/\.js$/);
  // They stand in it as JSON, with or without quotes that are escaped.
  const isThere = (icon: string) => new RegExp(`"${icon}\\\\*":\\{`).test(page);
  expect([...new Set(named)].filter((icon) => !isThere(icon))).toEqual([]);
});

it('has no fallback that Chromium 108 does not read, without which fields and outlined buttons have no borders', () => {
  const styles = built(/\.css$/);
  expect(styles).toContain('var(--tw-ring-inset, )');
  expect(styles.match(/var\(--[\w-]+,\)/g)).toBeNull();
});
