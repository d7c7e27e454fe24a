/**
 * The built window in a current Chromium, with the demonstration in place of a main process: every screen can be looked
 * at and acted upon without training anything. The page, and the policy it runs under, are those that are shipped.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/setup/system.mjs';
import { windowFolder, windowReady } from '../../scripts/setup/window.mjs';
import { withPolicy } from '../../main/server/page-policy.js';
import { createStaticFiles } from '../../main/server/static-files.js';
import { QUICK, watchPage, type PageWatch } from '../e2e/support/page.js';
import type { DemoOptions } from '../../tools/demo/handlers.js';

const checkout = join(import.meta.dirname, '../..');
export const artifacts = join(checkout, 'tests/artifacts/renderer');
const origin = 'http://window.test';

export interface Screens {
  /**
   * The window as it first appears, before a demonstration of its own, with nothing left of what was there before. One page
   * serves them one after the other, unless it was closed: a browser takes as long for a page's process as for the window.
   * @param options `system` is the system's language
   */
  open(options?: DemoOptions & { readonly at?: string; readonly system?: string }): Promise<Screen>;
  close(): Promise<void>;
}

export interface Screen {
  readonly page: Page;
  /** Since it was opened. */
  readonly watch: PageWatch;
}

const size = { width: 1600, height: 1024 };

/** @param how `fast`: with every compiler of the browser, to measure how fluid a page is; `built`: another build of the page */
export async function startScreens({
  fast = false,
  built = join(windowFolder(checkout), 'renderer'),
} = {}): Promise<Screens> {
  if (!windowReady(checkout)) throw new Error('The window is not built: node scripts/setup.mjs --only window');
  const program = findChromium();
  if (program === null) throw new Error('There is no Chromium: install the package chromium, or set VERISIM_CHROMIUM.');
  const server = await serveWindow(built);
  const { port } = server.address() as AddressInfo;
  const demonstration = await bundledDemonstration();
  // Whatever the page would fetch from elsewhere is refused, and complained of.
  const hosts = `--host-resolver-rules=MAP window.test 127.0.0.1:${String(port)}, MAP * ~NOTFOUND`;
  const args = ['--no-sandbox', hosts, ...(fast ? [] : QUICK)];
  const browser: Browser = await chromium.launch({ executablePath: program, args });
  /** By the system's language. */
  const screens = new Map<string, Screen>();
  let opened = 0;

  async function newScreen(system: string): Promise<Screen> {
    const page = await browser.newPage({ viewport: size, reducedMotion: 'reduce', locale: system });
    const watch = watchPage(page);
    const options = "JSON.parse(new URLSearchParams(location.search).get('demonstration') ?? '{}')";
    await page.addInitScript(`${demonstration}; window.verisim = demonstration.bridge(${options});`);
    return { page, watch };
  }

  async function clear({ page, watch }: Screen): Promise<void> {
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await page.mouse.move(0, 0);
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: null });
    watch.complaints.length = 0;
  }

  return {
    async open({ at = '/', system = 'en-GB', ...options } = {}) {
      const before = screens.get(system);
      const screen = before && !before.page.isClosed() ? before : await newScreen(system);
      screens.set(system, screen);
      if (screen === before) await clear(screen);
      // An address that was not there before, so that the page is loaded.
      const query = new URLSearchParams({ demonstration: JSON.stringify(options), opened: String((opened += 1)) });
      await screen.page.goto(`${origin}/?${query.toString()}#${at}`);
      return screen;
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** By a server, as the browser then keeps what it has compiled: of what it took for a page, a sixth. */
async function serveWindow(built: string): Promise<Server> {
  const files = createStaticFiles(built);
  const server = createServer(({ url = '/' }, response) => {
    const file = files.find(new URL(url, origin).pathname);
    if (!file) return response.writeHead(404).end();
    const { bytes, policy } = withPolicy(file);
    return response
      .writeHead(200, {
        'content-type': file.type,
        'content-security-policy': policy,
        'cache-control': file.immutable ? 'max-age=31536000, immutable' : 'no-store',
      })
      .end(bytes);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
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
