/**
 * The items in order, so many together as fit: each batch holds at least one, and more only up to a size in all and a
 * count. Takes from `items` as it is asked.
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
