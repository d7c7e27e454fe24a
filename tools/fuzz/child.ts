/**
 * The process in which cases run, so that one that crashes or hangs takes nothing else with it. It prints the number of
 * each case before it runs it, then whatever is wrong with it. Run by session.ts:
 *
 *     node --expose-gc child.js run SUBJECT SEED FROM TO EVERY FOLDER   many cases, quickly; what looks costly is a suspect
 *     node --expose-gc child.js measure SUBJECT FILE NAME FOLDER        one file by itself: the time and memory that it takes.
 *                                                                   Made elsewhere, as making it may take more than reading
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { faultSchema, UserError } from '../../shared/errors.js';
import { forgetPeak, peakMemory } from '../support/peak-memory.js';
import { type Case, type Cases, casesOf, some } from './cases.js';
import { limits, type Message } from './protocol.js';
import { slowness } from './slowness.js';
import { type Subject, unknown } from './subject.js';
import { loadSubject } from './subjects/index.js';

const [mode = '', subjectName = '', ...rest] = process.argv.slice(2);
const folder = rest.at(-1) ?? '';
const collectGarbage = (globalThis as { readonly gc?: () => void }).gc ?? (() => undefined);

/** At once, so that it is heard even when the next thing ends the process. A pipe may take only a part of it, or nothing yet. */
function say(message: Message): void {
  const line = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let done = 0; done < line.length;) {
    try {
      done += fs.writeSync(1, line, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** What a file may not touch: the properties of every object's prototypes. */
const prototypes = [Object, Array, Map, Set, String, Number, Function, Uint8Array, Promise, Error].map(
  (one) => one.prototype as object,
);
const shapeOf = (): string => prototypes.map((one) => Reflect.ownKeys(one).map(String).join()).join(';');
const untouched = shapeOf();

/** The longest message for a person, the paths in it aside. */
const MAX_MESSAGE = 700;

/** What is in the good files. */
const undamaged = new Set<string>();

type Outcome = { readonly loaded: string } | { readonly refused: UserError } | { readonly wrong: string };

async function outcomeOf(subject: Subject, { bytes, name }: Pick<Case, 'bytes' | 'name'>): Promise<Outcome> {
  try {
    return { loaded: await subject.read(bytes, name, folder) };
  } catch (error) {
    if (error instanceof UserError) return { refused: error };
    return { wrong: `it throws ${error instanceof Error ? (error.stack ?? error.message) : String(error)}` };
  }
}

/** What is wrong with the outcome, in words; null when nothing is. */
async function judge(subject: Subject, one: Case, outcome: Outcome): Promise<string | null> {
  if ('wrong' in outcome) return outcome.wrong;
  if (shapeOf() !== untouched) return 'it changed an object’s prototype';
  if (fs.existsSync(path.join(folder, 'was-run'))) return 'it ran what the file says';
  if ('refused' in outcome) {
    if (one.kind === 'sample' || one.kind === 'burden') return `it refuses a good file: ${outcome.refused.message}`;
    const fault = faultSchema.safeParse(outcome.refused.toFault());
    if (!fault.success || fault.data.hint === '' || fault.data.code === 'internal')
      return 'its error is not one of ours';
    const words = `${fault.data.message} ${fault.data.hint}`.replaceAll(folder, '');
    return words.length > MAX_MESSAGE ? `its message has ${words.length} characters` : null;
  }
  if (one.kind === 'bomb') return 'it reads a file that it must refuse';
  if (subject.again === 'python') {
    say({ loaded: { name: one.name, bytes: one.bytes.toString('base64'), value: outcome.loaded } });
    return null;
  }
  // What is said twice in a file can be damaged in one place, and the readers may trust another one each.
  if (one.kind !== 'sample' && undamaged.has(outcome.loaded)) return null;
  const expected = await subject.again(one.bytes, one.name);
  if (expected === outcome.loaded || expected === unknown) return null;
  return expected === null
    ? 'it reads a file in which a second reader finds nothing to read'
    : `it reads ${outcome.loaded.slice(0, 300)}, a second reader ${expected.slice(0, 300)}`;
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** How much more the process may have before garbage is collected. */
const SLACK = limits.memory / 8;

/** @returns what the process has without garbage, and how much of that V8 has free, which a case may use unnoticed */
function settled(): { readonly before: number; readonly free: number } {
  collectGarbage();
  const { total_physical_size: held, used_heap_size: used } = getHeapStatistics();
  return { before: process.memoryUsage.rss(), free: held - used + SLACK };
}

async function run(subject: Subject, cases: Cases, indices: Iterable<number>): Promise<void> {
  await warmUp(subject);
  const allowed = subject.limits ?? limits;
  let { before, free } = settled();
  const counts = { cases: 0, loaded: 0, slowest: 0 };
  for (const index of indices) {
    say({ at: index });
    const one = cases.at(index);
    if (process.memoryUsage.rss() - before > SLACK) ({ before, free } = settled());
    forgetPeak();
    const cpuBefore = process.cpuUsage();
    const outcome = await outcomeOf(subject, one);
    const cpu = cpuMs(cpuBefore);
    const growth = peakMemory() - before;
    const wrong = await judge(subject, one, outcome);
    if (wrong !== null) say({ wrong: index, why: wrong, what: one.what });
    const looksCostly = cpu > allowed.cpuMs || growth + free > allowed.memory;
    if (looksCostly) say({ suspect: index });
    counts.cases++;
    if ('loaded' in outcome) counts.loaded++;
    counts.slowest = Math.max(counts.slowest, cpu);
    // V8 gives memory back when it has time to: until then every case would look costly, and each of thousands be
    // measured by itself. The next one begins in a new process.
    if (looksCostly) break;
    if (index % 64 === 0) await setImmediate();
  }
  say({ counts });
}

/** Reads the good files, so that what is loaded and compiled once is not counted. */
async function warmUp(subject: Subject): Promise<void> {
  for (const sample of subject.samples) {
    for (let i = 0; i < 3; i++) {
      const outcome = await outcomeOf(subject, sample);
      if ('loaded' in outcome) undamaged.add(outcome.loaded);
    }
  }
  // Twice, as what the first finds unused is given back to the system afterwards.
  for (let i = 0; i < 2; i++) {
    collectGarbage();
    await setImmediate();
  }
}

async function measure(subject: Subject, file: string, name: string): Promise<void> {
  const bytes = fs.readFileSync(file);
  await warmUp(subject);
  forgetPeak();
  const atFirst = process.memoryUsage.rss();
  const before = process.cpuUsage();
  const outcome = await outcomeOf(subject, { bytes, name });
  const [spent, growth] = [cpuMs(before), Math.max(0, peakMemory() - atFirst)];
  const cpu = spent / slowness();
  const result = 'refused' in outcome ? outcome.refused.message : 'loaded' in outcome ? 'loaded' : outcome.wrong;
  say({ measured: { cpu, growth, result: result.replaceAll(folder, '') } });
}

const { subject, place } = await loadSubject(subjectName);
if (mode === 'run') {
  const [seed = 0, from = 0, to = 0, every = 1] = rest.map(Number);
  const cases = casesOf(subject, place, seed);
  await run(subject, cases, some(cases, from, to, every));
} else {
  const [file = '', name = ''] = rest;
  await measure(subject, file, name);
}
say({ done: true });
