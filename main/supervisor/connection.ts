/** Connects to one trainer process: hello first, parsed answers, and its end reported once. */
import { localized, type Message } from '../../shared/messages/message.js';
import { fromTrainerSchema, trainerProtocol, type FromTrainer, type ToTrainer } from '../../shared/contract/trainer.js';
import { UserError } from '../../shared/errors.js';
import type { JobEvent } from '../../shared/phases/events.js';
import { createWatchdog, processorSeconds, type WatchdogLimits } from './watchdog.js';
import type { TrainerProcess } from './trainer-process.js';

type Notification = Exclude<FromTrainer, { message: 'answer' | 'progress' | 'pong' | 'hello' }>;
type WithRequest<M> = M extends { readonly request: number } ? Omit<M, 'request'> : never;
/** A message that is answered, without the number that identifies its answer. */
type Question = WithRequest<Exclude<ToTrainer, { message: 'cancel' }>>;

export interface End {
  /** Exit code or signal. */
  readonly how: string | Message;
  readonly hung: boolean;
}

export interface ConnectionOptions {
  readonly start: () => TrainerProcess;
  readonly limits: WatchdogLimits;
  readonly monotonic: () => number;
  onNotification(message: Notification): void;
  onEnd(end: End): void;
}

export type Connection = ReturnType<typeof connect>;

export function connect({ start, limits, monotonic, onNotification, onEnd }: ConnectionOptions) {
  interface Open {
    resolve(value: unknown): void;
    reject(error: Error): void;
    readonly onProgress: ((value: unknown) => void) | undefined;
  }
  const open = new Map<number, Open>();
  const trainer = start();
  const watchdog = createWatchdog(limits, monotonic());
  let last = 0;
  let hung = false;
  let speaks = true;
  let ended = false;

  trainer.onMessage((data) => {
    watchdog.answered(monotonic());
    const parsed = fromTrainerSchema.safeParse(data);
    // What is not of the contract is left alone: acting on half a message would be worse.
    if (!parsed.success) return;
    const message = parsed.data;
    switch (message.message) {
      case 'hello':
        speaks = message.protocol === trainerProtocol;
        if (!speaks) trainer.kill();
        return;
      case 'pong':
        return;
      case 'progress':
        open.get(message.request)?.onProgress?.(message.value);
        return;
      case 'answer': {
        const question = open.get(message.request);
        open.delete(message.request);
        if (message.fault) question?.reject(new UserError(message.fault));
        else question?.resolve(message.value);
        return;
      }
      default:
        onNotification(message);
    }
  });
  trainer.onEnd((how) => {
    ended = true;
    const end: End = { how: speaks ? how : localized('supervisor.other_version'), hung };
    for (const question of open.values()) question.reject(gone(end));
    open.clear();
    onEnd(end);
  });
  trainer.send({ message: 'hello', protocol: trainerProtocol });

  return {
    /** The answer; rejects with a UserError for a fault, and when the process ends first. */
    ask(question: Question, onProgress?: (value: unknown) => void, signal?: AbortSignal) {
      if (ended) return Promise.reject(gone({ how: localized('supervisor.has_ended'), hung }));
      const request = (last += 1);
      const cancel = () => trainer.send({ message: 'cancel', request });
      return new Promise<unknown>((resolve, reject) => {
        open.set(request, { resolve, reject, onProgress });
        trainer.send({ ...question, request } as ToTrainer);
        if (signal?.aborted) cancel();
        signal?.addEventListener('abort', cancel, { once: true });
      }).finally(() => signal?.removeEventListener('abort', cancel));
    },
    slept(milliseconds: number) {
      watchdog.excuse(monotonic());
      trainer.send({ message: 'slept', milliseconds });
    },
    log: (event: JobEvent) => trainer.send({ message: 'log', event }),
    /** Asks for a sign of life, and ends a process that gives none. Called by the supervisor's timer. */
    beat() {
      if (ended) return;
      const used = trainer.pid === undefined ? null : processorSeconds(trainer.pid);
      if (watchdog.hangs(monotonic(), used)) {
        hung = true;
        trainer.kill();
      } else trainer.send({ message: 'ping', sent: monotonic() });
    },
    kill: () => trainer.kill(),
  };
}

export const endMessage = ({ how, hung }: End): Message =>
  hung ? localized('supervisor.hung') : localized('supervisor.ended', { how });

const gone = (end: End): UserError =>
  new UserError({
    code: 'internal',
    message: localized('supervisor.sentence', { what: endMessage(end) }),
    hint: localized('supervisor.try_again_if_happens_again'),
  });
