/** Limits the time of a pattern from a file by running it in node:vm, which V8 can interrupt. */
import process from 'node:process';
import { createContext, Script } from 'node:vm';

/** For one part of a text: hundreds of times what the pattern of a known tokenizer takes for the longest. */
export const MAX_PATTERN_MS = 3000;

const script = new Script('work()');
const slot: { work: () => unknown } = { work: () => undefined };
let context: object | undefined;

/** Runs `work`. @throws the error of `tooLong` if it exceeds the limit; other errors as they come */
export function withinTime<T>(work: () => T, tooLong: () => Error): T {
  context ??= createContext(slot);
  slot.work = work;
  const before = process.cpuUsage();
  for (;;) {
    try {
      return script.runInContext(context, { timeout: MAX_PATTERN_MS }) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = process.cpuUsage(before);
      // If the machine was suspended, the pattern was not running: try again.
      if ((user + system) / 1000 >= MAX_PATTERN_MS / 2) throw tooLong();
    }
  }
}
