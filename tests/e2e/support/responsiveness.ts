/** Measures how much the page's main thread computes for an interaction, which other programs do not change. */
import type { Page } from 'playwright-core';

interface Work {
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
