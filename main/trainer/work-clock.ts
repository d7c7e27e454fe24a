/** Measures the time that was really spent working. */

export type WorkClock = ReturnType<typeof createWorkClock>;

/** Creates a clock for rates: it stops during pauses and sleep and ignores changes of the system's clock. */
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
