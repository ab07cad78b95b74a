/**
 * Groups items in order into batches of at most `most.size` in total and `most.count` items; an item over the size is a
 * batch of its own. Lazy.
 */
export function* batches<Item>(
  items: Iterable<Item>,
  sizeOf: (item: Item) => number,
  most: { size: number; count?: number },
): Generator<Item[]> {
  let batch: Item[] = [];
  let size = 0;
  for (const item of items) {
    const more = sizeOf(item);
    if (batch.length > 0 && (size + more > most.size || batch.length === most.count)) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(item);
    size += more;
  }
  if (batch.length > 0) yield batch;
}
