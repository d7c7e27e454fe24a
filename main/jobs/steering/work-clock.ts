/** The time that was really worked. */

export type WorkClock = ReturnType<typeof createWorkClock>;

/**
 * Time spent working, for rates and time left: it stands still while the person pauses and while the computer sleeps,
 * and setting the system's clock does not move it.
 * @param monotonic milliseconds that only ever grow, such as `performance.now`
 */
export function createWorkClock(monotonic: () => number) {
  let lost = 0;
  let pausedAt: number | null = null;
  let last = 0;
  return {
    /** Milliseconds since some moment. A correction does not make time run backwards for those who have looked already. */
    now: () => (last = Math.max(last, (pausedAt ?? monotonic()) - lost)),
    pause(): void {
      pausedAt ??= monotonic();
    },
    resume(): void {
      if (pausedAt !== null) lost += monotonic() - pausedAt;
      pausedAt = null;
    },
    /** So many milliseconds were slept, not worked. */
    slept(milliseconds: number): void {
      if (pausedAt === null) lost += milliseconds;
    },
  };
}
