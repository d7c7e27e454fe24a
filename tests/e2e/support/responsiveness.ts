/** How soon the page answers, as the browser itself measures it: interaction to next paint, with the Event Timing interface. */
import type { Page } from 'playwright-core';

export interface Interactions {
  readonly count: number;
  /** Milliseconds from an input to the next frame, in steps of 8. */
  readonly median: number;
  readonly slowest: number;
  readonly all: readonly { readonly name: string; readonly milliseconds: number }[];
}

interface Watched {
  interactions: Map<number, { name: string; milliseconds: number }>;
}

/** From now on, until the page is loaded anew. */
export const watchInteractions = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const interactions = new Map<number, { name: string; milliseconds: number }>();
    Object.assign(globalThis, { watched: { interactions } satisfies Watched });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId?: number })[]) {
        const id = entry.interactionId ?? 0;
        // A click is several events; the slowest of them is what one waits for.
        if (id === 0 || (interactions.get(id)?.milliseconds ?? 0) >= entry.duration) continue;
        interactions.set(id, { name: entry.name, milliseconds: entry.duration });
      }
    }).observe({ type: 'event', buffered: true, durationThreshold: 16 } as PerformanceObserverInit);
  });

/** @param acts how many interactions there were: those that took under 16 ms are not reported by the browser */
export async function interactionsSoFar(page: Page, acts: number): Promise<Interactions> {
  // An entry comes after the frame it waited for.
  await page.waitForTimeout(300);
  const seen = await page.evaluate(() => {
    const { watched } = globalThis as unknown as { watched: Watched };
    return [...watched.interactions.values()];
  });
  const times = [
    ...seen.map(({ milliseconds }) => milliseconds),
    ...Array<number>(Math.max(0, acts - seen.length)).fill(8),
  ];
  times.sort((a, b) => a - b);
  return { count: times.length, median: times[times.length >> 1] ?? 0, slowest: times.at(-1) ?? 0, all: seen };
}
