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
 * How far the least of the last half lies above the least of the first. What a page holds for a while, such as a chart that comes
 * into sight, comes and goes; what leaks is in the least as well.
 */
export function growthOfLeast(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  return Math.min(...values.slice(-half)) - Math.min(...values.slice(0, half));
}
