/** A small program in the real Electron, on a display of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { electronProgram } from '../../main/installation/locations.mjs';
import { startDisplay } from '../e2e/support/display.js';

/**
 * @param files by name; `main.js` is what Electron runs, and prints `ANSWER` with JSON behind it
 * @param milliseconds after which it is killed
 * @returns what it answered; null where it did not
 */
export async function inElectron(
  files: Readonly<Record<string, string>> & { readonly 'main.js': string },
  milliseconds = 100_000,
): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-electron-'));
  const all = { ...files, 'package.json': '{"name":"tried","version":"1.0.0","main":"main.js"}' };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  try {
    const env = { ...process.env, DISPLAY: await startDisplay() };
    const args = ['--no-sandbox', `--user-data-dir=${join(folder, 'data')}`, folder];
    const electron = spawn(electronProgram(), args, {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: milliseconds,
    });
    let output = '';
    electron.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await new Promise((resolve) => electron.once('close', resolve));
    return JSON.parse(/ANSWER (.*)/.exec(output)?.[1] ?? 'null');
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
