/**
 * Ctrl-C: the first requests a clean stop with a checkpoint, a second one ends at once. npm forwards the signal that the
 * terminal has sent to both processes, so one key press can arrive twice within milliseconds.
 */

/** A shell's exit code for a process that a signal ended: 128 and the signal's number. */
const exitCodesOf = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const SAME_PRESS_MILLISECONDS = 400;

export function stopOnSignals(onFirst: () => void, onSecond: () => void) {
  const signals = Object.keys(exitCodesOf) as (keyof typeof exitCodesOf)[];
  let firstAt: number | null = null;
  let exitCode: number = exitCodesOf.SIGINT;
  const handle = (signal: keyof typeof exitCodesOf) => {
    if (firstAt === null) {
      firstAt = Date.now();
      exitCode = exitCodesOf[signal];
      onFirst();
    } else if (Date.now() - firstAt > SAME_PRESS_MILLISECONDS) onSecond();
  };
  for (const signal of signals) process.on(signal, handle);
  return {
    get requested() {
      return firstAt !== null;
    },
    /** The exit code of a run that ends because of it. */
    get exitCode() {
      return exitCode;
    },
    /** Removes the handlers. */
    dispose() {
      for (const signal of signals) process.off(signal, handle);
    },
  };
}
