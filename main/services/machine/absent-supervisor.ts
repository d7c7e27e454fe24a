/** Replaces the supervisor if no trainer can be started: nothing runs, and every call that needs one reports so. */
import { localized } from '../../../shared/messages/message.js';
import { UserError } from '../../../shared/errors.js';
import type { Supervisor } from '../../supervisor/types.js';

export function absentSupervisor(): Supervisor {
  const refuse = () => Promise.reject(noTrainer());
  const refuseNow = () => {
    throw noTrainer();
  };
  return {
    status: (folder) => ({ folder, state: 'idle', fault: null, phase: null, progress: null }),
    queue: () => ({ entries: [], interrupted: [] }),
    start: refuse,
    pause: refuse,
    resume: refuse,
    stop: refuse,
    skip: refuse,
    extend: refuse,
    change: refuse,
    move: refuseNow,
    // Nothing waits, so nothing has to leave.
    remove: () => undefined,
    continueWith: refuse,
    call: refuse,
    subscribe: () => () => undefined,
    close: async () => undefined,
  };
}

const noTrainer = () =>
  new UserError({
    code: 'unsupported',
    message: localized('machine.training_cannot_started_here'),
    hint: localized('machine.use_terminal_verisim_cycle'),
  });
