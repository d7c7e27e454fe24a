// Writes the set-up's lines, and the progress of a download: a bar on a terminal, occasional lines elsewhere.
// A `SetupProblem` is one that the user can fix; it carries the command that does.

import { readCatalogues } from '../../main/installation/locales.mjs';
import { cacheFolder } from '../../main/installation/locations.mjs';

/** @typedef {{ write(text: string): unknown, isTTY?: boolean, columns?: number }} Output */

/** @typedef {import('../../shared/messages/message.js').Message} Message */
/** @typedef {{ say(text: string | Message): void, progress(label: string, done: number, total: number): void }} Report */

/** A message of main/installation in English. @param {Message} message */
export const textOf = ({ code, params }) =>
  (readCatalogues()['en']?.[code] ?? code).replace(/\{(\w+)\}/g, (_, name) => String(params?.[name] ?? ''));

/** Reports that another set-up is running. @param {Report} report @returns {(pid: string) => void} */
export const waitingFor = (report) => (pid) => report.say({ code: 'download.waits', params: { pid } });

/** Something is missing, and one command fixes it. */
export class SetupProblem extends Error {
  /**
   * @param {string} what the problem, a sentence without its full stop
   * @param {string} fix the command that fixes it
   * @param {{ passing?: boolean }} [options] passing: may be gone by itself later (network), so starts do not retry at once
   */
  constructor(what, fix, options = {}) {
    super(what);
    this.name = 'SetupProblem';
    this.fix = fix;
    this.passing = options.passing ?? false;
  }

  /**
   * Turns any error into a problem; one that is a problem already stays as it is, and that of the cache folder has its own fix.
   * @param {unknown} error
   * @param {string} what
   * @param {string} fix
   */
  static from(error, what, fix) {
    if (error instanceof SetupProblem) return error;
    const { message, path, code } = /** @type {NodeJS.ErrnoException} */ (error);
    return code !== undefined && path?.startsWith(cacheFolder())
      ? new SetupProblem(`The cache folder cannot be used (${message})`, 'set XDG_CACHE_HOME to a folder of yours')
      : new SetupProblem(`${what} (${message})`, fix, { passing: true });
  }

  get line() {
    return `${this.message}. To fix it: ${this.fix}`;
  }
}

/** @param {number} bytes */
export const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** @param {number} seconds */
const duration = (seconds) =>
  seconds < 90 ? `${String(Math.ceil(seconds))} s` : `${String(Math.ceil(seconds / 60))} min`;

/**
 * @param {Output} output
 * @returns {Report}
 */
export function createReport(output) {
  const linesEvery = 5_000; // milliseconds
  const barEvery = 100;
  const rateOver = 8_000; // the rate is that of the last seconds, so that a stall shows
  let label = '';
  let drawn = 0;
  let barShown = false;
  /** @type {{ time: number, done: number }[]} */
  let history = [];

  const clearBar = () => {
    if (barShown) output.write('\r\u001b[K');
    barShown = false;
  };

  return {
    say(text) {
      clearBar();
      output.write(`${typeof text === 'string' ? text : `  ${textOf(text)}`}\n`);
    },
    progress(what, done, total) {
      const now = performance.now();
      if (what !== label) {
        label = what;
        history = [];
        drawn = now;
      }
      history.push({ time: now, done });
      while (history.length > 2 && now - (history[0]?.time ?? now) > rateOver) history.shift();
      const finished = done >= total;
      if (!finished && now - drawn < (output.isTTY ? barEvery : linesEvery)) return;
      drawn = now;

      const first = history[0];
      const seconds = first ? (now - first.time) / 1000 : 0;
      const rate = first && seconds > 0.2 ? (done - first.done) / seconds : 0;
      const share = total > 0 ? Math.min(1, done / total) : 0;
      const figures = [
        `${String(Math.floor(share * 100)).padStart(3)} %`,
        `${megabytes(done)} of ${megabytes(total)} MB`,
        ...(rate > 0 ? [`${megabytes(rate)} MB/s`] : []),
        ...(rate > 0 && !finished ? [`${duration((total - done) / rate)} left`] : []),
      ].join(', ');
      if (!output.isTTY) {
        output.write(`  ${what}: ${figures.trim()}\n`);
        return;
      }
      const width = Math.max(0, Math.min(30, (output.columns || 80) - what.length - figures.length - 8));
      const bar = '#'.repeat(Math.round(share * width)).padEnd(width, '.');
      output.write(`\r\u001b[K  ${what} [${bar}] ${figures}`);
      barShown = true;
      if (finished) {
        output.write('\n');
        barShown = false;
      }
    },
  };
}

/**
 * The command that installs system packages here.
 * @param {string} packages Debian's names
 */
export function installCommand(packages) {
  return `${process.getuid?.() === 0 ? '' : 'sudo '}apt-get install -y ${packages}`;
}
