/** @param now milliseconds */
export function createRate(perSecond: number, burst: number, now: () => number = () => performance.now()) {
  let left = burst;
  let last = now();
  return {
    /** Takes one; false when there is none left. */
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
