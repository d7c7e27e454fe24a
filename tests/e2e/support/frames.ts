/** The frames that a page draws while something happens to it. */
import type { Page } from 'playwright-core';

export interface Frames {
  readonly count: number;
  readonly seconds: number;
  /** The longest of this share of them, in milliseconds: 0.5 is the median, 1 the slowest. */
  at(share: number): number;
}

/** Counts from here on. @returns what was drawn since */
export async function watchFrames(page: Page): Promise<() => Promise<Frames>> {
  await page.evaluate(() => {
    const frames: number[] = [];
    Object.assign(globalThis, { frames });
    let last = performance.now();
    const next = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  return async () => {
    const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames.slice(1));
    const sorted = frames.toSorted((a, b) => a - b);
    return {
      count: frames.length,
      seconds: frames.reduce((sum, frame) => sum + frame, 0) / 1000,
      at: (share) => sorted[Math.floor(share * (sorted.length - 1))] ?? NaN,
    };
  };
}
