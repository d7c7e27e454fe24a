/** What a page holds after its garbage is collected, as the browser counts it, and whether that grows. */
import type { Page } from 'playwright-core';

export interface Held {
  readonly bytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

export async function heldBy(page: Page): Promise<Held> {
  const session = await page.context().newCDPSession(page);
  try {
    // What a first collection lets go of may hold what a second one finds.
    for (let time = 0; time < 2; time++) await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
    return { bytes: usedSize, nodes, listeners: jsEventListeners };
  } finally {
    await session.detach();
  }
}

/** The growth from the first to the last of evenly spaced values, as a straight line through them has it. */
export function growth(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const top = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  const bottom = values.reduce((sum, _value, at) => sum + (at - middle) ** 2, 0);
  return (top / bottom) * (values.length - 1);
}

/**
 * How far the values of the last half lie above those of the first: the least of them, or the greatest, whichever is nearer. What a
 * page holds for a while, such as a chart that comes into sight or the screen that was left, comes and goes; where it was gone in
 * one round of the first half alone, the leasts say that it grew. What leaks is in the least and in the greatest.
 */
export function growthOfBoth(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  const [first, last] = [values.slice(0, half), values.slice(-half)];
  return Math.min(Math.min(...last) - Math.min(...first), Math.max(...last) - Math.max(...first));
}
