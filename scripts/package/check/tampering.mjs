// Changed copies of the packaged app, and ways around it: each must be refused, and say what it was that was changed. First the
// untampered app must start and find itself whole, and in each way around it its window must come: what never starts passes nothing.
import { spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runtimeFolder } from '../about.mjs';
import { readRuntime } from '../runtime.mjs';
import { copyTree } from '../tree.mjs';

/** @typedef {import('./index.mjs').Finding} Finding */

/** What electron-builder, whose package it is, makes the archive with. */
export const { extractFile } = /** @type {{ extractFile(archive: string, name: string): Buffer }} */ (
  createRequire(createRequire(import.meta.url).resolve('electron-builder'))('@electron/asar')
);

/** Exit code of main/index.ts where files were changed. */
const DAMAGED = 3;
const MOST_SECONDS = 180;
const SHOWN = 'Window shown.';

/**
 * One byte is another: in the middle, or in the middle of a part of it that is there word for word.
 * @param {string} path
 * @param {Buffer} [part]
 */
function change(path, part) {
  // A file of its own: it may be a link to the one that is packaged.
  cpSync(path, `${path}.own`);
  rmSync(path);
  cpSync(`${path}.own`, path);
  rmSync(`${path}.own`);
  const file = openSync(path, 'r+');
  const begins = part ? readFileSync(path).indexOf(part) : 0;
  if (begins < 0) throw new Error(`${path} does not hold the part that is to be changed`);
  const at = begins + Math.floor((part ? part.length : statSync(path).size) / 2);
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
  closeSync(file);
}

/**
 * Starts the program until it ends, or has done what is waited for, or time is over.
 * @param {string} folder
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {string} home
 * @param {(said: string) => boolean} [done] whether it has; never: until it ends
 * @returns {Promise<{ code: number | null, said: string, done: boolean }>} code null: it was still running
 */
async function startOnce(folder, args, env, home, done = () => false) {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn('xvfb-run', ['-a', join(folder, 'verisim'), ...sandbox, ...args], {
    env: {
      ...process.env,
      HOME: home,
      XDG_DATA_HOME: join(home, 'data'),
      XDG_CONFIG_HOME: join(home, 'config'),
      VERISIM_HOME: home,
      VERISIM_TIMINGS: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  let hasEnded = false;
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.once('exit', (code) => {
      hasEnded = true;
      resolve(code);
    });
  });
  const end = performance.now() + MOST_SECONDS * 1000;
  while (!hasEnded && !done(said) && performance.now() < end) await sleep(200);
  if (!hasEnded) process.kill(-(child.pid ?? 0), 'SIGKILL');
  const code = await ended;
  // Its last words may still be on the way; its screen keeps the pipe open, so its end is not waited for.
  await sleep(300);
  return { code, said, done: done(said) };
}

/**
 * The untampered app: its window comes, and it finds itself whole (main/app/installed/installation.ts keeps that it did).
 * @param {string} unpacked
 * @param {string} home
 * @returns {Promise<Finding>}
 */
async function tryUntampered(unpacked, home) {
  const stamp = join(home, 'data/verisim/window/installation.json');
  const { code, said, done } = await startOnce(unpacked, [], {}, home, (so) => so.includes(SHOWN) && existsSync(stamp));
  return {
    name: 'untampered it starts and finds itself whole',
    passed: done,
    detail: done ? '' : `exit code ${String(code)}: ${said.slice(-300)}`,
  };
}

/**
 * The files that are changed, by the lists in the package itself.
 * @param {string} unpacked
 * @returns {Record<string, string>}
 * @throws where it has none of them
 */
function targets(unpacked) {
  const archive = 'resources/app.asar';
  const { files: own } = JSON.parse(extractFile(join(unpacked, archive), 'files.json').toString());
  const inRuntime = Object.keys(readRuntime(unpacked).files).map((name) => `${runtimeFolder}/${name}`);
  const listed = (/** @type {string} */ ending) => {
    const name = [...Object.keys(own), ...inRuntime].find((file) => file.endsWith(ending));
    if (name === undefined) throw new Error(`the package lists no ${ending}`);
    return name;
  };
  return {
    library: listed('/libtensorflow_framework.so.2'),
    binding: listed('/tfjs_binding.node'),
    list: `${runtimeFolder}/runtime.json`,
    archive,
    trainer: archive,
    own: listed('libffmpeg.so'),
  };
}

/**
 * @param {string} unpacked the packaged app's folder
 * @returns {Promise<Finding[]>}
 */
export async function tryTampering(unpacked) {
  const place = mkdtempSync(join(tmpdir(), 'verisim-tampering-'));
  /** @type {Finding[]} */
  const findings = [];
  try {
    findings.push(await tryUntampered(unpacked, join(place, 'home-untampered')));
    for (const [name, file] of Object.entries(targets(unpacked))) {
      const folder = join(place, name);
      copyTree(unpacked, folder);
      change(join(folder, file), name === 'trainer' ? extractFile(join(folder, file), 'main/trainer.js') : undefined);
      const { code, said } = await startOnce(folder, [], {}, join(place, `home-${name}`));
      findings.push({
        name: `changed ${file}${name === 'trainer' ? ', in its trainer,' : ''} is refused and named`,
        passed: code === DAMAGED && said.includes(file),
        detail: code === DAMAGED ? '' : `exit code ${String(code)}: ${said.slice(-300)}`,
      });
      rmSync(folder, { recursive: true });
    }
    const mark = 'tampering-mark';
    const script = `console.log(${JSON.stringify(mark)}.toUpperCase()); process.exit(0)`;
    const ways = {
      ELECTRON_RUN_AS_NODE: { args: ['-e', script], env: { ELECTRON_RUN_AS_NODE: '1' } },
      NODE_OPTIONS: { args: [], env: { NODE_OPTIONS: `--require ${join(place, 'mark.js')}` } },
      '--inspect': { args: ['--inspect=127.0.0.1:19229'], env: {} },
    };
    writeFileSync(join(place, 'mark.js'), script);
    for (const [name, { args, env }] of Object.entries(ways)) {
      const begun = (/** @type {string} */ so) => so.includes(SHOWN);
      const { code, said, done } = await startOnce(unpacked, args, env, join(place, `home-${name}`), begun);
      const got = said.includes(mark.toUpperCase()) || said.includes('Debugger listening');
      const passed = done && !got;
      const detail = passed ? '' : `${got ? 'it works' : `no window, exit code ${String(code)}`}: ${said.slice(-300)}`;
      findings.push({ name: `${name} does nothing, the app starts`, passed, detail });
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  return findings;
}
