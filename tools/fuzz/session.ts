/** Runs the cases of a subject in processes of their own, measures what seemed costly again, and gathers what is wrong. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { casesOf } from './cases.js';
import { type Limits, limits, type LoadedFile, type Measured, type Message } from './protocol.js';
import { compareWithPython } from './python.js';
import { loadSubject } from './subjects/index.js';

/** Something that a reader does which it must not. */
export interface Finding {
  readonly subject: string;
  readonly seed: number;
  /** Which case; null for a file that is shown itself. */
  readonly index: number;
  readonly what: string;
  readonly why: string;
}

export interface SessionResult {
  readonly cases: number;
  readonly loaded: number;
  /** How many files that were read judge.py read again. */
  readonly readAgain: number;
  /** The costliest case: milliseconds of processor time, and bytes, of those measured by themselves. */
  readonly slowest: number;
  readonly largest: number;
  readonly findings: readonly Finding[];
}

interface Range {
  readonly subject: string;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** Of cuts, changed bytes and random damage, only every so many. */
  readonly every?: number;
  /** How long nothing may be heard of a case, in milliseconds. */
  readonly silence?: number;
}

/** No case takes a hundredth of this; a machine that is busy with other things may. */
const SILENCE_MS = 120_000;
/** Far above what a reader may take: what reaches it ends the process, which is then a finding. */
const HEAP_MB = 512;
/** A measure that is too large may be the machine's doing; one that always is, is not. */
const ATTEMPTS = 3;
/** No seed has a tenth of these in one subject; measuring thousands would take hours and say nothing of the readers. */
const MAX_SUSPECTS = 200;

/** Runs cases `from` to `to`, or some of them. @param child the bundled child.ts */
export async function runCases(
  child: string,
  { subject, seed, from, to, every = 1, silence = SILENCE_MS }: Range,
): Promise<SessionResult> {
  const findings: Finding[] = [];
  const loadedFiles: (LoadedFile & { readonly index: number })[] = [];
  const totals = { cases: 0, loaded: 0, slowest: 0, largest: 0 };
  let measuredCases = 0;
  const note = (index: number, what: string, why: string) => findings.push({ subject, seed, index, what, why });

  for (let next = from; next < to;) {
    let at = next;
    let cases = 0;
    const suspects: number[] = [];
    const ended = await runChild(
      child,
      ['run', subject, ...[seed, next, to, every].map(String)],
      silence,
      (message) => {
        if ('at' in message) [at, cases] = [message.at, cases + 1];
        if ('wrong' in message) note(message.wrong, message.what, message.why);
        if ('suspect' in message) suspects.push(message.suspect);
        if ('loaded' in message) loadedFiles.push({ ...message.loaded, index: at });
        if ('counts' in message) {
          totals.loaded += message.counts.loaded;
          if (suspects.length === 0) totals.slowest = Math.max(totals.slowest, message.counts.slowest);
        }
      },
    );
    totals.cases += cases;
    if (ended !== null) suspects.push(at);
    for (const index of new Set(suspects)) {
      if (++measuredCases > MAX_SUSPECTS)
        throw new Error(
          `more than ${MAX_SUSPECTS} cases of ${subject} (seed ${seed}) looked costly, case ${index} last`,
        );
      const { what, why, cpu, growth } = await measured(child, subject, seed, index, silence);
      if (why !== null) note(index, what, why);
      totals.slowest = Math.max(totals.slowest, cpu);
      totals.largest = Math.max(totals.largest, growth);
    }
    // A process that ends by itself without a suspect has run all of them.
    next = suspects.length === 0 ? to : at + 1;
  }
  const { readAgain, differences } = await compareWithPython(subject, loadedFiles);
  for (const { file, why } of differences) note(file.index, file.name, why);
  return { ...totals, readAgain, findings };
}

/** What one case costs by itself, the least of a few attempts; what was done to the file, and what is wrong. */
export async function measured(
  child: string,
  subject: string,
  seed: number,
  index: number,
  silence = SILENCE_MS,
): Promise<Measured & { readonly what: string; readonly why: string | null }> {
  const { subject: own, place } = await loadSubject(subject);
  const { what, name, bytes } = casesOf(own, place, seed).at(index);
  const folder = mkdtempSync(join(tmpdir(), 'verisim-fuzz-'));
  try {
    const file = join(folder, 'case');
    writeFileSync(file, bytes);
    return { what, ...(await leastOf(child, [subject, file, name], own.limits ?? limits, silence)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function leastOf(
  child: string,
  file: readonly string[],
  allowed: Limits,
  silence: number,
): Promise<Measured & { readonly why: string | null }> {
  let best: Measured = { cpu: Infinity, growth: Infinity, result: '' };
  let why: string | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let found: Measured | null = null;
    const ended = await runChild(child, ['measure', ...file], silence, (message) => {
      if ('measured' in message) found = message.measured;
    });
    if (found === null) return { ...best, cpu: 0, growth: 0, why: ended ?? 'its process ended' };
    const { cpu, growth, result } = found as Measured;
    best = { result, cpu: Math.min(best.cpu, cpu), growth: Math.min(best.growth, growth) };
    why =
      best.cpu > allowed.cpuMs
        ? `it takes ${best.cpu.toFixed(0)} ms of processor time`
        : best.growth > allowed.memory
          ? `it takes ${(best.growth / 2 ** 20).toFixed(0)} MB of memory`
          : null;
    if (why === null) break;
  }
  return { ...best, why };
}

/** @returns null when it came to its end, or how it did not */
async function runChild(
  child: string,
  args: readonly string[],
  silence: number,
  hear: (message: Message) => void,
): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'verisim-fuzz-'));
  try {
    return await new Promise((resolve, reject) => {
      const flags = ['--expose-gc', `--max-old-space-size=${HEAP_MB}`, '--enable-source-maps'];
      const running = spawn(process.execPath, [...flags, child, ...args, folder], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let isDone = false;
      let hung = false;
      let errors = '';
      let waiting: NodeJS.Timeout | undefined;
      const heard = () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
          hung = true;
          running.kill('SIGKILL');
        }, silence);
      };
      heard();
      running.stderr.on('data', (data: Buffer) => {
        errors = (errors + data.toString()).slice(-4000);
      });
      const lines = createInterface({ input: running.stdout });
      lines.on('line', (line) => {
        heard();
        const message = JSON.parse(line) as Message;
        if ('done' in message) isDone = true;
        else hear(message);
      });
      running.on('error', reject);
      running.on('close', (code, signal) => {
        clearTimeout(waiting);
        if (isDone && code === 0) resolve(null);
        else if (hung) resolve('it hangs');
        else resolve(`its process ends (${signal ?? String(code)}): ${errors.trim().slice(-1500)}`);
      });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
