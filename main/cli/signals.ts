/**
 * Ctrl-C: the first asks the run to stop cleanly with a checkpoint, a second one ends at once. npm passes on the signal
 * that the terminal has sent to both of us already, so the same key press can arrive twice within milliseconds.
 */

const SAME_PRESS_MILLISECONDS = 400;

export interface StopRequest {
  readonly requested: boolean;
  /** Lets go of the signals. */
  dispose(): void;
}

export function stopOnSignals(onFirst: () => void, onSecond: () => void): StopRequest {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let first: number | null = null;
  const handle = () => {
    const now = Date.now();
    if (first === null) {
      first = now;
      onFirst();
    } else if (now - first > SAME_PRESS_MILLISECONDS) onSecond();
  };
  for (const signal of signals) process.on(signal, handle);
  return {
    get requested() {
      return first !== null;
    },
    dispose() {
      for (const signal of signals) process.off(signal, handle);
    },
  };
}
