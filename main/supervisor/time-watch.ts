/**
 * Notices that the computer slept or that its clock was set, from a timer that is expected to come regularly. What
 * counts time in this app is monotonic, so neither harms anything; both are worth knowing when a log is read. Pure.
 */
export interface Moment {
  /** Milliseconds that only ever grow. */
  readonly monotonic: number;
  /** Milliseconds since 1970, as the system's clock has them. */
  readonly wall: number;
}

export type Gap =
  /** This process did not run for so long, beyond the timer's interval. */
  | { readonly kind: 'slept'; readonly milliseconds: number; readonly monotonic: number }
  /** The clock was set back. */
  | { readonly kind: 'set_back'; readonly milliseconds: number };

/** A timer may be late by this much on a busy machine. */
const LATE = 15_000;

/** What happened between two ticks of a timer; null when nothing did. */
export function gapBetween(before: Moment, now: Moment, interval: number): Gap | null {
  const monotonic = now.monotonic - before.monotonic - interval;
  const wall = now.wall - before.wall - interval;
  if (wall < -LATE) return { kind: 'set_back', milliseconds: -wall };
  // Linux's monotonic clock stands still in sleep, others' do not. A clock that was set forward looks like a sleep on
  // Linux: it is told as one, and costs nothing.
  const longest = Math.max(monotonic, wall);
  if (longest <= LATE) return null;
  return { kind: 'slept', milliseconds: longest, monotonic: Math.max(0, monotonic) };
}
