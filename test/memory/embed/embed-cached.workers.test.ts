import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { type EmbedDeps, embedCached, embedQuery, type HashedText } from "../../../src/memory/embed/embed-cached.ts";
import type { Embedder } from "../../../src/memory/embed/embedder.ts";
import { storeEmbeddings } from "../../../src/memory/embed/embedding-cache.ts";
import { localEmbedder } from "../../../src/memory/embed/local.ts";
import { at, heard, serve } from "../../security/outside-lab.ts";
import { along, embedderOf, failureOf, type GivenSettings, json, settingsWith } from "./provider-lab.ts";

const DAY_MS = 24 * 3600 * 1000;
const DIMENSIONS = 64;

/** An embedder with a server and a space of its own. */
function embedderAt(place: string): Embedder {
  return embedderOf({
    provider: "openai",
    model: "tiny",
    outputDimensionality: DIMENSIONS,
    remote: { baseUrl: at(place, "v1") },
  });
}

function roomWith(settings: GivenSettings = {}, others: Partial<EmbedDeps> = {}): EmbedDeps {
  const deps = { database: env.MEMORY, settings: settingsWith(settings), now: () => 1000, until: 2000 };
  return { ...deps, ...others };
}

const texts = (...written: string[]): HashedText[] => written.map((text) => ({ hash: `hash of ${text}`, text }));

/** The texts of each request at a path of the server. */
async function batches(place: string): Promise<string[][]> {
  return (await heard(place)).map(({ body }) => JSON.parse(body).input);
}

async function serveVectors(place: string, refuses?: string): Promise<void> {
  await serve(place, { "v1/embeddings": { embeds: { dimensions: DIMENSIONS, ...(refuses && { refuses }) } } });
}

/** The cached hashes of a space. */
async function kept({ space }: Embedder): Promise<string[]> {
  const { results } = await env.MEMORY.prepare("select hash from embedding_cache where space = ? order by hash")
    .bind(space)
    .all<{ hash: string }>();
  return results.map(({ hash }) => hash);
}

describe("embedding texts", () => {
  test("sends batches of the configured size, and equal texts once", async () => {
    await serveVectors("cached-batches");
    const embedder = embedderAt("cached-batches");
    const asked = texts("a", "b", "a", "c", "d", "e");
    const { vectors, left } = await embedCached(roomWith({ remote: { batch: { size: 2 } } }), embedder, asked);
    expect(await batches("cached-batches")).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(left).toBe(0);
    // "c" has the character code 99, and the answer has the last vector first.
    expect([...(vectors.get("hash of c") ?? [])]).toEqual(along(99 % DIMENSIONS, DIMENSIONS));
  });

  test("sends single texts if batches are off, and a long text in a request of its own", async () => {
    await serveVectors("cached-sizes");
    const embedder = embedderAt("cached-sizes");
    await embedCached(roomWith({ remote: { batch: { enabled: false } } }), embedder, texts("a", "b"));
    const long = "字".repeat(99_999);
    await embedCached(roomWith(), embedder, texts("c", long, "d"));
    expect((await batches("cached-sizes")).map((batch) => batch.map((text) => text[0]))).toEqual([
      ["a"],
      ["b"],
      ["c", "字"],
      ["d"],
    ]);
  });

  test("reads repeated texts from the cache, with nearly the same vector", async () => {
    await serveVectors("cached-again");
    const embedder = embedderAt("cached-again");
    const first = await embedCached(roomWith(), embedder, texts("a note of the day", "another"));
    const second = await embedCached(roomWith(), embedder, texts("a note of the day", "a third"));
    expect(await batches("cached-again")).toEqual([["a note of the day", "another"], ["a third"]]);
    const [before, after] = [first, second].map(({ vectors }) => vectors.get("hash of a note of the day"));
    const cosine = before?.reduce((sum, value, at) => sum + value * (after?.[at] ?? 0), 0);
    expect(cosine).toBeGreaterThan(0.999);
  });

  test("caches nothing if the cache is off, or if embedding is cheaper than a lookup", async () => {
    await serveVectors("cached-off");
    const embedder = embedderAt("cached-off");
    for (const _ of [1, 2]) await embedCached(roomWith({ cache: { enabled: false } }), embedder, texts("a"));
    expect(await batches("cached-off")).toHaveLength(2);
    expect((await embedCached(roomWith(), localEmbedder(), texts("a"))).vectors.size).toBe(1);
    expect([...(await kept(embedder)), ...(await kept(localEmbedder()))]).toEqual([]);
  });

  test("skips a refused text and embeds the others of its batch", async () => {
    await serveVectors("cached-refused", "poison");
    const asked = texts("a", "b", "poison 1", "c", "d", "e", "f", "poison 2", "  \n ");
    const { vectors, refused, left, failure } = await embedCached(roomWith(), embedderAt("cached-refused"), asked);
    expect([...vectors.keys()].sort()).toEqual(texts("a", "b", "c", "d", "e", "f").map(({ hash }) => hash));
    expect([...refused.keys()].sort()).toEqual(["hash of   \n ", "hash of poison 1", "hash of poison 2"]);
    expect([...refused.values()].join()).not.toContain("poison");
    expect({ left, failure }).toEqual({ left: 0, failure: undefined });
    expect((await batches("cached-refused")).length).toBeLessThan(14);
  });

  test("fails if every text is refused, because the request is wrong", async () => {
    await serve("cached-wrong", { "v1/embeddings": json({ error: { message: "Unknown field" } }, { status: 400 }) });
    const result = await embedCached(roomWith(), embedderAt("cached-wrong"), texts("a", "b", "c", "d"));
    expect(result).toMatchObject({ left: 4, failure: { kind: "unavailable" } });
    expect(result.refused.size).toBe(0);
    expect((await batches("cached-wrong")).map((batch) => batch.length)).toEqual([4, 2, 1, 1]);
  });

  test("tells a single refused text from a wrong request by means of a harmless text", async () => {
    await serveVectors("cached-single", "poison");
    const { refused, failure } = await embedCached(roomWith(), embedderAt("cached-single"), texts("poison"));
    expect([refused.size, failure]).toEqual([1, undefined]);
  });

  test("keeps finished batches and reports the failure when a provider fails halfway", async () => {
    await serveVectors("cached-half");
    const working = embedderAt("cached-half");
    let asked = 0;
    const failing: Embedder = {
      ...working,
      embed: async (...args) => {
        if (++asked === 2) await serve("cached-half", { "v1/embeddings": json({}, { status: 503 }) });
        return working.embed(...args);
      },
    };
    const settings = { remote: { batch: { size: 2 } } };
    const result = await embedCached(roomWith(settings), failing, texts("a", "b", "c", "d", "e"));
    expect(result).toMatchObject({ left: 3, failure: { kind: "unavailable" } });
    expect(await kept(working)).toEqual(["hash of a", "hash of b"]);
    await serveVectors("cached-half");
    expect(
      (await embedCached(roomWith(settings), embedderAt("cached-half"), texts("a", "b", "c", "d", "e"))).left,
    ).toBe(0);
  });

  test("stops when its time is over or it is aborted", async () => {
    await serveVectors("cached-late");
    const embedder = embedderAt("cached-late");
    let now = 0;
    const ticking = roomWith({ remote: { batch: { size: 1 } } }, { now: () => (now += 100), until: 550 });
    const first = await embedCached(ticking, embedder, texts("a", "b", "c", "d"));
    expect(first.failure).toBeUndefined();
    expect(first.left).toBeGreaterThan(0);
    expect(first.vectors.size + first.left).toBe(4);
    const off = AbortSignal.abort();
    expect(await embedCached(roomWith({}, { signal: off }), embedder, texts("x"))).toMatchObject({ left: 1 });
    await serve("cached-late", { "v1/embeddings": { hang: "head" } });
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), 50);
    const called = await embedCached(roomWith({}, { signal: leaving.signal }), embedder, texts("y", "z"));
    expect([called.left, called.failure]).toEqual([2, undefined]);
  });
});

describe("the embedding cache", () => {
  test("separates providers and models", async () => {
    await serveVectors("cached-space-1");
    await serveVectors("cached-space-2");
    await embedCached(roomWith(), embedderAt("cached-space-1"), texts("a"));
    await embedCached(roomWith(), embedderAt("cached-space-2"), texts("a"));
    expect(await batches("cached-space-2")).toHaveLength(1);
  });

  test("deletes the least recently used entries above its limit", async () => {
    await env.MEMORY.prepare("delete from embedding_cache").run();
    const embedder = embedderAt("cached-pruned");
    const names = (name: string) => Array.from({ length: 20 }, (_, at) => `${name} ${at}`);
    const keep = (name: string, day: number) => {
      const made = names(name).map((hash, at) => [hash, Float32Array.from(along(at, DIMENSIONS))] as const);
      return storeEmbeddings(env.MEMORY, embedder, new Map(made), { now: day * DAY_MS, maxEntries: 60 });
    };
    for (const [day, name] of ["used again", "b", "c", "d", "e"].entries()) await keep(name, day);
    const again = names("used again").map((hash) => ({ hash, text: "…" }));
    await embedCached(roomWith({}, { now: () => 5 * DAY_MS, until: 6 * DAY_MS }), embedder, again);
    await keep("f", 6);
    expect(new Set((await kept(embedder)).map((hash) => hash.replace(/ \d+$/, "")))).toEqual(
      new Set(["used again", "e", "f"]),
    );
    expect(await kept(embedder)).toHaveLength(60);
  });

  test("reads only the rows of the requested texts", async () => {
    const embedder = embedderAt("cached-plan");
    const plan = await env.MEMORY.prepare(
      "explain query plan select * from embedding_cache where hash in (select value from json_each(?)) and space = ?",
    )
      .bind(JSON.stringify(["a"]), embedder.space)
      .all<{ detail: string }>();
    expect(plan.results.map(({ detail }) => detail).join()).toMatch(
      /SEARCH embedding_cache USING INDEX .*hash=\? AND space=\?/,
    );
  });
});

describe("the vector of a query", () => {
  test("is requested as a query and fails with an EmbedError", async () => {
    await serveVectors("cached-query");
    const embedder = embedderAt("cached-query");
    expect(await embedQuery(embedder, "c")).toHaveLength(DIMENSIONS);
    await serve("cached-query", { "v1/embeddings": { hang: "head" } });
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), 50);
    expect((await failureOf(embedQuery(embedder, "c", leaving.signal))).kind).toBe("timeout");
  });
});
