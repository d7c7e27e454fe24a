/**
 * What every run that a person may steer has, whoever asks it (the trainer's process, project-run.ts; a terminal's run through
 * its folder, from-folder.ts): its pauses, what it does when it is asked, and its project's log once that is open.
 */
import type { Steering } from '../../../shared/contract/trainer.js';
import type { JobEvent } from '../../../shared/events.js';
import type { ProjectSteering } from '../changes.js';
import type { JobContext } from '../types.js';
import { createPauses, type Pauses, type PausesOptions } from './pauses.js';
import { createSteer, type SteerOptions } from './steer.js';
import type { WorkClock } from './work-clock.js';

interface SteeredRunOptions extends PausesOptions {
  readonly clock: WorkClock;
  /** What a person asked for; `stop` may be more than that. */
  readonly asked: SteerOptions['stop'];
}

interface SteeredRun {
  readonly pauses: Pauses;
  /** Keeps an event in the project's log, once that is open. */
  log(event: JobEvent): void;
  /** What a person asked for, and what came of it: told, and kept in the project's log. */
  note(code: string, message: string, level?: 'info' | 'warning'): void;
  /** @throws UserError when what is asked cannot be done now */
  steer(what: Steering): void;
  /** The project is open: this is how it is steered. */
  opened(steering: ProjectSteering): void;
  /** The context's part of it. */
  readonly context: Required<Pick<JobContext, 'logs' | 'worked' | 'yieldToEventLoop'>>;
}

export function createSteeredRun({ asked, ...options }: SteeredRunOptions): SteeredRun {
  const { clock, emit, told } = options;
  let steering: ProjectSteering | null = null;
  let log: (event: JobEvent) => void = () => undefined;
  const note: SteeredRun['note'] = (code, message, level = 'info') => {
    const event = { event: 'notice', level, code, message } as const;
    log(event);
    emit(event);
  };
  const pauses = createPauses(options);
  return {
    pauses,
    log: (event) => log(event),
    note,
    steer: createSteer({ pauses, stop: asked, note, told, steering: () => steering }),
    opened(given) {
      steering = given;
    },
    context: {
      worked: () => clock.now(),
      yieldToEventLoop: pauses.yieldToEventLoop,
      logs: (given) => (log = given),
    },
  };
}
