/** Small things handed on together: what a worker reads of a file goes to its process in messages, each of which costs. */

/**
 * The items in order, as many at a time as reach a size.
 * @param size of a batch: with its last item it reaches it; only the batch at the end is smaller
 * @param sizeOf one item, in the same unit
 */
export function* inBatches<T>(items: Iterable<T>, size: number, sizeOf: (item: T) => number): Generator<T[]> {
  let batch: T[] = [];
  let gathered = 0;
  for (const item of items) {
    batch.push(item);
    gathered += sizeOf(item);
    if (gathered < size) continue;
    yield batch;
    [batch, gathered] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
