/** How fast a download is lately, and how long it still takes; told some times a second and not for every piece. */

export interface FetchRate {
  readonly done: number;
  readonly total: number;
  /** Bytes a second, and seconds until it is there; null until that can be told. */
  readonly rate: number | null;
  readonly seconds_left: number | null;
}

const EVERY_MILLISECONDS = 200;
/** The rate is that of the last seconds, so that a stall shows. */
const WINDOW_MILLISECONDS = 10_000;
const SETTLING_MILLISECONDS = 500;

/** @param now milliseconds */
export function createFetchMeter(now: () => number, tell: (progress: FetchRate) => void) {
  let samples: { readonly at: number; readonly done: number }[] = [];
  let told = -Infinity;
  return (done: number, total: number): void => {
    const at = now();
    if (done < total && at - told < EVERY_MILLISECONDS) return;
    told = at;
    samples.push({ at, done });
    samples = samples.filter((sample) => at - sample.at <= WINDOW_MILLISECONDS);
    const [first = { at, done }] = samples;
    const seconds = (at - first.at) / 1000;
    const isSettled = at - first.at >= SETTLING_MILLISECONDS && done > first.done;
    const rate = isSettled ? (done - first.done) / seconds : null;
    tell({ done, total, rate, seconds_left: rate === null ? null : (total - done) / rate });
  };
}
