/** Identifies a running process by its id and start time, as ids are reused. (proc(5), field 22 of stat) */
import * as fs from 'node:fs';

/** Replaces a start time that the platform does not report. */
export const unknownStart = '0';

/**
 * Identifies a process's start by letters and digits that no other process with this id has: its boot and clock ticks
 * since then.
 * @param {number} pid
 * @param {string} [proc] where the proc file system is
 * @returns {string | null} `unknownStart` on other platforms; null when there is no such process
 */
export function processStart(pid, proc = '/proc') {
  if (!signalReaches(pid)) return null;
  let stat;
  let boot;
  try {
    stat = fs.readFileSync(`${proc}/${String(pid)}/stat`, 'latin1');
    boot = fs.readFileSync(`${proc}/sys/kernel/random/boot_id`, 'latin1').slice(0, 8);
  } catch {
    return unknownStart;
  }
  // The command's name is in brackets and may hold anything, brackets too: count from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  if (state === 'Z' || state === 'X') return null; // ended, and only not yet waited for
  return `${boot}${String(fields[19])}`;
}

/** @param {number} pid */
function signalReaches(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Not allowed to signal it: then it is there, and someone else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Whether the process with this id, started then, still runs. Unknown start times count as the same.
 * @param {number} pid
 * @param {string} start
 */
export function isRunning(pid, start) {
  const now = processStart(pid);
  return now !== null && (now === start || now === unknownStart || start === unknownStart);
}

/** When this process started; it is there, or it would not ask. */
export const ownStart = String(processStart(process.pid));
