/** A project running in this process: the cycle job with what steers it, pauses it and watches over it. */
import type { FromTrainer } from '../../shared/contract/trainer.js';
import { toFault, type Fault } from '../../shared/errors.js';
import { withoutNumbers, type JobEvent } from '../../shared/phases/events.js';
import type { JobContext } from '../jobs/types.js';
import { freeMemory } from '../jobs/machine/memory.js';
import { createRuntimeLoader, needsProcessor } from '../jobs/machine/runtime-loader.js';
import { createHandover, type Handover } from './handover.js';
import { createSteeredRun } from './steering.js';
import { checkpointRoom, createDiskWatch } from './watches.js';
import type { WorkClock } from './work-clock.js';

interface ProjectRunOptions {
  readonly folder: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly earlier: readonly JobEvent[];
  readonly clock: WorkClock;
  readonly handover?: Handover;
  send(message: Extract<FromTrainer, { message: 'event' | 'activity' }>): void;
}

export interface Ended {
  /** `continues`: what is left is for another process. */
  readonly outcome: 'finished' | 'stopped' | 'failed' | 'continues';
  readonly fault: Fault | null;
}

export type ProjectRun = ReturnType<typeof runProject>;

export function runProject(options: ProjectRunOptions) {
  const { folder, given, earlier, clock, send, handover = createHandover(freeMemory) } = options;
  const room = checkpointRoom(folder);
  const stop = { requested: false, afterPhase: false };
  let activity: 'starting' | 'running' = 'starting';

  const sendActivity = () =>
    send({
      message: 'activity',
      activity: stop.requested ? 'stopping' : steered.pauses.isPaused() ? 'paused' : activity,
    });
  const sendEvent = (event: JobEvent) => send({ message: 'event', event: withoutNumbers(event) });
  /** Where every event of the run goes, in this order. The project's own files have it by then: see cycleJob. */
  const sinks: readonly ((event: JobEvent) => void)[] = [
    sendEvent,
    function noteRunning({ event }) {
      if (event !== 'phase' || activity === 'running') return;
      activity = 'running';
      sendActivity();
    },
    (event) => handover.heard(event),
    function watchCheckpoints(event) {
      if (event.event === 'checkpoint') room.saved(event.name);
    },
  ];
  const emit = (event: JobEvent) => sinks.forEach((sink) => sink(event));
  const disk = createDiskWatch({ folder, needed: room.needed, now: () => performance.now() });
  const steered = createSteeredRun({ clock, disk, stop, emit, onChange: sendActivity });

  const context: JobContext = {
    ...steered.context,
    emit,
    now: () => Date.now(),
    stop,
    runtime: createRuntimeLoader({}, emit),
    handsOver: (needed) => handover.isDue(needed),
  };

  const run = async (): Promise<Ended> => {
    sendActivity();
    try {
      const { cycleJob } = await import('../jobs/project/cycle.js');
      const results = await cycleJob({ folder, settings: null, given, earlier }, context);
      emit({ event: 'done', ...results });
      return { outcome: 'finished', fault: null };
    } catch (error) {
      const fault = toFault(error);
      if (fault.code === 'stopped') {
        const isRequested = stop.requested || stop.afterPhase;
        const isForAnother = handover.happens() || error === needsProcessor;
        return { outcome: isForAnother && !isRequested ? 'continues' : 'stopped', fault: null };
      }
      if (fault.code === 'internal') console.error(error);
      emit({ event: 'error', fault });
      return { outcome: 'failed', fault };
    } finally {
      disk.resume();
    }
  };

  return {
    folder,
    ended: run() /** Keeps an event in the project's log, once that is open. */,
    log: steered.log,
    steer: steered.steer,
  };
}
