/** Measures the time that was really spent working. */

export type WorkClock = ReturnType<typeof createWorkClock>;

/**
 * Creates a clock for rates and time left: it stops during pauses and while the computer sleeps, and setting the system's
 * clock does not move it.
 * @param monotonic milliseconds that only increase, such as `performance.now`
 */
export function createWorkClock(monotonic: () => number) {
  let lost = 0;
  let pausedAt: number | null = null;
  let last = 0;
  return {
    /** @returns milliseconds since some moment; a correction never lets it run backwards */
    now: () => (last = Math.max(last, (pausedAt ?? monotonic()) - lost)),
    pause(): void {
      pausedAt ??= monotonic();
    },
    resume(): void {
      if (pausedAt !== null) lost += monotonic() - pausedAt;
      pausedAt = null;
    },
    /** Subtracts milliseconds during which the computer slept. */
    slept(milliseconds: number): void {
      if (pausedAt === null) lost += milliseconds;
    },
  };
}
