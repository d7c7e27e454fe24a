/**
 * A project that trains with WebGPU in the real app: in a hidden window that has nothing but its trainer, killed and resumed there, to
 * its end. SwiftShader stands in for a GPU.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { t } from '../../renderer/messages/index.js';
import { cacheFolder } from '../../main/installation/locations.mjs';
import { createProject } from '../../main/storage/projects/project-folder.js';
import { projectConfigSchema } from '../../shared/config/index.js';
import { endApp, makeFolders, openApp, removeFolders, type RunningApp } from './support/app.js';
import { button, isAlive, long, reaches, reportOf, savedStep, workerOf } from './support/project.js';

/** Flags of Chromium 114 for its software Vulkan; with a real driver Linux needs the last. */
const SWIFTSHADER = ['--use-angle=swiftshader', '--use-vulkan=swiftshader', '--enable-features=Vulkan,VulkanFromANGLE'];

vi.setConfig({ testTimeout: 4 * long });
const folders = makeFolders();
const project = join(folders.projects, 'gpu');
const wide = join(folders.projects, 'wide');
let app: RunningApp;

beforeAll(async () => {
  const text = join(folders.all, 'book.txt');
  writeFileSync(text, 'Call me Ishmael. Some years ago, never mind how long precisely.\n'.repeat(40));
  const settings = {
    ...{ data_path: text, tokenization: 'char', max_cycles: 0, judge_passages: 0, eval_interval: 4, eval_iters: 1 },
    ...{ n_layer: 1, n_head: 2, n_embd: 8, block_size: 8, batch_size: 2, max_iters: 12, warmup_iters: 1 },
  };
  for (const [name, more] of [
    ['gpu', { device: 'webgpu' }],
    ['wide', { n_embd: 256, max_iters: 2, eval_interval: 2 }],
  ] as const) {
    const config = projectConfigSchema.parse({ ...settings, ...more });
    createProject(join(folders.projects, name), config, { name, verisim_version: '0.1.0' });
  }
  rmSync(join(cacheFolder(), 'graphics-card.json'), { force: true });
  app = await openApp(folders, SWIFTSHADER);
});
afterAll(async () => {
  await endApp(app);
  removeFolders(folders);
});

/** What the hidden window may do, and what its page sees. */
const hiddenWindow = () =>
  app.electron.evaluate(async ({ BrowserWindow }) => {
    const hidden = BrowserWindow.getAllWindows().find((window) => !window.isVisible());
    if (!hidden) return null;
    const { webContents: contents } = hidden;
    const { nodeIntegration, contextIsolation, webSecurity } = (
      contents as unknown as { getLastWebPreferences(): Record<string, unknown> }
    ).getLastWebPreferences();
    return {
      page: contents.getURL(),
      ...{ nodeIntegration, contextIsolation, webSecurity },
      found: (await contents.executeJavaScript(
        `Promise.all([typeof require, typeof process, fetch('https://example.org').then(() => 'reached', () => 'refused')])`,
      )) as unknown,
    };
  });

test('trains in a hidden window, from the last checkpoint if that is killed', async () => {
  const { page } = app;
  await page.getByRole('link', { name: 'gpu' }).first().click();
  await button(page, t('project.controls.start')).click();
  await expect.poll(() => savedStep(project), { timeout: long, interval: 50 }).toBeGreaterThan(0);
  expect(await hiddenWindow()).toEqual({
    page: 'app://verisim/index.html',
    ...{ nodeIntegration: false, contextIsolation: true, webSecurity: true },
    found: ['undefined', 'undefined', 'refused'],
  });
  const first = workerOf(project) ?? 0;
  process.kill(first, 'SIGKILL');
  await expect.poll(() => isAlive(first)).toBe(false);
  await reaches(page, 'finished', 3 * long);
  expect(reportOf(project, 0).nats_per_character).toBeGreaterThan(0);
  await expect.poll(hiddenWindow).toBeNull();
});

test('measures the card for the first wide project, and leaves a software driver for the processor', async () => {
  const { page } = app;
  await page
    .getByRole('link', { name: t('nav.home') })
    .first()
    .click();
  await page.getByRole('link', { name: 'wide' }).first().click();
  await button(page, t('project.controls.start')).click();
  await expect.poll(hiddenWindow, { timeout: long, interval: 20 }).not.toBeNull();
  await reaches(page, 'finished', 3 * long);
  await expect.poll(hiddenWindow).toBeNull();
  const { entries } = JSON.parse(readFileSync(join(wide, 'circumstances.json'), 'utf8')) as { entries: unknown };
  expect(entries).toMatchObject([{ device: 'cpu' }]);
});
