/** Runs costly work one piece at a time while the page is idle, so that clicks are handled first. */

/** The next piece of work runs after this many milliseconds, however busy the page is. */
const MAX_WAIT = 250;

const waiting = new Set<() => void>();
let isScheduled = false;

/** Browsers without `requestIdleCallback` run the next piece after what is queued already. */
const whenIdle: (work: () => void) => void =
  'requestIdleCallback' in globalThis
    ? (work) => void requestIdleCallback(work, { timeout: MAX_WAIT })
    : (work) => void setTimeout(work);

function next(): void {
  if (isScheduled || waiting.size === 0) return;
  isScheduled = true;
  whenIdle(() => {
    isScheduled = false;
    const [first] = waiting;
    if (first === undefined) return;
    waiting.delete(first);
    first();
    next();
  });
}

/** Queues work; a piece that waits already keeps its place. */
export function takeTurn(work: () => void): void {
  waiting.add(work);
  next();
}

export const dropTurn = (work: () => void): boolean => waiting.delete(work);
