/**
 * A trainer that starts once the installation has been checked: until then what is said to it waits. Where a file was changed it
 * never starts, so that a library which is not the one that was packaged is not loaded.
 */
import type { StartTrainer } from '../../supervisor/trainer-process.js';
import type { ToTrainer } from '../../../shared/contract/trainer.js';

/** @param allowed resolves to why it may not start, or null */
export function guardedTrainer(start: StartTrainer, allowed: Promise<string | null>): StartTrainer {
  return () => {
    type Trainer = ReturnType<StartTrainer>;
    let trainer: Trainer | null = null;
    let killed = false;
    const waiting: ToTrainer[] = [];
    const messages: ((data: unknown) => void)[] = [];
    const ends: ((how: string) => void)[] = [];
    const end = (how: string) => ends.forEach((listener) => listener(how));
    void allowed.then((reason) => {
      if (killed) return;
      if (reason !== null) {
        end(reason);
        return;
      }
      const started = start();
      trainer = started;
      messages.forEach((listener) => started.onMessage(listener));
      ends.forEach((listener) => started.onEnd(listener));
      waiting.forEach((message) => started.send(message));
    });
    return {
      get pid() {
        return trainer?.pid;
      },
      send: (message) => (trainer === null ? void waiting.push(message) : trainer.send(message)),
      onMessage: (listener) => (trainer === null ? void messages.push(listener) : trainer.onMessage(listener)),
      onEnd: (listener) => (trainer === null ? void ends.push(listener) : trainer.onEnd(listener)),
      kill() {
        killed = true;
        if (trainer === null) end('SIGKILL');
        else trainer.kill();
      },
    };
  };
}
