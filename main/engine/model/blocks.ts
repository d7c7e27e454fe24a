/** What is done with the parameters of one block after the other, in a compiled function. */
import { beginSegment } from '../runtime/control-flow.js';

/**
 * What is made of each parameter, or of what belongs to it, in order. A stretch begins with each block: blocks are alike, and what is
 * done with each is compiled once.
 * @param what is done, in a word; each is counted for itself
 */
export function blockByBlock<T, R>(
  what: string,
  named: Readonly<Record<string, T>>,
  make: (name: string, value: T) => R,
): R[] {
  let block: string | undefined;
  return Object.entries(named).map(([name, value]) => {
    const own = /\.\d+\./.exec(name)?.[0] ?? '';
    if (own !== block) beginSegment(what);
    block = own;
    return make(name, value);
  });
}
