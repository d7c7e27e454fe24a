/** Steers a run as the supervisor requests: pause, resume, stop, skip, extend, change; and logs each request in the project. */
import { localized } from '../../shared/messages/message.js';
import type { Steering } from '../../shared/contract/trainer.js';
import { UserError } from '../../shared/errors.js';
import type { JobEvent } from '../../shared/phases/events.js';
import type { ProjectSteering } from '../jobs/changes.js';
import { createPauses, type PausesOptions } from './pauses.js';
import type { WorkClock } from './work-clock.js';

interface SteeredRunOptions extends PausesOptions {
  readonly clock: WorkClock;
  readonly stop: { requested: boolean; afterPhase: boolean };
}

export function createSteeredRun(options: SteeredRunOptions) {
  const { clock, emit, stop, onChange } = options;
  let project: ProjectSteering | null = null;
  let log: (event: JobEvent) => void = () => undefined;
  const note = (
    code: 'paused' | 'resumed' | 'stopping',
    text: 'paused' | 'resumed' | 'stopped' | 'stops_after_phase',
  ) => {
    const message = localized(`trainer.note.${text}`);
    const event = { event: 'notice', level: 'info', code, message } as const;
    log(event);
    emit(event);
  };
  const pauses = createPauses(options);
  return {
    pauses,
    /** Appends an event to the project's log once that is open. */
    log: (event: JobEvent) => log(event),
    /** @throws UserError if the request is not possible now */
    steer(request: Steering) {
      if (request.action === 'pause') {
        if (pauses.pause()) note('paused', 'paused');
      } else if (request.action === 'resume') {
        if (pauses.resume()) note('resumed', 'resumed');
      } else if (request.action === 'stop') {
        const isNow = request.after === 'step';
        note('stopping', isNow ? 'stopped' : 'stops_after_phase');
        if (isNow) stop.requested = true;
        else stop.afterPhase = true;
        pauses.resume();
        onChange();
      } else if (!project) throw notOpen();
      else if (request.action === 'skip') project.skip();
      else if (request.action === 'extend') project.extend(request);
      else project.change(request.settings);
    },
    /** This part of the job's context. */
    context: {
      worked: () => clock.now(),
      yieldToEventLoop: pauses.yieldToEventLoop,
      logs: (append: (event: JobEvent) => void) => void (log = append),
      steered: (steering: ProjectSteering) => void (project = steering),
    },
  };
}

const notOpen = () =>
  new UserError({
    code: 'bad_input',
    message: localized('trainer.project_only_being_opened'),
    hint: localized('trainer.try_again_moment_when_runs'),
  });
