/** Detects a hung trainer: silent without using the processor, or silent far longer than ever before. */
import * as fs from 'node:fs';

export interface WatchdogLimits {
  /** Silence, in milliseconds, after which its use of the processor is looked at. */
  readonly silence: number;
  /** Silence that is too long however busy it is. */
  readonly longest: number;
}

export const defaultLimits: WatchdogLimits = { silence: 30_000, longest: 30 * 60_000 };

/** A busy process uses at least this share of one processor. */
const BUSY_SHARE = 0.02;
/** Where use cannot be seen: so many times the longest silence that ended well. */
const UNUSUAL = 10;

/** Pure: moments are milliseconds of one clock. */
export function createWatchdog(limits: WatchdogLimits, start: number) {
  let last = start;
  let longestSilence = 0;
  let looked: { readonly at: number; readonly used: number } | null = null;
  return {
    answered(now: number): void {
      longestSilence = Math.max(longestSilence, now - last);
      last = now;
      looked = null;
    },
    /** Time the machine was suspended. */
    excuse(now: number): void {
      last = now;
      looked = null;
    },
    /**
     * True when the process hangs.
     * @param used seconds of processor time so far; null if the system does not report it
     */
    hangs(now: number, used: number | null): boolean {
      const silence = now - last;
      if (silence < limits.silence / 2) return false;
      if (silence >= limits.longest) return true;
      if (used === null) return silence >= Math.max(2 * limits.silence, UNUSUAL * longestSilence);
      // The second half of the silence is what is looked at: the first may still have been work.
      looked ??= { at: now, used };
      if (silence < limits.silence || now - looked.at < limits.silence / 2) return false;
      const busy = (used - looked.used) * 1000 >= BUSY_SHARE * (now - looked.at);
      if (busy) looked = { at: now, used };
      return !busy;
    },
  };
}

/** Clock ticks a second, as Linux has them for every program. */
const TICKS = 100;

/** Seconds of processor time that a process has used, with all its threads; null if the system does not report it. */
export function processorSeconds(pid: number): number | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name is in brackets and may hold anything: count from the last one (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks / TICKS : null;
  } catch {
    return null;
  }
}

export interface Moment {
  readonly monotonic: number;
  /** Milliseconds since 1970, as the system's clock has them. */
  readonly wall: number;
}

type Gap =
  /** This process did not run for so long, beyond the timer's interval. */
  | { readonly kind: 'slept'; readonly milliseconds: number; readonly monotonic: number }
  /** The clock was set back. */
  | { readonly kind: 'set_back'; readonly milliseconds: number };

/** A timer may be late by this much on a busy machine. */
const LATE = 15_000;

/** Detects between two ticks that the computer slept or its clock was set; null if neither. */
export function gapBetween(before: Moment, now: Moment, interval: number): Gap | null {
  const monotonic = now.monotonic - before.monotonic - interval;
  const wall = now.wall - before.wall - interval;
  if (wall < -LATE) return { kind: 'set_back', milliseconds: -wall };
  // Linux's monotonic clock stops during suspension, others' do not. A clock that was set forward looks like a
  // suspension on Linux: it is reported as one, and costs nothing.
  const longest = Math.max(monotonic, wall);
  if (longest <= LATE) return null;
  return { kind: 'slept', milliseconds: longest, monotonic: Math.max(0, monotonic) };
}
