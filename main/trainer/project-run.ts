/** A project running in this process: the cycle job with what steers it, pauses it and watches over it. */
import type { FromTrainer, Steering } from '../../shared/contract/trainer.js';
import { toFault, type Fault } from '../../shared/errors.js';
import { withoutNumbers, type JobEvent } from '../../shared/events.js';
import type { ProjectSteering } from '../jobs/changes.js';
import { createPauses } from '../jobs/steering/pauses.js';
import { createSteer } from '../jobs/steering/steer.js';
import type { WorkClock } from '../jobs/steering/work-clock.js';
import type { JobContext } from '../jobs/types.js';
import { checkpointRoom, createDiskWatch, createMemoryWatch } from './watches.js';

interface ProjectRunOptions {
  readonly folder: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly earlier: readonly JobEvent[];
  readonly clock: WorkClock;
  send(message: Extract<FromTrainer, { message: 'event' | 'activity' }>): void;
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
  const { folder, given, earlier, clock, send } = options;
  const room = checkpointRoom(folder);
  const memory = createMemoryWatch();
  const stop = { requested: false, afterPhase: false };
  let steering: ProjectSteering | null = null;
  let log: (event: JobEvent) => void = () => undefined;
  let activity: 'starting' | 'running' = 'starting';

  const told = () =>
    send({ message: 'activity', activity: stop.requested ? 'stopping' : pauses.isPaused() ? 'paused' : activity });
  const tell = (event: JobEvent) => send({ message: 'event', event: withoutNumbers(event) });
  /** Where every event of the run goes, in this order. The project's own files have it by then: see cycleJob. */
  const sinks: readonly ((event: JobEvent) => void)[] = [
    tell,
    function noteRunning({ event }) {
      if (event !== 'phase' || activity === 'running') return;
      activity = 'running';
      told();
    },
    function watchCheckpoints(event) {
      if (event.event !== 'checkpoint') return;
      room.saved(event.name);
      const message = memory.look(process.memoryUsage().rss);
      if (message) tell({ event: 'notice', level: 'warning', code: 'memory', message });
    },
  ];
  const emit = (event: JobEvent) => sinks.forEach((sink) => sink(event));
  /** What a person asked for, and the run did: told, and kept in the project's log. */
  const note = (code: string, message: string) => {
    const event = { event: 'notice', level: 'info', code, message } as const;
    log(event);
    emit(event);
  };
  const disk = createDiskWatch({ folder, needed: room.needed, now: () => performance.now() });
  const pauses = createPauses({ clock, disk, stop, emit, told });

  const context: JobContext = {
    emit,
    now: () => Date.now(),
    worked: () => clock.now(),
    stop,
    yieldToEventLoop: pauses.yieldToEventLoop,
    runtime: async (machine) => {
      const { createRuntimeLoader } = await import('../jobs/machine/runtime.js');
      return createRuntimeLoader({}, emit)(machine);
    },
    steered(given) {
      steering = given;
      return undefined;
    },
    logs: (given) => (log = given),
  };

  const run = async (): Promise<Ended> => {
    told();
    try {
      const { cycleJob } = await import('../jobs/project/cycle.js');
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
      disk.resume();
    }
  };

  const steer = createSteer({ pauses, stop, note, told, steering: () => steering });
  return { folder, ended: run(), log: (event) => log(event), steer };
}
