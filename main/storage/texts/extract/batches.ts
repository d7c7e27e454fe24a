/** Batches small items, as each message between a worker and its process has a cost. */

/** Yields batches of at least `size`, except the last. */
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
