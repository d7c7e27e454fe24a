/**
 * Electron's security checklist (its documentation, "Security, Native Capabilities, and Your Responsibility"), item by
 * item in its order, against the running app.
 */
import type * as fs from 'node:fs';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectShape } from '../../shared/config/index.js';
import { channelNames, contract } from '../../shared/contract/index.js';
import { checkout, makeFolders, openApp, removeFolders, type RunningApp } from '../e2e/support/app.js';
import { PAYLOADS, payloads } from '../ipc/payloads.js';

const folders = makeFolders();
let app: RunningApp;
/** Somewhere else, with the requests that reached it. */
const visited: string[] = [];
const elsewhere = createServer((request, response) => {
  visited.push(request.url ?? '');
  response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' }).end('<p>elsewhere</p>');
});
let address = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${String((elsewhere.address() as AddressInfo).port)}`;
  app = await openApp(folders);
  await app.page.getByRole('heading').first().waitFor();
});
afterAll(async () => {
  await app.electron.close();
  elsewhere.close();
  removeFolders(folders);
});

/** The web preferences that the window's page really has. */
const preferences = () =>
  app.electron.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
      getLastWebPreferences(): Record<string, unknown>;
    };
    return contents.getLastWebPreferences();
  });

/** Every source of the main process and the preload script. */
const sources = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : path.endsWith('.ts') ? [readFileSync(path, 'utf8')] : [];
  });

const stays = async (act: () => Promise<unknown>) => {
  await act().catch(() => undefined);
  await app.page.waitForTimeout(300);
  expect(app.page.url()).toMatch(/^app:\/\/verisim\//);
  expect(await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  expect(visited).toEqual([]);
};

describe('Electron’s security checklist', () => {
  test('1: only what comes from the app itself is loaded', async () => {
    const reached = await app.page.evaluate(async (url) => {
      const attempts = [
        () => fetch(url),
        () =>
          new Promise((resolve, reject) => Object.assign(new Image(), { src: url, onload: resolve, onerror: reject })),
        () =>
          new Promise((resolve, reject) => {
            const socket = new WebSocket(url.replace('http', 'ws'));
            Object.assign(socket, { onopen: resolve, onerror: reject });
          }),
        () =>
          new Promise((resolve, reject) => {
            const script = document.createElement('script');
            document.head.append(Object.assign(script, { src: url, onload: resolve, onerror: reject }));
          }),
      ];
      const results = await Promise.allSettled(attempts.map((attempt) => attempt()));
      return results.map(({ status }) => status);
    }, address);
    expect(reached).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    expect(visited).toEqual([]);
  });

  test('1: the main process lets nothing out for the page either, should its policy fail', async () => {
    const answer = await app.electron.evaluate(
      ({ session, net }, url) =>
        new Promise<string>((resolve) => {
          const request = net.request({ url, session: session.defaultSession });
          request.on('response', () => resolve('answered'));
          request.on('error', (error) => resolve(error.message));
          request.end();
        }),
      address,
    );
    expect(answer).toMatch(/BLOCKED_BY_CLIENT/);
    expect(visited).toEqual([]);
  });

  test('2: the page has no Node', async () => {
    expect(await preferences()).toMatchObject({ nodeIntegration: false });
    const found = await app.page.evaluate(() =>
      ['require', 'process', 'module', 'Buffer', 'global', 'electron'].filter((name) => name in globalThis),
    );
    expect(found).toEqual([]);
  });

  test('3: the preload script’s world is not the page’s', async () => {
    expect(await preferences()).toMatchObject({ contextIsolation: true });
    const kept = await app.page.evaluate(() => {
      const bridge = (globalThis as unknown as { verisim: { transport: object } }).verisim;
      try {
        Object.assign(bridge, { transport: null });
      } catch {
        // frozen
      }
      return { frozen: Object.isFrozen(bridge), kept: bridge.transport !== null };
    });
    expect(kept).toEqual({ frozen: true, kept: true });
  });

  test('4: the page is sandboxed', async () => {
    expect(await preferences()).toMatchObject({ sandbox: true });
  });

  test('5: permissions are refused', async () => {
    const states = await app.page.evaluate(async () => {
      const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'clipboard-read'];
      const asked = await Promise.allSettled(
        names.map((name) => navigator.permissions.query({ name: name as 'midi' })),
      );
      const media = await navigator.mediaDevices.getUserMedia({ audio: true }).then(
        () => 'granted',
        (error: Error) => error.name,
      );
      return [...asked.map((result) => (result.status === 'fulfilled' ? result.value.state : 'denied')), media];
    });
    expect(states.filter((state) => state === 'granted' || state === 'prompt')).toEqual([]);
  });

  test('6, 8, 9, 10: web security is on, nothing insecure or experimental is', async () => {
    const found = await preferences();
    expect(found).toMatchObject({ webSecurity: true, allowRunningInsecureContent: false, experimentalFeatures: false });
    expect(found['enableBlinkFeatures'] ?? '').toBe('');
  });

  test('7: a content security policy is in force', async () => {
    const broken = await app.page.evaluate(async () => {
      const refused: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
      const script = document.createElement('script');
      script.textContent = 'globalThis.broken = true';
      document.head.append(script);
      const style = document.createElement('style');
      style.textContent = 'body { outline: 1px solid red }';
      document.head.append(style);
      // In a turn of its own: what the debugger evaluates may itself evaluate.
      const evaluated = await new Promise<boolean>((resolve) =>
        setTimeout(() => {
          try {
            resolve(new Function('return true')() as boolean);
          } catch {
            resolve(false);
          }
        }),
      );
      const directives = ['script-src-elem', 'style-src-elem', 'script-src'];
      const until = performance.now() + 10_000;
      while (!directives.every((one) => refused.includes(one)) && performance.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 20));
      return { ran: 'broken' in globalThis, evaluated, refused };
    });
    expect(broken).toMatchObject({ ran: false, evaluated: false });
    expect(broken.refused).toEqual(expect.arrayContaining(['script-src-elem', 'style-src-elem', 'script-src']));
  });

  test('7: the nonce is another one each time', async () => {
    const nonces = await app.page.evaluate(async () => {
      const one = async () => (await fetch('app://verisim/index.html')).headers.get('content-security-policy');
      return [await one(), await one()];
    });
    const [first, second] = nonces.map((policy) => /'nonce-([\w-]{22})'/.exec(policy ?? '')?.[1]);
    expect(first).toBeDefined();
    expect(first).not.toBe(second);
  });

  test('11, 12: there are no web views', async () => {
    expect(await preferences()).toMatchObject({ webviewTag: false });
    await stays(() =>
      app.page.evaluate((url) => {
        const view = document.createElement('webview');
        view.setAttribute('src', url);
        document.body.append(view);
      }, address),
    );
  });

  test('13: the page cannot go elsewhere, and its conversation goes on after trying', async () => {
    await stays(() => app.page.evaluate((url) => void (location.href = url), address));
    await stays(() => app.page.evaluate(() => void (location.href = 'file:///etc/passwd')));
    await stays(() => app.page.evaluate(() => void (location.href = 'app://other/index.html')));
    await stays(() =>
      app.page.evaluate((url) => {
        const form = Object.assign(document.createElement('form'), { action: url, method: 'post' });
        document.body.append(form);
        form.submit();
      }, address),
    );
    expect(await ask('app.info')).toMatchObject({ reply: { ok: true } });
  });

  test('14: no window is opened', async () => {
    await stays(() => app.page.evaluate((url) => void window.open(url), address));
    await stays(() => app.page.evaluate(() => void window.open('app://verisim/index.html')));
  });

  test('15: nothing is handed to the system to open', () => {
    const all = sources(join(checkout, 'main')).join('\n');
    expect(all).not.toMatch(/openExternal|openPath\(/);
  });

  test('16: the Electron that people get is pinned and current', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
      devDependencies: { electron: string };
    };
    expect(Number(/^(\d+)\.\d+\.\d+$/.exec(devDependencies.electron)?.[1])).toBeGreaterThanOrEqual(45);
  });

  test(`17: only our own window’s page is answered: ${PAYLOADS} payloads to every channel from elsewhere are refused, each`, async () => {
    // As tests/ipc/contract.job.test.ts makes them, from each channel's schema.
    const known = { identifiers: () => ['project_1', 'draft_1', 'file_1'], keys: Object.keys(projectShape) };
    const calls = Object.fromEntries(
      channelNames.map((channel) => [channel, fc.sample(payloads(contract[channel].input, known), PAYLOADS)]),
    );
    const file = join(folders.all, 'calls.json');
    writeFileSync(file, JSON.stringify(calls));
    const counts = await app.electron.evaluate(
      async ({ BrowserWindow, app: electronApp }, { path, places }) => {
        const { readFileSync: read } = process.mainModule?.require('fs') as typeof fs;
        const text = read(path, 'utf8');
        const preload = `${electronApp.getAppPath()}/preload/index.js`;
        const found = [];
        for (const place of places) {
          const webPreferences = { preload, sandbox: true, contextIsolation: true };
          const window = new BrowserWindow({ show: false, webPreferences });
          await window.loadURL(place);
          found.push(
            (await window.webContents.executeJavaScript(`new Promise((resolve) => {
              const { transport, takeDropped } = globalThis.verisim;
              const all = JSON.parse(${JSON.stringify(text)});
              const calls = Object.entries(all).flatMap(([channel, inputs]) => inputs.map((input) => [channel, input]));
              // Our own page, which asks too, begins far below.
              const FIRST = 1_000_000;
              const codes = {};
              let [sent, replies] = [0, 0];
              // Some at a time: nothing is to be lost because nobody could be so quick.
              const next = () => {
                for (const [channel, input] of calls.slice(sent, sent + 1000)) {
                  transport.send({ type: 'call', id: FIRST + sent++, channel, input: input ?? null });
                }
              };
              transport.start({
                message({ id, reply }) {
                  if (!(id >= FIRST)) return;
                  const what = reply.ok ? 'answered' : reply.fault.code;
                  codes[what] = (codes[what] ?? 0) + 1;
                  replies += 1;
                  if (replies === calls.length) takeDropped().then((dropped) => resolve({ codes, dropped }));
                  else if (replies === sent) next();
                },
                state: () => undefined,
              });
              next();
            })`)) as { codes: Record<string, number>; dropped: unknown },
          );
          window.destroy();
        }
        return found;
      },
      // Other origins, and our own page in a window that is not ours.
      { path: file, places: ['data:text/html,<p>stranger</p>', 'about:blank', 'app://verisim/index.html'] },
    );
    const refused = { ok: false, fault: { code: 'unsupported' } };
    for (const { codes, dropped } of counts) {
      expect(codes).toEqual({ unsupported: PAYLOADS * channelNames.length });
      expect(dropped).toMatchObject(refused);
    }
    expect(counts).toHaveLength(3);
    expect(await ask('app.info')).toMatchObject({ reply: { ok: true } });
  });

  test('17: messages of our own page that are not of the contract come to nothing', async () => {
    await app.page.evaluate(() => {
      type Bridge = { transport: { send(message: unknown): void } };
      const { transport } = (globalThis as unknown as { verisim: Bridge }).verisim;
      const junk = [
        null,
        1,
        'call',
        [],
        { type: 'call' },
        { type: 'call', id: -1, channel: 1, input: {} },
        { type: 'x' },
      ];
      for (const message of junk) transport.send(message);
    });
    expect(await ask('app.info')).toMatchObject({ reply: { ok: true } });
    expect(await ask('no.such.channel')).toMatchObject({ reply: { ok: false, fault: { code: 'bad_input' } } });
  });

  test('18: the page comes from a scheme of its own, which gives out the built files only', async () => {
    expect(app.page.url()).toMatch(/^app:/);
    const statuses = await app.page.evaluate(() =>
      Promise.all(
        ['/../main/index.js', '/%2e%2e/main/index.js', '/..%2fpackage.json', '//etc/passwd', '/assets/', '/no.js'].map(
          async (path) => (await fetch(`app://verisim${path}`)).status,
        ),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([404]));
  });

  test('19: what is packaged has its fuses set', () => {
    const builder = readFileSync(join(checkout, 'electron-builder.yml'), 'utf8');
    for (const fuse of [
      'runAsNode: false',
      'enableNodeOptionsEnvironmentVariable: false',
      'onlyLoadAppFromAsar: true',
    ]) {
      expect(builder).toContain(fuse);
    }
  });

  test('20: what the page is given has no Electron in it', async () => {
    const shape = await app.page.evaluate(() => {
      type Bridge = Record<string, unknown> & { transport: object };
      const { verisim } = globalThis as unknown as { verisim: Bridge };
      return { bridge: Object.keys(verisim).sort(), transport: Object.keys(verisim.transport).sort() };
    });
    expect(shape).toEqual({ bridge: ['takeDropped', 'transport'], transport: ['close', 'send', 'start'] });
  });
});

test('what a script drops has no path: only a person’s drop makes handles', async () => {
  const taken = await app.page.evaluate(async () => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], '/etc/passwd'));
    dispatchEvent(new DragEvent('drop', { dataTransfer: data }));
    type Bridge = { takeDropped(): Promise<unknown> };
    return (globalThis as unknown as { verisim: Bridge }).verisim.takeDropped();
  });
  expect(taken).toEqual({ ok: true, value: [] });
});

let nextId = 1_000_000;
/** One call over the bridge, beside the page's own. */
function ask(channel: string): Promise<unknown> {
  return app.page.evaluate(
    ({ id, name }) =>
      new Promise((resolve) => {
        type Bridge = { transport: { start(events: object): void; send(message: object): void } };
        const { transport } = (globalThis as unknown as { verisim: Bridge }).verisim;
        transport.start({ message: (raw: { id?: number }) => raw.id === id && resolve(raw), state: () => undefined });
        transport.send({ type: 'call', id, channel: name, input: {} });
      }),
    { id: nextId++, name: channel },
  );
}
