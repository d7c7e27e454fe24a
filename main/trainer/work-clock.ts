/**
 * Time spent working, for rates and time left: it stands still while the person pauses and while the computer sleeps,
 * and setting the system's clock does not move it.
 */
export interface WorkClock {
  /** Milliseconds since some moment. */
  now(): number;
  pause(): void;
  resume(): void;
  /** So many milliseconds were slept, not worked. */
  slept(milliseconds: number): void;
}

/** @param monotonic milliseconds that only ever grow, such as `performance.now` */
export function createWorkClock(monotonic: () => number): WorkClock {
  let lost = 0;
  let pausedAt: number | null = null;
  let last = 0;
  // A correction must not make time run backwards for those who have looked already.
  const forward = (value: number) => (last = Math.max(last, value));
  return {
    now: () => forward((pausedAt ?? monotonic()) - lost),
    pause: () => (pausedAt ??= monotonic()),
    resume() {
      if (pausedAt !== null) lost += monotonic() - pausedAt;
      pausedAt = null;
    },
    slept(milliseconds) {
      if (pausedAt === null) lost += milliseconds;
    },
  };
}
