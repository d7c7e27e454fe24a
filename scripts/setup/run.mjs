// Running other programs: finding them on the PATH without starting them, and collecting what they print.
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * @param {readonly (string | undefined)[]} names
 * @returns {string | null} the path of the first program that is there
 */
export function findProgram(names) {
  for (const name of names) {
    if (!name) continue;
    const places = isAbsolute(name) ? [''] : (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
    for (const place of places) {
      const path = join(place, name);
      try {
        accessSync(path, constants.X_OK);
        if (statSync(path).isFile()) return path;
      } catch {
        // not here
      }
    }
  }
  return null;
}

/**
 * Runs a program to its end, without a shell and without input.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeout?: number, onLine?: (line: string) => void }} [options]
 *   timeout: milliseconds until it is ended; onLine: each line of its output
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>} code 127 when it could not be started
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      ...(options.cwd ? { cwd: options.cwd } : {}),
      env: options.env ?? process.env,
      ...(options.timeout ? { timeout: options.timeout } : {}),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    let pending = '';
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      stdout += text;
      if (!options.onLine) return;
      const lines = (pending + text).split('\n');
      pending = lines.pop() ?? '';
      lines.forEach(options.onLine);
    });
    child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      stderr += text;
    });
    child.on('error', (error) => {
      resolve({ code: 127, stdout, stderr: error.message });
    });
    child.on('close', (code, signal) => {
      resolve({ code: code ?? 1, stdout, stderr: signal ? `${stderr}\nended by ${signal}` : stderr });
    });
  });
}

/**
 * The last lines of a program's output, for an error message.
 * @param {string} text
 * @param {number} [count]
 */
export const lastLines = (text, count = 15) => text.trimEnd().split('\n').slice(-count).join('\n');
