/**
 * A limit on the time that a stranger's pattern takes. For some the time grows with a power of a text's length, or doubles
 * with each character, and no rule tells all of these from the others; so it is looked at how long one takes. A match
 * ends where V8 is asked to end it, and node:vm asks from a thread of its own, as this one is busy. (Python's `tokenizers`
 * leave such patterns to Oniguruma, which gives up after a number of steps; V8 counts none.)
 */
import process from 'node:process';
import { createContext, Script } from 'node:vm';

/** For one part of a text: hundreds of times what the pattern of a known tokenizer takes for the longest. */
export const MAX_PATTERN_MS = 3000;

const script = new Script('work()');
const slot: { work: () => unknown } = { work: () => undefined };
let context: object | undefined;

/** What `work` gives. @throws what `tooLong` gives where it took longer than any part of a text should; the rest as it comes */
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
      // Where the computer slept, or the process was held, the pattern was not at work: it is tried again.
      if ((user + system) / 1000 >= MAX_PATTERN_MS / 2) throw tooLong();
    }
  }
}
