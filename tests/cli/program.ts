/** Runs the command line that tests/support/build.ts has built as a child process, and collects its output. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onSmallDisk } from '../support/small-disk.js';

const root = resolve(import.meta.dirname, '../..');
export const program = join(root, 'dist/cli.js');

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'verisim-cli-'));

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called with everything printed so far, whenever there is more. */
  readonly onOutput?: (output: string, child: ChildProcessWithoutNullStreams) => void;
}

export function verisim(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: options.cwd ?? root,
    env: { ...process.env, NO_COLOR: '1', ...options.environment },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      options.onOutput?.(output.stdout + output.stderr, child);
    });
  }
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => done({ code, ...output }));
  });
}

/** Writes a little English: the same words in a fixed, uneven order. */
export function writeText(folder: string, words = 4000): string {
  const vocabulary = 'the whale sea and ship of a captain wind. Call me upon deep,'.split(' ');
  const text = Array.from({ length: words }, (_, i) => vocabulary[(i * i + 3 * i + (i >> 3)) % vocabulary.length]);
  const file = join(folder, 'input.txt');
  writeFileSync(file, `${text.join(' ')}\n`);
  return file;
}

/** A network that trains in seconds. */
export const smallest = [
  ...['--tokenization', 'char', '--preset', 'none', '--n_layer', '1', '--n_head', '1', '--n_embd', '16'],
  ...['--block_size', '16', '--batch_size', '4', '--threads', '1', '--device', 'cpu'],
] as const;

export const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Fills the disk that is mounted at its first argument, and then runs a program. */
const ON_FULL = `
  const [disk, environment, ...args] = process.argv.slice(1);
  const fs = require('node:fs');
  const handle = fs.openSync(disk + '/filler', 'w');
  try { for (;;) fs.writeSync(handle, Buffer.alloc(4096, 1)); } catch {}
  const env = { ...process.env, ...JSON.parse(environment) };
  fs.writeSync(1, require('node:child_process').spawnSync(process.execPath, args, { env }).stdout);
`;

/**
 * Runs the command line with a full disk mounted at the folder `disk`.
 * @returns the printed lines of JSON; null if nothing may be mounted
 */
export function onFullDisk(disk: string, environment: Readonly<Record<string, string>>, args: readonly string[]) {
  const lines = onSmallDisk(disk, 1, ['-e', ON_FULL, disk, JSON.stringify(environment), program, ...args]);
  return lines && jsonLines(lines.join('\n'));
}
