/** Batches small items, as each message between a worker and its process has a cost. */

/**
 * Yields the items in order, as many at a time as reach a size.
 * @param size that a batch reaches with its last item; only the last batch is smaller
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
