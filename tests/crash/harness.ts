/**
 * Interrupts the small project (project.ts) in processes of their own and compares what it ends with to an
 * uninterrupted run. Used by the tests here and by `npm run crash`.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { z } from 'zod';
import { initialWeights } from '../../main/engine/model/model.js';
import { writeHuggingFaceModel } from '../../main/formats/huggingface.js';
import { bundledPackages } from '../../scripts/setup/bundled-packages.mjs';
import { requireTensorflow } from '../../scripts/setup/require-tensorflow.mjs';
import { faultSchema } from '../../shared/errors.js';
import { tinyLlama } from '../support/engine.js';
import { writeLongWords } from '../support/long-words.js';
import { temporaryRoot } from '../support/temporary-root.js';
import type { Orders } from './child.js';
import { differences, fingerprint, type CrashKind } from './project.js';

const lineSchema = z.union([
  z.object({ place: z.string() }),
  z.object({ ended_at: z.string() }),
  z.object({ done: z.literal(true), operations: z.object({ all: z.int(), results: z.int() }) }),
  z.object({ fault: faultSchema, stack: z.string().nullable() }),
]);

/** How a process ended. */
export interface Ending {
  readonly places: readonly string[];
  /** Where it ended as ordered. */
  readonly endedAt: string | null;
  /** Changes of the disk, when the project was finished. */
  readonly finished: { readonly all: number; readonly results: number } | null;
  readonly killed: boolean;
  readonly milliseconds: number;
}

export interface Workshop {
  readonly folder: string;
  /** A fresh path for a project. */
  newProject(): string;
  /** Runs the project on, to where the orders end it. @throws Error when it ended in a way that it must not */
  run(project: string, orders?: Orders, killAfterMs?: number): Promise<Ending>;
  /** The uninterrupted run. */
  readonly whole: Ending;
  /** @throws Error naming which files differ from the uninterrupted run's */
  mustEqualWhole(project: string, story: string): void;
  dispose(): void;
}

const words = ['the', 'whale', 'sea', 'and', 'ship', 'of', 'a', 'captain', 'wind.', 'Call', 'me', 'upon', 'deep,'];
const shortWords = Array.from({ length: 600 }, (_, i) => words[(i * i + 3 * i + (i >> 3)) % words.length]).join(' ');

/** Bundles the child and runs the project once, whole. In memory where the system has a folder for that. */
export async function openWorkshop(kind: CrashKind = 'scratch'): Promise<Workshop> {
  const folder = mkdtempSync(join(temporaryRoot, 'verisim-crash-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'child.mjs');
  await build({
    absWorkingDir: resolve('.'),
    entryPoints: ['tests/crash/child.ts'],
    outfile: program,
    bundle: true,
    packages: 'external',
    alias: bundledPackages,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    plugins: [requireTensorflow(resolve('.'))],
  });
  const { data_path: text, tokenizer_path } = writeLongWords(folder);
  mkdirSync(join(folder, 'projects'));
  const model = join(folder, 'model');
  const untaught = join(folder, 'untaught');
  if (kind === 'adapted') writeModel(model, readFileSync(tokenizer_path, 'utf8'), 13);
  if (kind === 'taught') {
    // Its tokens are a part of those that its critic has, which are of bytes.
    writeFileSync(text, shortWords);
    writeModel(untaught, smollmTokenizer(), 330);
  }
  let count = 0;

  const run: Workshop['run'] = (project, orders, killAfterMs) =>
    runChild([project, text, model, kind], orders, killAfterMs);
  async function runChild(what: readonly string[], orders: Orders = {}, killAfterMs?: number): Promise<Ending> {
    const started = performance.now();
    const child = spawn(process.execPath, [program, ...what, JSON.stringify(orders)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // What a killed process leaves among temporary files goes with the workshop.
      env: { ...process.env, TF_CPP_MIN_LOG_LEVEL: '3', TMPDIR: folder },
    });
    const timer = killAfterMs === undefined ? null : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (more: string) => (output += more));
    child.stderr.setEncoding('utf8').on('data', (more: string) => (errors += more));
    const signal = await new Promise<string | null>((done, failed) => {
      child.on('error', failed).on('close', (_, by) => done(by));
    });
    if (timer) clearTimeout(timer);
    const lines = output
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => lineSchema.parse(JSON.parse(line)));
    const places = lines.flatMap((line) => ('place' in line ? line.place : []));
    const endedAt = lines.flatMap((line) => ('ended_at' in line ? line.ended_at : []))[0] ?? null;
    const finished = lines.flatMap((line) => ('done' in line ? line.operations : []))[0] ?? null;
    const [failure] = lines.flatMap((line) => ('fault' in line ? line : []));
    const mayStop = orders.end === 'stop' && failure?.fault.code === 'stopped';
    const killed = signal === 'SIGKILL';
    if (!killed && finished === null && !mayStop) {
      throw new Error(`the process failed: ${failure?.stack ?? errors} (its orders: ${JSON.stringify(orders)})`);
    }
    return { places, endedAt, finished, killed, milliseconds: performance.now() - started };
  }
  if (kind === 'taught') await runChild([model, text, untaught, 'teacher']);

  const newProject = () => join(folder, 'projects', String(++count), 'book');
  const wholeProject = newProject();
  const whole = await run(wholeProject);
  const wanted = fingerprint(wholeProject);
  return {
    folder,
    newProject,
    run,
    whole,
    mustEqualWhole(project, story) {
      const different = differences(fingerprint(project), wanted);
      if (different.length === 0) return;
      const events = readFileSync(join(project, 'events.jsonl'), 'utf8');
      throw new Error(`${different.join('; ')}\n${story}\n${events.slice(-4000)}`);
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** One that has learned nothing, in the form that others publish theirs in. */
function writeModel(folder: string, tokenizer: string, vocab_size: number): void {
  mkdirSync(folder);
  const config = { ...tinyLlama, vocab_size };
  const files = writeHuggingFaceModel(config, initialWeights(config, 3));
  writeFileSync(join(folder, 'config.json'), files['config.json']);
  writeFileSync(join(folder, 'model.safetensors'), Buffer.concat([...files['model.safetensors']]));
  writeFileSync(join(folder, 'tokenizer.json'), tokenizer);
}

function smollmTokenizer(): string {
  const { smollm } = JSON.parse(readFileSync(resolve('tests/engine/tokenizer/pretrained-cases.json'), 'utf8')) as {
    readonly smollm: { readonly tokenizer: object };
  };
  return JSON.stringify(smollm.tokenizer);
}

/** Ends one process after the other, each at the next of `points`, until the project is finished. */
export async function interruptAt(
  workshop: Workshop,
  points: readonly string[],
  end: 'stop' | 'kill',
  onPoint: (point: string) => void = () => undefined,
): Promise<readonly string[]> {
  const project = workshop.newProject();
  const seen = workshop.whole.places.filter((place) => !points.includes(place));
  const met: string[] = [];
  for (;;) {
    const { endedAt, finished } = await workshop.run(project, { end, seen: [...seen, ...met] });
    if (endedAt !== null) {
      met.push(endedAt);
      onPoint(endedAt);
    }
    if (finished !== null) break;
    if (endedAt === null) throw new Error(`it ended before ${points.find((point) => !met.includes(point)) ?? ''}`);
  }
  workshop.mustEqualWhole(project, `${end} at: ${met.join(', ')}`);
  rmSync(project, { recursive: true });
  return met;
}

export type Random = () => number;

/** A repeatable sequence of numbers in [0, 1) (a linear congruential generator; any would do here). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/**
 * Kills the project `kills` times, in half of the cases inside the writing of checkpoints and reward data, then lets it
 * finish. A third of the kills are followed by one during the recovery from them, and that one by another.
 * @returns how many processes were really killed
 */
export async function killOften(workshop: Workshop, kills: number, random: Random): Promise<number> {
  const project = workshop.newProject();
  const { whole } = workshop;
  const pick = (limit: number) => Math.floor(random() * limit);
  const moments = ['before', 'inside', 'after'] as const;
  const story: string[] = [];
  let killed = 0;
  let recovering = 0;
  while (killed < kills) {
    const moment = moments[pick(3)] ?? 'before';
    let orders: Orders = {};
    let after: number | undefined;
    if (recovering > 0) {
      recovering -= 1;
      orders = { aim: { operation: pick(20), moment, among: 'all' } };
    } else {
      if (killed % 2 === 0) {
        // In a project that is half finished, half of the operations are left: aim at the near ones more often.
        const operation = Math.floor(random() ** 3 * (whole.finished?.results ?? 0));
        orders = { aim: { operation, moment, among: 'results' } };
      } else after = 400 + random() ** 3 * whole.milliseconds;
      if (random() < 1 / 3) recovering = 2;
    }
    const ending = await workshop.run(project, orders, after);
    story.push(JSON.stringify(after ?? orders));
    if (ending.killed) killed += 1;
    if (ending.finished !== null) {
      recovering = 0;
      workshop.mustEqualWhole(project, story.join(', '));
      rmSync(project, { recursive: true });
    }
  }
  await workshop.run(project);
  workshop.mustEqualWhole(project, story.join(', '));
  rmSync(project, { recursive: true });
  return killed;
}
