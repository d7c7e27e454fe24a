/** Measures what a page holds after garbage collection, and whether that grows. */
import type { Page } from 'playwright-core';

interface Held {
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

/**
 * Returns how far the last half lies above the first, by its least or greatest value, whichever is nearer. A page holds some
 * things for a while, such as the previous screen; a leak raises both the least and the greatest.
 */
export function growthOfBoth(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  const [first, last] = [values.slice(0, half), values.slice(-half)];
  return Math.min(Math.min(...last) - Math.min(...first), Math.max(...last) - Math.max(...first));
}
