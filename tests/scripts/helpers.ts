/**
 * What the tests of the set-up share: a folder that goes away, a report that keeps its lines, and the scripts run as a
 * person runs them, with a chosen PATH and cache folder.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Report, textOf } from '../../scripts/setup/report.mjs';
import { findProgram } from '../../scripts/setup/run.mjs';

export const checkout = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface KeptReport extends Report {
  readonly lines: string[];
  /** Bytes done at each progress call. */
  readonly progressed: number[];
}

export function keptReport(): KeptReport {
  const lines: string[] = [];
  const progressed: number[] = [];
  return {
    lines,
    progressed,
    say: (text) => void lines.push(typeof text === 'string' ? text : textOf(text)),
    progress: (_label, done) => void progressed.push(done),
  };
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}

/** Runs a script of the checkout in a process of its own. An environment variable set to undefined is left out. */
export function runScript(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> {
  const started = performance.now();
  const env: NodeJS.ProcessEnv = { ...process.env, CI: undefined, VERISIM_TENSORFLOW: undefined, ...environment };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...args], { cwd: checkout, env }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, stdout, stderr, seconds: (performance.now() - started) / 1000 });
    });
  });
}

/** Seconds that Node takes for nothing on a machine of its own, and not a fast one. */
const NOTHING = 0.1;

/**
 * A run, and what it would take on a machine of its own: others use this one too, and make a program that does nothing as much
 * slower. Of a few runs the quickest counts, no more of them than it takes.
 * @param limit seconds
 */
export async function quickest(limit: number, run: () => Promise<Ended>): Promise<Ended> {
  const once = async (): Promise<Ended> => {
    const ended = await run();
    return { ...ended, seconds: ended.seconds / Math.max(1, (await runScript(['-e', ''])).seconds / NOTHING) };
  };
  let best = await once();
  for (let tries = 1; tries < 5 && best.seconds >= limit; tries++) {
    const next = await once();
    if (next.seconds < best.seconds) best = next;
  }
  return best;
}

/** A PATH on which only these programs of this machine are found (name to where it really is). */
export function pathWith(programs: readonly string[]): string {
  const folder = join(temporaryFolder(), 'bin');
  mkdirSync(folder);
  for (const name of programs) {
    const real = findProgram([name]);
    if (real === null) throw new Error(`this test needs ${name}`);
    symlinkSync(real, join(folder, name));
  }
  return folder;
}
