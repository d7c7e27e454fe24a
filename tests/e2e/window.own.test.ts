/** The window itself: it opens, soon, with the page in it and nothing to complain of; and it is where it was. */
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MessageBoxOptions } from 'electron';
import { t } from '../../renderer/messages/index.js';
import { sampleProject } from '../../shared/config/sample.js';
import { artifacts, makeFolders, openApp, removeFolders, type RunningApp } from './support/app.js';
import { keepFigures } from './support/figures.js';
import { pictures } from './support/page.js';
import { advances, choose, long, reaches, savedStep } from './support/project.js';

const folders = makeFolders();
let app: RunningApp;

beforeAll(async () => {
  app = await openApp(folders);
});
afterAll(async () => {
  await app.electron.close();
  removeFolders(folders);
});

test('the window shows the page, and nothing on it complains', async () => {
  await app.page.getByRole('heading').first().waitFor();
  expect(app.page.url()).toMatch(/^app:\/\/verisim\/index\.html/);
  expect(await app.page.title()).toContain('Verisim');
  await pictures(app.page, artifacts, 'window');
  expect(app.watch.complaints).toEqual([]);
});

test('the window is visible soon after the start', async () => {
  const milliseconds = await app.shownAfter();
  const [cores, load = 0] = [availableParallelism(), ...loadavg()];
  keepFigures('window', { shown_after_ms: milliseconds, cores, load_average: load });
  // Two seconds on a machine with nothing else to do; a test must also hold on one that is busy.
  expect(milliseconds).toBeLessThan(10_000 * Math.max(1, load / cores));
});

test('the window opens again where it was', async () => {
  const area = { x: 40, y: 60, width: 1100, height: 700 };
  await app.electron.evaluate(({ BrowserWindow }, bounds) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds), area);
  await app.quit();
  app = await openApp(folders);
  await expect
    .poll(() => app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds()))
    .toEqual(area);
});

test('the window cannot be made narrower than its smallest width', async () => {
  const size = await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getMinimumSize());
  expect(size?.[0]).toBe(900);
});

test(
  'the menu makes the sample project, and it trains',
  async () => {
    const { page } = app;
    await choose(page, t('home.open'), t('home.sampleScratch'));
    await reaches(page, 'running');
    await advances(page);
    const folder = join(folders.projects, 'moby-dick-from-scratch');
    const { config } = JSON.parse(readFileSync(join(folder, 'project.json'), 'utf8')) as { config: object };
    const { preset: _preset, ...settings } = sampleProject();
    expect(config).toMatchObject(settings);
    // Quitting asks about the project by its title, and can be declined.
    expect(folder).not.toContain(t('home.sampleNames.nothing'));
    const question = await app.electron.evaluate(async ({ app: main, dialog }) => {
      const { showMessageBox } = dialog;
      const options = await new Promise<MessageBoxOptions>((shown) => {
        dialog.showMessageBox = (...given: unknown[]) => {
          shown(given.at(-1) as MessageBoxOptions);
          return Promise.resolve({ response: 1, checkboxChecked: false });
        };
        main.quit();
      });
      dialog.showMessageBox = showMessageBox;
      return options;
    });
    expect(question.message).toBe(t('desktop.quit.message', { name: t('home.sampleNames.nothing') }));
    expect(question.buttons).toEqual([t('desktop.quit.yes'), t('desktop.quit.no')]);
    await advances(page);
    // Of its two cycles this is enough: smaller models go all the way in the other tests.
    await choose(page, t('project.controls.stop'), t('project.controls.stopStep'));
    await reaches(page, 'stopped');
    expect(savedStep(folder)).toBeGreaterThan(0);
    expect(app.watch.complaints).toEqual([]);
  },
  3 * long,
);
