/** Measures the recent rate of a download and the time left, a few times a second. */

export interface FetchRate {
  readonly done: number;
  readonly total: number;
  /** Bytes a second, and seconds left; null until they are measured. */
  readonly rate: number | null;
  readonly seconds_left: number | null;
}

const EVERY_MILLISECONDS = 200;
/** The rate is that of the last seconds, so that a stall shows. */
const WINDOW_MILLISECONDS = 10_000;
const SETTLING_MILLISECONDS = 500;

/** @param now milliseconds */
export function createFetchMeter(now: () => number, report: (progress: FetchRate) => void) {
  let samples: { readonly at: number; readonly done: number }[] = [];
  let lastReport = -Infinity;
  return (done: number, total: number): void => {
    const at = now();
    if (done < total && at - lastReport < EVERY_MILLISECONDS) return;
    lastReport = at;
    samples.push({ at, done });
    samples = samples.filter((sample) => at - sample.at <= WINDOW_MILLISECONDS);
    const [first = { at, done }] = samples;
    const isSettled = at - first.at >= SETTLING_MILLISECONDS && done > first.done;
    const rate = isSettled ? (1000 * (done - first.done)) / (at - first.at) : null;
    report({ done, total, rate, seconds_left: rate === null ? null : (total - done) / rate });
  };
}
