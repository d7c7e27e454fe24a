/**
 * The built window in a current Chromium, with the demonstration in place of a main process: every screen can be looked
 * at and acted upon without training anything. The page, and the policy it runs under, are those that are shipped.
 */
import { join } from 'node:path';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/setup/system.mjs';
import { windowFolder, windowReady } from '../../scripts/setup/window.mjs';
import { withPolicy } from '../../main/server/page-policy.js';
import { createStaticFiles } from '../../main/server/static-files.js';
import { watchPage, type PageWatch } from '../e2e/support/page.js';
import type { DemoOptions } from '../../tools/demo/handlers.js';

const checkout = join(import.meta.dirname, '../..');
export const artifacts = join(checkout, 'tests/artifacts/renderer');
const origin = 'http://window.test';

export interface Screens {
  /** A page of its own for each scenario; `system` is the system's language. */
  open(
    options?: DemoOptions & { readonly at?: string; readonly system?: string },
  ): Promise<{ readonly page: Page; readonly watch: PageWatch }>;
  close(): Promise<void>;
}

export async function startScreens(): Promise<Screens> {
  if (!windowReady(checkout)) throw new Error('The window is not built: node scripts/setup.mjs --only window');
  const program = findChromium();
  if (program === null) throw new Error('There is no Chromium: install the package chromium, or set VERISIM_CHROMIUM.');
  const files = createStaticFiles(join(windowFolder(checkout), 'renderer'));
  const demonstration = await bundledDemonstration();
  const browser: Browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });

  return {
    async open({ at = '/', system = 'en-US', ...options } = {}) {
      const page = await browser.newPage({
        viewport: { width: 1600, height: 1024 },
        reducedMotion: 'reduce',
        locale: system,
      });
      const watch = watchPage(page);
      await page.route('**/*', (route) => {
        const { pathname, origin: asked } = new URL(route.request().url());
        const file = asked === origin ? files.find(pathname) : null;
        // Whatever the page would fetch from elsewhere is refused, and complained of.
        if (!file) return route.abort();
        const { bytes, policy } = withPolicy(file);
        return route.fulfill({
          body: bytes,
          headers: { 'content-type': file.type, 'content-security-policy': policy },
        });
      });
      await page.addInitScript(`${demonstration}; window.verisim = demonstration.bridge(${JSON.stringify(options)});`);
      await page.goto(`${origin}/#${at}`);
      return { page, watch };
    },
    close: () => browser.close(),
  };
}

async function bundledDemonstration(): Promise<string> {
  const contents = `
    import './tools/demo/jitless.js';
    import { createDemoTransport } from './tools/demo/transport.js';
    export const bridge = (options) => ({
      transport: createDemoTransport(options),
      takeDropped: async () => ({ ok: true, value: [] }),
    });`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: checkout, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'demonstration',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
