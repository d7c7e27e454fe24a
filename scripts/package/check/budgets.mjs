// How large a package may be, and how long a person may wait for its window. More is a failure, never a remark.
import { availableParallelism, loadavg } from 'node:os';
import { megabytes } from '../../setup/report.mjs';

/** @typedef {import('./index.mjs').Finding} Finding */

export const budgets = /** @type {const} */ ({
  /** Bytes of all files once installed, and of an AppImage as it is downloaded. */
  installed: 1_000_000_000,
  AppImage: 330_000_000,
  /** Seconds from the command to the window: as nothing of the app was there before, and after that. */
  firstStart: 3,
  warmStart: 2,
  /** A machine that does other things as well is slower now and then: so often it is tried, and the best counts. */
  tries: 5,
});

/**
 * @param {string} name
 * @param {number} bytes
 * @param {number} most
 * @returns {Finding}
 */
export const withinBytes = (name, bytes, most) => ({
  name: `${name}: at most ${megabytes(most)} MB`,
  passed: bytes > 0 && bytes <= most,
  detail: `${megabytes(bytes)} MB`,
});

/**
 * @param {string} name
 * @param {readonly { seconds: number, load: number }[]} tries in their order
 * @param {number} most
 * @returns {Finding} it says each try, with the load of the machine at that time
 */
export const withinSeconds = (name, tries, most) => ({
  name: `${name}: at most ${String(most)} s`,
  passed: tries.some(({ seconds }) => seconds <= most),
  detail: `${tries.map(({ seconds, load }) => `${seconds.toFixed(1)} s at load ${load.toFixed(1)}`).join(', ')} on ${String(availableParallelism())} cores`,
});

/** How many processes want a core, on the mean of the last minute. */
export const load = () => loadavg()[0] ?? 0;
