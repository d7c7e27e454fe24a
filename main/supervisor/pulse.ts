/**
 * Is a trainer still at work? It answers between two steps, and a step may take long; so silence alone proves nothing.
 * What does: silence while it uses no processor. Where the system does not tell what a process uses, silence counts
 * when it is far longer than any before. Pure but for the two looks that are passed in.
 */
import * as fs from 'node:fs';

export interface PulseLimits {
  /** Silence, in milliseconds, after which its use of the processor is looked at. */
  readonly silence: number;
  /** Silence that is too long however busy it is. */
  readonly longest: number;
}

export const defaultLimits: PulseLimits = { silence: 30_000, longest: 30 * 60_000 };

/** A busy process uses at least this share of one processor. */
const BUSY_SHARE = 0.02;
/** Where use cannot be seen: so many times the longest silence that ended well. */
const UNUSUAL = 10;

export interface Pulse {
  answered(now: number): void;
  /** Time that nobody could have answered in: the computer slept. */
  excuse(now: number): void;
  /** True when the process hangs. @param used seconds of processor time so far; null when the system does not tell */
  hangs(now: number, used: number | null): boolean;
}

export function createPulse(limits: PulseLimits, start: number): Pulse {
  let last = start;
  let longestSilence = 0;
  let looked: { readonly at: number; readonly used: number } | null = null;
  return {
    answered(now) {
      longestSilence = Math.max(longestSilence, now - last);
      last = now;
      looked = null;
    },
    excuse(now) {
      last = now;
      looked = null;
    },
    hangs(now, used) {
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

/** Seconds of processor time that a process has used, with all its threads; null where the system does not tell. */
export function processorSeconds(pid: number, proc = '/proc'): number | null {
  try {
    const stat = fs.readFileSync(`${proc}/${pid}/stat`, 'latin1');
    // The command's name stands in brackets and may hold anything: count from the last one (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks / TICKS : null;
  } catch {
    return null;
  }
}
