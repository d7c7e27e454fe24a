/** A project running in this process: the cycle job with what steers it, pauses it and watches over it. */
import type { Steering } from '../../shared/contract/trainer.js';
import { toFault, UserError, type Fault } from '../../shared/errors.js';
import type { JobEvent } from '../../shared/events.js';
import type { ProjectSteering } from '../jobs/changes.js';
import type { JobContext } from '../jobs/types.js';
import type { WorkClock } from './work-clock.js';
import type { DiskWatch } from './disk-watch.js';

export interface ProjectRunOptions {
  readonly folder: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly earlier: readonly JobEvent[];
  readonly clock: WorkClock;
  readonly disk: DiskWatch;
  emit(event: JobEvent): void;
  onActivity(activity: 'starting' | 'running' | 'paused' | 'stopping'): void;
}

export interface Ended {
  readonly outcome: 'finished' | 'stopped' | 'failed';
  readonly fault: Fault | null;
}

export interface ProjectRun {
  readonly folder: string;
  readonly ended: Promise<Ended>;
  /** Keeps an event in the project's log, once that is open. */
  log(event: JobEvent): void;
  /** @throws UserError when what is asked cannot be done now */
  steer(steering: Steering): void;
}

export function runProject(options: ProjectRunOptions): ProjectRun {
  const { folder, given, earlier, clock, disk, onActivity } = options;
  const stop = { requested: false, afterPhase: false };
  let steering: ProjectSteering | null = null;
  let log: (event: JobEvent) => void = () => undefined;
  let activity: 'starting' | 'running' = 'starting';
  /** Ends the wait of a pause; null while it runs. */
  let resume: (() => void) | null = null;
  let paused: Promise<void> | null = null;

  const told = () => onActivity(stop.requested ? 'stopping' : paused ? 'paused' : activity);
  const emit = (event: JobEvent) => {
    options.emit(event);
    if (event.event !== 'phase' || activity === 'running') return;
    activity = 'running';
    told();
  };
  const pause = () => {
    if (paused || stop.requested) return;
    paused = new Promise((resolve) => (resume = resolve));
    clock.pause();
    told();
  };
  const goOn = () => {
    if (!paused) return;
    resume?.();
    paused = null;
    resume = null;
    clock.resume();
    disk.goOn();
    told();
  };

  const context: JobContext = {
    emit,
    now: () => Date.now(),
    worked: () => clock.now(),
    stop,
    async breathe() {
      await new Promise((resolve) => setImmediate(resolve));
      const full = paused || stop.requested ? null : disk.look();
      if (full) {
        emit({ event: 'notice', level: 'warning', code: 'disk_nearly_full', message: full.message });
        pause();
        void full.room.then((room) => {
          if (!room) return;
          emit({ event: 'notice', level: 'info', code: 'disk_has_room', message: 'There is room on the disk again.' });
          goOn();
        });
      }
      while (paused) await paused;
    },
    runtime: async (machine) => {
      const { createRuntimeLoader } = await import('../jobs/runtime.js');
      return createRuntimeLoader({}, emit)(machine);
    },
    steered: (given) => (steering = given),
    logs: (given) => (log = given),
  };

  const run = async (): Promise<Ended> => {
    onActivity('starting');
    try {
      const { cycleJob } = await import('../jobs/cycle.js');
      const results = await cycleJob({ folder, settings: null, given, earlier }, context);
      emit({ event: 'done', ...results });
      return { outcome: 'finished', fault: null };
    } catch (error) {
      const fault = toFault(error);
      if (fault.code === 'stopped') return { outcome: 'stopped', fault: null };
      if (fault.code === 'internal') console.error(error);
      emit({ event: 'error', fault });
      return { outcome: 'failed', fault };
    } finally {
      disk.goOn();
    }
  };

  const steer = (what: Steering) => {
    if (what.action === 'pause') return pause();
    if (what.action === 'resume') return goOn();
    if (what.action === 'stop') {
      if (what.after === 'step') stop.requested = true;
      else stop.afterPhase = true;
      goOn();
      return told();
    }
    if (!steering) throw notYet();
    if (what.action === 'skip') steering.skip();
    else if (what.action === 'extend') steering.extend(what);
    else steering.change(what.settings);
  };
  return { folder, ended: run(), log: (event) => log(event), steer };
}

const notYet = () =>
  new UserError({
    code: 'bad_input',
    message: 'The project is only being opened.',
    hint: 'Try again in a moment, when it runs.',
  });
