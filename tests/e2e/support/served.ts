/** The built `verisim serve` as a process with folders of its own, and a current Chromium that opens the address it prints. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from '../../../scripts/setup/system.mjs';
import { windowReady } from '../../../scripts/setup/window.mjs';
import { checkout, patience, removeFolders } from './app.js';
import { watchPage, type PageWatch } from './page.js';

export interface Served {
  readonly folder: string;
  readonly projects: string;
  readonly page: Page;
  readonly watch: PageWatch;
  /** The browser's address without the token, for `#/…`. */
  readonly origin: string;
  /** Ends the server as a power cut would; the page stays open. */
  cut(): Promise<void>;
  /** Another server on the same folders, whose address the page opens. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param folder what it is to work in, with projects in `projects`; removed at the end. Left out: an empty one
 * @param flags of the browser
 * @param locale of the user
 * @param environment of the server, next to that of the tests
 */
export async function openServed(
  folder = mkdtempSync(join(tmpdir(), 'verisim-served-')),
  flags: readonly string[] = [],
  locale = 'en-GB',
  environment: Readonly<Record<string, string>> = {},
): Promise<Served> {
  if (!windowReady(checkout)) throw new Error('The window is not built: node scripts/setup.mjs --only build,window');
  const program = findChromium();
  if (program === null) throw new Error('There is no Chromium: install the package chromium, or set VERISIM_CHROMIUM.');
  const projects = join(folder, 'projects');
  let server = startServer(folder, projects, environment);
  const address = await addressOf(server);
  const browser: Browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', ...flags] });
  const page = await browser.newPage({
    viewport: { width: 1280, height: 820 },
    reducedMotion: 'reduce',
    locale,
  });
  page.setDefaultTimeout(patience);
  const watch = watchPage(page);
  await page.goto(address);
  const cut = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  return {
    folder,
    projects,
    page,
    watch,
    origin: new URL(address).origin,
    cut,
    async restart() {
      await cut();
      server = startServer(folder, projects, environment);
      await page.goto(await addressOf(server));
    },
    async close() {
      await browser.close();
      if (server.exitCode === null && server.signalCode === null) {
        const ended = once(server, 'exit');
        server.kill('SIGINT');
        await ended;
      }
      removeFolders({ all: folder });
    },
  };
}

function startServer(folder: string, projects: string, environment: Readonly<Record<string, string>>): ChildProcess {
  const flags = ['--data_dir', join(folder, 'data'), '--projects_dir', projects, '--api_port', '0', '--json'];
  return spawn(process.execPath, [join(checkout, 'dist/cli.js'), 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
}

/** What it prints when it listens. */
function addressOf(server: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((found, failed) => {
    server.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const [printed] = /http:\/\/[^"\s]+/.exec(output) ?? [];
      if (printed !== undefined) found(printed);
    });
    server.once('exit', () => failed(new Error(`verisim serve ended: ${output}`)));
  });
}
