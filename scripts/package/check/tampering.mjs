// Changed copies of the packaged app, and ways around it: each must be refused, and say what it was that was changed.
import { spawn } from 'node:child_process';
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyTree } from '../tree.mjs';

/** @typedef {import('./index.mjs').Finding} Finding */

/** What electron-builder, whose package it is, makes the archive with. */
export const { extractFile } = /** @type {{ extractFile(archive: string, name: string): Buffer }} */ (
  createRequire(createRequire(import.meta.url).resolve('electron-builder'))('@electron/asar')
);

/** Exit code of main/index.ts where files were changed. */
const DAMAGED = 3;
const MOST_SECONDS = 90;

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
  const at = part
    ? readFileSync(path).indexOf(part) + Math.floor(part.length / 2)
    : Math.floor(statSync(path).size / 2);
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
  closeSync(file);
}

/**
 * Starts the program until it ends, or says something, or time is over.
 * @param {string} folder
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {string} home
 * @param {number} seconds
 * @returns {Promise<{ code: number | null, said: string }>} code null: it was still running
 */
function startOnce(folder, args, env, home, seconds) {
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
  return new Promise((resolve) => {
    const end = setTimeout(() => {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      resolve({ code: null, said });
    }, seconds * 1000);
    child.on('exit', (code) => {
      clearTimeout(end);
      resolve({ code, said });
    });
  });
}

/**
 * @param {string} unpacked the packaged app's folder
 * @returns {Promise<Finding[]>}
 */
export async function tryTampering(unpacked) {
  const place = mkdtempSync(join(tmpdir(), 'verisim-tampering-'));
  /** @type {Finding[]} */
  const findings = [];
  const library = 'resources/runtime/tensorflow-2.21.0-cpu/deps/lib/libtensorflow_framework.so.2';
  const binding = 'resources/runtime/tensorflow-2.21.0-cpu/lib/napi-v8/tfjs_binding.node';
  try {
    for (const [name, file] of Object.entries({
      library,
      binding,
      archive: 'resources/app.asar',
      trainer: 'resources/app.asar',
      own: 'libffmpeg.so',
    })) {
      const folder = join(place, name);
      copyTree(unpacked, folder);
      change(join(folder, file), name === 'trainer' ? extractFile(join(folder, file), 'main/trainer.js') : undefined);
      const { code, said } = await startOnce(folder, [], {}, join(place, `home-${name}`), MOST_SECONDS);
      findings.push({
        name: `changed ${file}${name === 'trainer' ? ', in its trainer,' : ''} is refused and named`,
        passed: code === DAMAGED && said.includes(file),
        detail: code === DAMAGED ? '' : `exit code ${String(code)}: ${said.slice(-300)}`,
      });
      rmSync(folder, { recursive: true });
    }
    const home = join(place, 'home');
    const mark = 'tampering-mark';
    const script = `console.log(${JSON.stringify(mark)}.toUpperCase()); process.exit(0)`;
    const ways = {
      ELECTRON_RUN_AS_NODE: { args: ['-e', script], env: { ELECTRON_RUN_AS_NODE: '1' } },
      NODE_OPTIONS: { args: [], env: { NODE_OPTIONS: `--require ${join(place, 'mark.js')}` } },
      '--inspect': { args: ['--inspect=127.0.0.1:19229'], env: {} },
    };
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(place, 'mark.js'), script);
    for (const [name, { args, env }] of Object.entries(ways)) {
      const { said } = await startOnce(unpacked, args, env, home, 15);
      const got = said.includes(mark.toUpperCase()) || said.includes('Debugger listening');
      findings.push({ name: `${name} does nothing`, passed: !got, detail: got ? said.slice(-300) : '' });
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  return findings;
}
