/** What is done for each thing that a person may ask of a project while it runs. */
import type { Steering } from '../../../shared/contract/trainer.js';
import { UserError } from '../../../shared/errors.js';
import type { ProjectSteering } from '../changes.js';
import type { Pauses } from './pauses.js';

export interface SteerOptions {
  readonly pauses: Pauses;
  readonly stop: { requested: boolean; afterPhase: boolean };
  /** What was asked for, for the log. */
  note(code: string, message: string): void;
  told(): void;
  /** Null until the project is open. */
  steering(): ProjectSteering | null;
}

/** @returns does as the person asks; throws a UserError when that cannot be done now */
export function createSteer({ pauses, stop, note, told, steering }: SteerOptions): (steering: Steering) => void {
  return (what) => {
    if (what.action === 'pause') {
      if (pauses.pause()) note('paused', 'Paused.');
      return;
    }
    if (what.action === 'resume') {
      if (pauses.resume()) note('resumed', 'Resumed.');
      return;
    }
    if (what.action === 'stop') {
      note('stopping', what.after === 'step' ? 'Stopped, as asked.' : 'It will stop after this phase, as asked.');
      if (what.after === 'step') stop.requested = true;
      else stop.afterPhase = true;
      pauses.resume();
      return told();
    }
    const project = steering();
    if (!project) throw notYet();
    if (what.action === 'skip') project.skip();
    else if (what.action === 'extend') project.extend(what);
    else project.change(what.settings);
  };
}

const notYet = () =>
  new UserError({
    code: 'bad_input',
    message: 'The project is only being opened.',
    hint: 'Try again in a moment, when it runs.',
  });
