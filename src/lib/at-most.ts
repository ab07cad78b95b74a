/**
 * Maps items with at most `count` calls at a time; results keep the order of the items. Rejects with the first failure.
 */
export async function atMost<Item, Result>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  async function worker(): Promise<void> {
    for (const [at, item] of rest) results[at] = await work(item);
  }
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, worker));
  return results;
}
