import { expect, test } from "vitest";
import { LISTING_FRESH_MS, ListingCache } from "../../src/services/listing-cache.ts";

function opened() {
  let now = 1_800_000_000_000;
  const cache = new ListingCache<{ path: string; etag: string }>(() => now);
  const wait = (ms: number) => {
    now += ms;
  };
  return { cache, wait };
}

test("a listing serves for a minute", async () => {
  const { cache, wait } = opened();
  expect(cache.fresh("agents/a/")).toBeUndefined();
  const entries = await cache.refresh("agents/a/", async () => [{ path: "a.md", etag: "1" }]);
  wait(LISTING_FRESH_MS - 1);
  expect(cache.fresh("agents/a/")).toBe(entries);
  wait(1);
  expect(cache.fresh("agents/a/")).toBeUndefined();
  expect(cache.known("agents/a/")).toBe(entries);
});

test("the same files are the same object, and changed ones another", async () => {
  const { cache } = opened();
  const first = await cache.refresh("a/", async () => [{ path: "a.md", etag: "1" }]);
  await cache.refresh("a/", async () => [{ path: "a.md", etag: "1" }]);
  expect(cache.known("a/")).toBe(first);
  await cache.refresh("a/", async () => [{ path: "a.md", etag: "2" }]);
  expect(cache.known("a/")).toEqual([{ path: "a.md", etag: "2" }]);
});

test("a write drops what it may have changed, also a listing that is being made", async () => {
  const { cache } = opened();
  await cache.refresh("a/", async () => [{ path: "a.md", etag: "1" }]);
  await cache.refresh("b/", async () => [{ path: "b.md", etag: "1" }]);
  const listing = cache.refresh("a/skills/", async () => [{ path: "c.md", etag: "1" }]);
  cache.drop("a/");
  expect(await listing).toHaveLength(1);
  expect([cache.known("a/"), cache.known("a/skills/"), cache.known("b/")]).toEqual([
    undefined,
    undefined,
    [{ path: "b.md", etag: "1" }],
  ]);
});

test("a listing that fails leaves the one before", async () => {
  const { cache } = opened();
  const entries = await cache.refresh("a/", async () => [{ path: "a.md", etag: "1" }]);
  await expect(cache.refresh("a/", () => Promise.reject(new Error("R2 is away.")))).rejects.toThrow("R2 is away.");
  expect(cache.fresh("a/")).toBe(entries);
});
