/** Work that is done one after the other and only while nothing else is to do, so that whoever clicks is answered before. */

/** However busy the page is, the next one in turn has it after so many milliseconds. */
const MAX_WAIT = 250;

const waiting = new Set<() => void>();
let asked = false;

/** Not every browser says when it has nothing to do; there a turn comes after what is waiting already. */
const whenIdle: (work: () => void) => void =
  'requestIdleCallback' in globalThis
    ? (work) => void requestIdleCallback(work, { timeout: MAX_WAIT })
    : (work) => void setTimeout(work);

function next(): void {
  if (asked || waiting.size === 0) return;
  asked = true;
  whenIdle(() => {
    asked = false;
    const [first] = waiting;
    if (first === undefined) return;
    waiting.delete(first);
    first();
    next();
  });
}

/** What waits already keeps its place. */
export function takeTurn(work: () => void): void {
  waiting.add(work);
  next();
}

export const dropTurn = (work: () => void): boolean => waiting.delete(work);
