// Electron's security checklist on the app as it is packaged. What a page can try is tried in the installed window (drive.mjs);
// what only the main process knows is read out of the archive, whose files must be those that tests/security has tried.
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, relative } from 'node:path';
import { npmElectron } from '../../setup/shell.mjs';
import { everythingIn } from '../tree.mjs';
import { extractFile } from './tampering.mjs';

/** @typedef {import('./index.mjs').Finding} Finding */
/** @typedef {import('./page.mjs').Page} Page */

/** What a page does, and what must be true of its answer; ADDRESS is a server that answers everybody. */
const attempts = /** @type {const} */ ([
  [
    '1, what is elsewhere is not loaded',
    `Promise.allSettled([
      fetch(ADDRESS),
      new Promise((yes, no) => Object.assign(new Image(), { src: ADDRESS, onload: yes, onerror: no })),
      new Promise((yes, no) => Object.assign(new WebSocket(ADDRESS.replace('http', 'ws')), { onopen: yes, onerror: no })),
      new Promise((yes, no) => document.head.append(
        Object.assign(document.createElement('script'), { src: ADDRESS, onload: yes, onerror: no }))),
    ]).then((all) => all.every(({ status }) => status === 'rejected'))`,
  ],
  [
    '2, no Node',
    `!['require', 'process', 'module', 'Buffer', 'global', 'electron'].some((name) => name in globalThis)`,
  ],
  [
    '3, the preload script is out of reach',
    `(() => { try { verisim.transport = null } catch {} return Object.isFrozen(verisim) && verisim.transport !== null })()`,
  ],
  [
    '5, permissions are refused',
    `(async () => {
      const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'clipboard-read'];
      const asked = await Promise.allSettled(names.map((name) => navigator.permissions.query({ name })));
      const media = await navigator.mediaDevices.getUserMedia({ audio: true }).then(() => true, () => false);
      return !media && asked.every(({ value }) => (value?.state ?? 'denied') === 'denied');
    })()`,
  ],
  [
    '7, the content security policy holds',
    `(async () => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.broken = true';
      document.head.append(script);
      const evaluated = await new Promise((resolve) => setTimeout(() => {
        try { resolve(new Function('return true')()); } catch { resolve(false); }
      }));
      return !('broken' in globalThis) && !evaluated;
    })()`,
  ],
  [
    '11 and 12, no web views',
    `(() => {
      const view = document.createElement('webview');
      view.setAttribute('src', ADDRESS);
      document.body.append(view);
      const plain = !('getWebContentsId' in view);
      view.remove();
      return plain;
    })()`,
  ],
  [
    '13, no way elsewhere',
    `(location.href = ADDRESS, new Promise((go) => setTimeout(() => go(location.protocol === 'app:'), 500)))`,
  ],
  [
    '13, nor to files',
    `(location.href = 'file:///etc/passwd', new Promise((go) => setTimeout(() => go(location.protocol === 'app:'), 500)))`,
  ],
  ['14, no other windows', `window.open(ADDRESS) === null && window.open('app://verisim/index.html') === null`],
  [
    '17, what is not of the contract is not answered',
    `new Promise((go) => {
      const { transport } = verisim;
      for (const junk of [null, 1, 'call', [], { type: 'call' }, { type: 'call', id: -1, channel: 1, input: {} }]) transport.send(junk);
      transport.start({
        message: ({ id, reply }) => id === 9000001 && go(reply.ok === false && reply.fault.code === 'bad_input'),
        state: () => undefined,
      });
      transport.send({ type: 'call', id: 9000001, channel: 'no.such.channel', input: {} });
    })`,
  ],
  [
    '18, the built files and no others',
    `Promise.all(['/../main/index.js', '/%2e%2e/main/index.js', '/..%2fpackage.json', '//etc/passwd', '/assets/', '/no.js'].map(
      async (path) => (await fetch('app://verisim' + path)).status)).then((all) => all.every((status) => status === 404))`,
  ],
  [
    '20, nothing of Electron on the page',
    `Object.keys(verisim).sort().join() === 'takeDropped,transport' &&
      Object.keys(verisim.transport).sort().join() === 'close,send,start'`,
  ],
]);

/**
 * @param {Page} page
 * @returns {Promise<Finding>} all of it in one
 */
export async function tryPage(page) {
  let visits = 0;
  const elsewhere = createServer((_request, response) => {
    visits += 1;
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end('elsewhere');
  });
  await new Promise((resolve) => elsewhere.listen(0, '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (elsewhere.address());
  const failed = [];
  for (const [name, attempt] of attempts) {
    const code = attempt.replaceAll('ADDRESS', `'http://127.0.0.1:${String(port)}/'`);
    const answer = await page.evaluate(code).catch((/** @type {unknown} */ error) => String(error));
    if (answer !== true) failed.push(`${name} (${String(answer)})`);
  }
  elsewhere.close();
  if (visits > 0) failed.push(`${String(visits)} requests went out`);
  return {
    name: `Electron's checklist from its page: ${String(attempts.length)} attempts`,
    passed: failed.length === 0,
    detail: failed.join('; '),
  };
}

/** Never given to a page, and never called: items 6, 8, 9, 10 and 15. */
const never =
  /webSecurity:\s*(false|!1)|allowRunningInsecureContent:\s*(true|!0)|experimentalFeatures:\s*(true|!0)|enableBlinkFeatures|openExternal|openPath\(/;

/**
 * @param {string} root the checkout
 * @param {string} unpacked the packaged app's folder
 * @returns {Finding[]}
 */
export function readArchive(root, unpacked) {
  const archive = join(unpacked, 'resources/app.asar');
  const built = join(root, 'dist/app');
  const other = everythingIn(built)
    .filter(({ kind }) => kind === 'file')
    .map(({ path }) => relative(built, path))
    .filter((name) => {
      // What electron-builder writes anew, and what only the build reads.
      if (name === 'package.json' || name === 'build.json') return false;
      try {
        return !extractFile(archive, name).equals(readFileSync(join(built, name)));
      } catch {
        return true;
      }
    });
  const scripts = ['main', 'preload'].flatMap((folder) =>
    readdirSync(join(built, folder))
      .filter((name) => /\.c?js$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const bad = scripts.flatMap((name) => never.exec(extractFile(archive, name).toString()) ?? []);
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const packaged = readFileSync(join(unpacked, 'version'), 'utf8').trim().replace(/^v/, '');
  const isPinned = packaged === devDependencies.electron;
  return [
    {
      name: 'what is packaged is what tests/security tries, byte for byte',
      passed: other.length === 0,
      detail: other.slice(0, 5).join(' '),
    },
    { name: '6, 8, 9, 10, 15: nothing lowers the guard', passed: bad.length === 0, detail: bad.slice(0, 3).join(' ') },
    {
      name: '16: the Electron that is pinned',
      // Where it cannot be fetched, the one of the tests stands in, and this says so.
      passed: isPinned || npmElectron(root) === null,
      detail: isPinned ? packaged : `${packaged} of the tests, in place of ${devDependencies.electron}`,
    },
  ];
}
