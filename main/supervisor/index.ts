/** The supervisor: one project in the trainer, a queue behind it, and a service for calls. See types.ts. */
import { performance } from 'node:perf_hooks';
import * as path from 'node:path';
import { UserError, type Fault } from '../../shared/errors.js';
import type { Steering } from '../../shared/contract/trainer.js';
import { openProjectForWriting } from '../storage/project-folder.js';
import { defaultLimits, type PulseLimits } from './pulse.js';
import { readQueue, writeQueue } from './queue-file.js';
import { startRun, type Run } from './run.js';
import { createService } from './service.js';
import { gapBetween, type Moment } from './time-watch.js';
import type { StartTrainer } from './trainer-process.js';
import type { QueueStatus, RunStatus, Supervisor, SupervisorEvent } from './types.js';

export interface SupervisorOptions {
  readonly start: StartTrainer;
  /** Where the queue is kept: a file in the app's data folder. */
  readonly queueFile: string;
  readonly limits?: PulseLimits;
  /** Milliseconds between two signs of life that are asked for. */
  readonly beat?: number;
  /** How often in a row a trainer may die before its next checkpoint. */
  readonly deaths?: number;
  /** Milliseconds after which the process for calls ends when nobody calls. */
  readonly idle?: number;
  /** Milliseconds that a project may take to stop with a checkpoint when everything is closed. */
  readonly closing?: number;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { start, queueFile, limits = defaultLimits, beat = 2000, deaths = 3 } = options;
  const { idle = 60_000, closing = 30_000 } = options;
  const monotonic = () => performance.now();
  const listeners = new Set<(event: SupervisorEvent) => void>();
  const service = createService({ start, limits, monotonic }, idle);
  const failed = new Map<string, Fault>();
  let run: Run | null = null;
  let waiting: readonly string[] = [];
  let interrupted = readQueue(queueFile);
  let closed = false;
  /** Resolves `close` when what runs has ended. */
  let onIdle: (() => void) | null = null;

  const tell = (event: SupervisorEvent) => listeners.forEach((listener) => listener(event));
  const queue = (): QueueStatus => ({
    entries: [
      ...(run ? [{ folder: run.folder, state: run.status().state === 'paused' ? 'paused' : 'running' } as const] : []),
      ...waiting.map((folder) => ({ folder, state: 'waiting' }) as const),
    ],
    interrupted,
  });
  const queueChanged = () => {
    // What is there when everything closes is what was interrupted.
    if (!closed) writeQueue(queueFile, [...queue().entries.map(({ folder }) => folder), ...interrupted]);
    tell({ type: 'queue', queue: queue() });
  };
  const nothingOf = (folder: string): RunStatus => {
    const fault = failed.get(folder) ?? null;
    const state = waiting.includes(folder) ? 'waiting' : fault ? 'failed' : 'idle';
    return { folder, state, fault, phase: null, progress: null };
  };
  const status = (folder: string) => (run?.folder === folder ? run.status() : nothingOf(folder));

  const next = () => {
    const [folder, ...others] = waiting;
    if (run || closed || folder === undefined) return;
    waiting = others;
    failed.delete(folder);
    run = startRun({
      ...{ folder, start, limits, monotonic, deaths },
      onStatus(of) {
        tell({ type: 'status', status: of });
        if (run) tell({ type: 'queue', queue: queue() });
      },
      onEvent: (event) => tell({ type: 'event', folder, event }),
      onEnded(outcome, fault) {
        run = null;
        if (fault) failed.set(folder, fault);
        queueChanged();
        tell({ type: 'ended', folder, outcome, fault });
        tell({ type: 'status', status: nothingOf(folder) });
        onIdle?.();
        next();
      },
    });
    queueChanged();
  };

  const enqueue = (folders: readonly string[]) => {
    const fresh = folders.filter((folder) => run?.folder !== folder && !waiting.includes(folder));
    waiting = [...waiting, ...new Set(fresh)];
    interrupted = interrupted.filter((folder) => !folders.includes(folder));
    queueChanged();
    for (const folder of fresh) tell({ type: 'status', status: nothingOf(folder) });
    next();
  };
  const leaveQueue = (folder: string) => {
    waiting = waiting.filter((other) => other !== folder);
    queueChanged();
    tell({ type: 'status', status: nothingOf(folder) });
  };
  const steer = async (folder: string, steering: Steering) => {
    if (run?.folder !== folder) throw notRunning(folder);
    await run.steer(steering);
  };

  let last: Moment = { monotonic: monotonic(), wall: Date.now() };
  const timer = setInterval(() => {
    const now: Moment = { monotonic: monotonic(), wall: Date.now() };
    const gap = gapBetween(last, now, beat);
    last = now;
    if (gap?.kind === 'slept') for (const one of [run, service]) one?.slept(gap.monotonic);
    if (gap && run) {
      const message =
        gap.kind === 'slept'
          ? sleptWords(gap.milliseconds)
          : 'The computer’s clock was set back. Nothing depends on it.';
      run.tell({ event: 'notice', level: 'info', code: gap.kind, message });
    }
    run?.beat();
    service.beat();
  }, beat);
  timer.unref();

  return {
    status,
    queue,
    async start(folder) {
      if (!path.isAbsolute(folder)) throw new Error(`not an absolute path: ${folder}`);
      enqueue([folder]);
    },
    async pause(folder) {
      if (!waiting.includes(folder)) await steer(folder, { action: 'pause' });
    },
    resume: (folder) => steer(folder, { action: 'resume' }),
    async stop(folder, after) {
      if (waiting.includes(folder)) leaveQueue(folder);
      else if (run?.folder === folder) await steer(folder, { action: 'stop', after });
    },
    skip: (folder) => steer(folder, { action: 'skip' }),
    async extend(folder, { iterations, cycles }) {
      if (run?.folder === folder) return steer(folder, { action: 'extend', iterations, cycles });
      if (iterations > 0) throw notRunning(folder);
      addCycles(folder, cycles);
    },
    change: (folder, settings) => steer(folder, { action: 'change', settings }),
    move(folder, to) {
      if (!waiting.includes(folder)) return;
      const others = waiting.filter((other) => other !== folder);
      waiting = [...others.slice(0, to), folder, ...others.slice(to)];
      queueChanged();
    },
    remove(folder) {
      if (waiting.includes(folder)) leaveQueue(folder);
    },
    async continueWith(folders) {
      const going = folders.filter((folder) => interrupted.includes(folder));
      interrupted = [];
      enqueue(going);
    },
    call: (job, input, callOptions) => service.call(job, input, callOptions),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      clearInterval(timer);
      service.close();
      const running = run;
      if (!running) return;
      const ended = new Promise<void>((resolve) => (onIdle = resolve));
      const late = setTimeout(() => running.kill(), closing);
      await running.steer({ action: 'stop', after: 'step' }).catch(() => running.kill());
      await ended;
      clearTimeout(late);
    },
  };
}

/** For a project that nobody works on: its configuration says how many cycles there are to be. */
function addCycles(folder: string, cycles: number): void {
  const project = openProjectForWriting(folder, 'verisim');
  try {
    project.saveConfig({ ...project.config, max_cycles: project.config.max_cycles + cycles });
  } finally {
    project.lock.release();
  }
}

const sleptWords = (milliseconds: number): string => {
  const minutes = Math.round(milliseconds / 60_000);
  const howLong = minutes > 1 ? `${minutes} minutes` : 'a moment';
  return `The computer slept for ${howLong}; the run goes on where it was.`;
};

const notRunning = (folder: string) =>
  new UserError({
    code: 'bad_input',
    message: `${path.basename(folder)} is not running`,
    hint: 'Start it first.',
  });
