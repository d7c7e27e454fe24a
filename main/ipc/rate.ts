/** How often something may happen: a bucket that fills steadily up to a burst (token bucket). */

interface Rate {
  /** Takes one; false when there is none left. */
  take(): boolean;
}

/** @param now milliseconds */
export function createRate(perSecond: number, burst: number, now: () => number = () => performance.now()): Rate {
  let left = burst;
  let last = now();
  return {
    take() {
      const time = now();
      left = Math.min(burst, left + ((time - last) / 1000) * perSecond);
      last = time;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
