/** The supervisor: one project in the trainer, a queue behind it, and a service for calls. See types.ts. */
import { localized } from '../../shared/messages/message.js';
import { performance } from 'node:perf_hooks';
import * as path from 'node:path';
import type { Steering } from '../../shared/contract/trainer.js';
import { UserError } from '../../shared/errors.js';
import { addSteps } from '../storage/projects/more-steps.js';
import { openProjectForWriting, type WritableProject } from '../storage/projects/project-folder.js';
import { lockHolder, mustBeFree } from '../storage/disk/lock.js';
import { createRuns, type Runs } from './runs.js';
import { createService, type Service } from './service.js';
import { defaultLimits, gapBetween, type Moment, type WatchdogLimits } from './watchdog.js';
import type { StartTrainer } from './trainer-process.js';
import type { Supervisor, SupervisorEvent } from './types.js';

export interface SupervisorOptions {
  readonly start: StartTrainer;
  readonly queueFile: string;
  readonly limits?: WatchdogLimits;
  readonly beat?: number;
  /** How often in a row a trainer may die before its next checkpoint. */
  readonly deaths?: number;
}

/** Milliseconds that a project may take to stop with a checkpoint when everything is closed. */
const CLOSING = 30_000;

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { start, queueFile, limits = defaultLimits, beat = 2000, deaths = 3 } = options;
  const monotonic = () => performance.now();
  const listeners = new Set<(event: SupervisorEvent) => void>();
  const service = createService({ start, limits, monotonic });
  const publish = (event: SupervisorEvent) => listeners.forEach((listener) => listener(event));
  const runs = createRuns({ start, limits, monotonic, deaths, queueFile, publish });
  const timer = setInterval(regularly(runs, service, beat, monotonic), beat).unref();

  const isRunning = (folder: string) => runs.running()?.folder === folder;
  /** @throws UserError `locked` if another process runs it, `bad_input` if it does not run */
  const steer = async (folder: string, steering: Steering) => {
    const run = runs.running();
    if (run?.folder === folder) await run.steer(steering);
    else {
      mustBeFree(folder);
      throw notRunning(folder);
    }
  };
  return {
    status: runs.status,
    queue: runs.queue,
    move: runs.move,
    remove: runs.leave,
    async start(folder, device) {
      if (!path.isAbsolute(folder)) throw new Error(`not an absolute path: ${folder}`);
      if (device !== undefined) inProject(folder, (project) => project.saveConfig({ ...project.config, device }));
      runs.enqueue([folder]);
    },
    async continueWith(folders) {
      runs.continueWith(folders);
    },
    async pause(folder) {
      if (!runs.isWaiting(folder)) await steer(folder, { action: 'pause' });
    },
    resume: (folder) => steer(folder, { action: 'resume' }),
    async stop(folder, after) {
      if (runs.isWaiting(folder)) runs.leave(folder);
      else if (isRunning(folder) || lockHolder(folder)) await steer(folder, { action: 'stop', after });
    },
    skip: (folder) => steer(folder, { action: 'skip' }),
    async extend(folder, { iterations, cycles }) {
      if (isRunning(folder)) return steer(folder, { action: 'extend', iterations, cycles });
      inProject(folder, (project) => {
        if (iterations > 0) addSteps(project, iterations);
        if (cycles > 0) project.saveConfig({ ...project.config, max_cycles: project.config.max_cycles + cycles });
      });
    },
    change: (folder, settings) => steer(folder, { action: 'change', settings }),
    call: (job, input, callOptions) => service.call(job, input, callOptions),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      const ended = runs.close();
      clearInterval(timer);
      service.close();
      const run = runs.running();
      if (!run) return;
      const message = localized('supervisor.closed');
      run.publish({ event: 'notice', level: 'info', code: 'closed', message });
      const late = setTimeout(() => run.kill(), CLOSING);
      await run.steer({ action: 'stop', after: 'step' }).catch(() => run.kill());
      await ended;
      clearTimeout(late);
    },
  };
}

function inProject(folder: string, change: (project: WritableProject) => void): void {
  const project = openProjectForWriting(folder, 'verisim');
  try {
    change(project);
  } finally {
    project.lock.release();
  }
}

function regularly(runs: Runs, service: Service, beat: number, monotonic: () => number): () => void {
  let last: Moment = { monotonic: monotonic(), wall: Date.now() };
  return () => {
    const now: Moment = { monotonic: monotonic(), wall: Date.now() };
    const gap = gapBetween(last, now, beat);
    last = now;
    const run = runs.running();
    if (gap?.kind === 'slept') for (const one of [run, service]) one?.slept(gap.monotonic);
    if (gap && run) {
      const minutes = Math.round(gap.milliseconds / 60_000);
      const message = localized(`supervisor.gap.${gap.kind}`, { minutes });
      run.publish({ event: 'notice', level: 'info', code: gap.kind, message });
    }
    run?.beat();
    service.beat();
  };
}

const notRunning = (folder: string) =>
  new UserError({
    code: 'bad_input',
    message: localized('supervisor.is_not_running', { basename: path.basename(folder) }),
    hint: localized('supervisor.start_first'),
  });
