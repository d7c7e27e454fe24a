/**
 * How soon the page answers, as the browser itself measures it: interaction to next paint, with the Event Timing interface,
 * and where that time goes; and how much the page's thread computes for an answer, which no other program changes.
 */
import type { Page } from 'playwright-core';

interface Interaction {
  readonly name: string;
  readonly milliseconds: number;
  /** Before the page's own code begins: it, or another process, is at something else. */
  readonly delay: number;
  /** In the handlers of the event. */
  readonly handling: number;
  /** What follows from it in the page, and drawing that. */
  readonly painting: number;
}

export interface Interactions {
  readonly count: number;
  /** Milliseconds from an input to the next frame, in steps of 8. */
  readonly median: number;
  readonly slowest: number;
  /** The share that took longer than 100 ms. */
  readonly slow: number;
  readonly all: readonly Interaction[];
}

export interface Work {
  /** Does something on the page, until what comes of it is painted. */
  during(act: () => Promise<void>): Promise<void>;
  /** Milliseconds of the processor that the page's main thread took for each. */
  readonly all: readonly number[];
}

/** Counts the time of the processor, not of the clock: how busy the machine is otherwise makes no difference. */
export async function watchWork(page: Page): Promise<Work> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taken = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN);
  };
  const all: number[] = [];
  return {
    all,
    async during(act) {
      const before = await taken();
      await act();
      // The second frame comes after the first is painted.
      await page.evaluate(
        () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted(null)))),
      );
      all.push((await taken()) - before);
    },
  };
}

/** The least that so large a share of them stays within; 0.5 is the median. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? NaN;

interface Watched {
  interactions: Map<number, Interaction>;
}

/** From now on, until the page is loaded anew. */
export const watchInteractions = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const interactions: Watched['interactions'] = new Map();
    Object.assign(globalThis, { watched: { interactions } satisfies Watched });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEventTiming & { interactionId?: number })[]) {
        const id = entry.interactionId ?? 0;
        // A click is several events; the slowest of them is what one waits for.
        if (id === 0 || (interactions.get(id)?.milliseconds ?? 0) >= entry.duration) continue;
        interactions.set(id, {
          name: entry.name,
          milliseconds: entry.duration,
          delay: Math.round(entry.processingStart - entry.startTime),
          handling: Math.round(entry.processingEnd - entry.processingStart),
          painting: Math.round(entry.startTime + entry.duration - entry.processingEnd),
        });
      }
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
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
  const slow = times.filter((time) => time > 100).length / times.length;
  return { count: times.length, median: times[times.length >> 1] ?? 0, slowest: times.at(-1) ?? 0, slow, all: seen };
}
