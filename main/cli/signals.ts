/**
 * Ctrl-C: the first asks the run to stop cleanly with a checkpoint, a second one ends at once. npm passes on the signal
 * that the terminal has sent to both of us already, so the same key press can arrive twice within milliseconds.
 */

/** What a shell reports of a process that a signal ended: 128 and the signal's number. */
const exitCodesOf = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const SAME_PRESS_MILLISECONDS = 400;

interface StopRequest {
  readonly requested: boolean;
  /** The exit code of a run that ends because of it. */
  readonly exitCode: number;
  /** Lets go of the signals. */
  dispose(): void;
}

export function stopOnSignals(onFirst: () => void, onSecond: () => void): StopRequest {
  const signals = Object.keys(exitCodesOf) as (keyof typeof exitCodesOf)[];
  let first: number | null = null;
  let exitCode: number = exitCodesOf.SIGINT;
  const handle = (signal: keyof typeof exitCodesOf) => {
    const now = Date.now();
    if (first === null) {
      first = now;
      exitCode = exitCodesOf[signal];
      onFirst();
    } else if (now - first > SAME_PRESS_MILLISECONDS) onSecond();
  };
  for (const signal of signals) process.on(signal, handle as NodeJS.SignalsListener);
  return {
    get requested() {
      return first !== null;
    },
    get exitCode() {
      return exitCode;
    },
    dispose() {
      for (const signal of signals) process.off(signal, handle as NodeJS.SignalsListener);
    },
  };
}
