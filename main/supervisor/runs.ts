/** The one project that runs and those that wait behind it, in a queue that is kept in a file. */
import type { Fault } from '../../shared/errors.js';
import { readQueue, writeQueue } from './queue-file.js';
import { startRun, type Run, type RunOptions } from './run.js';
import type { QueueStatus, RunStatus, SupervisorEvent } from './types.js';

interface RunsOptions extends Pick<RunOptions, 'start' | 'limits' | 'monotonic' | 'deaths'> {
  readonly queueFile: string;
  publish(event: SupervisorEvent): void;
}

type Outcome = Extract<SupervisorEvent, { type: 'ended' }>['outcome'];

function queueOf(run: Run | null, waiting: readonly string[], interrupted: readonly string[]): QueueStatus {
  const waitingOnes = waiting.map((folder) => ({ folder, state: 'waiting' }) as const);
  if (!run) return { entries: waitingOnes, interrupted };
  const state = run.status().state === 'paused' ? 'paused' : 'running';
  return { entries: [{ folder: run.folder, state }, ...waitingOnes], interrupted };
}

/** Of a project that does not run. */
function stillStatus(folder: string, isWaiting: boolean, fault: Fault | null): RunStatus {
  const state = isWaiting ? 'waiting' : fault ? 'failed' : 'idle';
  return { folder, state, fault, phase: null, progress: null };
}

export type Runs = ReturnType<typeof createRuns>;

export function createRuns({ queueFile, publish, ...trainer }: RunsOptions) {
  const failed = new Map<string, Fault>();
  let run: Run | null = null;
  let waiting: readonly string[] = [];
  let interrupted = readQueue(queueFile);
  let closed = false;
  let onIdle: (() => void) | null = null;

  const queue = () => queueOf(run, waiting, interrupted);
  const queueChanged = () => {
    if (!closed) writeQueue(queueFile, [...queue().entries.map(({ folder }) => folder), ...interrupted]);
    publish({ type: 'queue', queue: queue() });
  };
  const nothingOf = (folder: string) => stillStatus(folder, waiting.includes(folder), failed.get(folder) ?? null);
  const ended = (folder: string, outcome: Outcome, fault: Fault | null) => {
    run = null;
    if (fault) failed.set(folder, fault);
    queueChanged();
    publish({ type: 'ended', folder, outcome, fault });
    publish({ type: 'status', status: nothingOf(folder) });
    onIdle?.();
    next();
  };
  const next = () => {
    const [folder, ...others] = waiting;
    if (run || closed || folder === undefined) return;
    waiting = others;
    failed.delete(folder);
    run = startRun({
      ...trainer,
      folder,
      onStatus(status) {
        publish({ type: 'status', status });
        if (run) publish({ type: 'queue', queue: queue() });
      },
      onEvent: (event) => publish({ type: 'event', folder, event }),
      onEnded: (outcome, fault) => ended(folder, outcome, fault),
    });
    queueChanged();
  };
  const enqueue = (folders: readonly string[]) => {
    const fresh = folders.filter((folder) => run?.folder !== folder && !waiting.includes(folder));
    waiting = [...waiting, ...new Set(fresh)];
    interrupted = interrupted.filter((folder) => !folders.includes(folder));
    queueChanged();
    for (const folder of fresh) publish({ type: 'status', status: nothingOf(folder) });
    next();
  };

  return {
    running: () => run,
    isWaiting: (folder: string) => waiting.includes(folder),
    status: (folder: string) => (run?.folder === folder ? run.status() : nothingOf(folder)),
    queue,
    enqueue,
    leave(folder: string) {
      if (!waiting.includes(folder)) return;
      waiting = waiting.filter((other) => other !== folder);
      queueChanged();
      publish({ type: 'status', status: nothingOf(folder) });
    },
    move(folder: string, to: number) {
      if (!waiting.includes(folder)) return;
      const others = waiting.filter((other) => other !== folder);
      waiting = [...others.slice(0, to), folder, ...others.slice(to)];
      queueChanged();
    },
    /** Resumes those of `folders` that were interrupted, and forgets the others. */
    continueWith(folders: readonly string[]) {
      const going = folders.filter((folder) => interrupted.includes(folder));
      interrupted = [];
      enqueue(going);
    },
    /** Starts nothing more and keeps the queue's file. @returns when the current run has ended */
    async close() {
      closed = true;
      if (run) await new Promise<void>((resolve) => (onIdle = resolve));
    },
  };
}
