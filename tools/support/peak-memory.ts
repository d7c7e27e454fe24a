/**
 * Measures this process's peak memory. Linux counts into a child's `maxRSS` its parent's former memory; /proc has the
 * process's own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

/** Resident memory at its most, in bytes. */
export function peakMemory(): number {
  try {
    const kibibytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kibibytes !== undefined) return Number(kibibytes) * 1024;
  } catch {
    // not Linux
  }
  return process.resourceUsage().maxRSS * 1024;
}

/** Resets the peak to the present size, if the system can. */
export function forgetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // not Linux, or not allowed
  }
}
