/** Handles a trainer process's messages, until it is ended or its supervisor is gone. */
import { localized } from '../../shared/messages/message.js';
import packageFile from '../../package.json' with { type: 'json' };
import { toTrainerSchema, trainerProtocol, type FromTrainer, type ToTrainer } from '../../shared/contract/trainer.js';
import { toFault, UserError, type Fault } from '../../shared/errors.js';
import { createCalls } from './calls.js';
import type { Port } from './port.js';
import { runProject, type ProjectRun } from './project-run.js';
import { createWorkClock } from './work-clock.js';

/** Resolves when this process has nothing more to do. */
export function serve(port: Port): Promise<void> {
  const clock = createWorkClock(() => performance.now());
  const calls = createCalls();
  let run: ProjectRun | null = null;

  return new Promise((ended) => {
    const send = (message: FromTrainer) => port.send(message);
    const answer = (request: number, work: () => unknown) => {
      const reply = (value: unknown, fault: Fault | null) =>
        send({ message: 'answer', request, fault, ...(value === undefined ? {} : { value }) });
      Promise.resolve()
        .then(work)
        .then(
          (value) => reply(value, null),
          (error: unknown) => reply(undefined, toFault(error)),
        );
    };
    const end = () => void port.flushed().then(ended);

    const start = ({ folder, given, earlier }: Extract<ToTrainer, { message: 'run' }>) => {
      if (run?.folder === folder) return;
      if (run) throw busy(run.folder);
      run = runProject({ folder, given, earlier, clock, send });
      void run.ended.then(({ outcome, fault }) => {
        send({ message: 'ended', outcome, fault });
        end();
      });
    };

    const act = (message: ToTrainer): void => {
      switch (message.message) {
        case 'hello':
          if (message.protocol !== trainerProtocol) end();
          return;
        case 'ping':
          send({ message: 'pong', sent: message.sent, memory: process.memoryUsage().rss });
          return;
        case 'slept':
          clock.slept(message.milliseconds);
          return;
        case 'log':
          run?.log(message.event);
          return;
        case 'run':
          answer(message.request, () => start(message));
          return;
        case 'steer':
          answer(message.request, () => {
            if (!run) throw notRunning();
            run.steer(message.steering);
          });
          return;
        case 'call': {
          const { request, job, input } = message;
          const onProgress = (value: unknown) => send({ message: 'progress', request, value });
          answer(request, () => calls.call(request, job, input, onProgress));
          return;
        }
        case 'cancel':
          calls.cancel(message.request);
      }
    };

    port.onMessage((data) => {
      const parsed = toTrainerSchema.safeParse(data);
      if (parsed.success) act(parsed.data);
      else refuse(data, send);
    });
    port.onClosed(() => {
      calls.cancelAll();
      if (run) run.steer({ action: 'stop', after: 'step' });
      else ended();
    });
    send({ message: 'hello', protocol: trainerProtocol, pid: process.pid, version: packageFile.version });
  });
}

/** A message that is not one of the contract's does nothing; who waits for an answer gets one. */
function refuse(data: unknown, send: (message: FromTrainer) => void): void {
  const request: unknown = typeof data === 'object' && data !== null && 'request' in data ? data.request : null;
  if (typeof request !== 'number' || !Number.isSafeInteger(request) || request < 1) return;
  const fault: Fault = {
    code: 'bad_input',
    message: localized('trainer.trainer_does_understand_message'),
    hint: localized('trainer.restart_verisim_parts_two_versions'),
  };
  send({ message: 'answer', request, fault });
}

const busy = (folder: string) =>
  new UserError({
    code: 'locked',
    message: localized('trainer.trainer_work', { folder }),
    hint: localized('trainer.wait_until_finished_stop_first'),
  });

const notRunning = () =>
  new UserError({
    code: 'bad_input',
    message: localized('trainer.nothing_runs_here'),
    hint: localized('trainer.start_project_first'),
  });
