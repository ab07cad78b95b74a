import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { fillVectors, removeVectors } from "../../../src/memory/vectors/fill-vectors.ts";
import { openVectorSearch } from "../../../src/memory/vectors/vector-search.ts";
import { vectorStatus } from "../../../src/memory/vectors/vector-status.ts";
import type { VectorDeps } from "../../../src/memory/vectors/vector-store.ts";
import { StandInVectorize } from "../../fakes/vectorize.ts";
import { watchDatabase } from "../watch-database.ts";
import { NO_KEY, OVERLOADED, openVectors, WordEmbedder } from "./space-lab.ts";

const BUDGET = { budgetMs: 10_000 };

function near(deps: VectorDeps, query: string, count = 3) {
  return openVectorSearch(deps)!.nearest(query, count);
}

async function nearest(deps: VectorDeps, query: string): Promise<number | undefined> {
  return (await near(deps, query)).near[0]?.chunkId;
}

/** Different notes about a topic. */
function notes(count: number, topic: string): string[] {
  return Array.from({ length: count }, (_, at) => `${topic} number${at} says thing${at * 7}`);
}

describe("filling a space", () => {
  test("makes one vector for every live chunk", async () => {
    const lab = await openVectors();
    const openai = new WordEmbedder("openai");
    lab.deps.embedders = { primary: openai, fallback: undefined };
    const ids = await lab.write(...notes(600, "garden"), "the cat was vaccinated in May");
    expect(await near(lab.deps, "cat")).toMatchObject({ near: [], degraded: { code: "vectors_incomplete" } });
    expect(await fillVectors(lab.deps, BUDGET)).toEqual({ left: 0 });
    const answer = await near(lab.deps, "vaccinated cat");
    expect(answer.near[0]?.chunkId).toBe(ids.at(-1));
    expect(answer).toMatchObject({ embedder: { provider: "openai", model: "words", sees: "meaning" } });
    expect(answer.degraded).toBeUndefined();
    expect(await vectorStatus(lab.deps)).toMatchObject({
      vectors: { store: "d1", ready: { space: "openai/words/64", vectors: 601 }, building: null },
      failure: null,
      isWhole: true,
    });
    const [more] = await lab.write("the dentist is in Linz");
    expect((await vectorStatus(lab.deps)).isWhole).toBe(false);
    await fillVectors(lab.deps, BUDGET);
    await fillVectors(lab.deps, BUDGET);
    expect(openai.asked).toHaveLength(602);
    expect(await nearest(lab.deps, "dentist Linz")).toBe(more);
  });

  test("stays within the D1 statements of an invocation and continues with the next call", async () => {
    const lab = await openVectors();
    const words = new WordEmbedder("openai");
    const vector = words.vectorOf("all alike");
    const primary = {
      ...words,
      space: words.space,
      embed: async (texts: readonly string[]) => texts.map(() => vector),
    };
    const statements: string[] = [];
    const prepare = (query: string) => {
      statements.push(query);
      return env.MEMORY.prepare(query);
    };
    const batch: D1Database["batch"] = (all) => env.MEMORY.batch(all);
    const deps = { ...lab.deps, embedders: { primary, fallback: undefined } };
    const ids = await lab.write(...notes(9000, "garden"));
    expect(await fillVectors({ ...deps, database: { prepare, batch } as D1Database }, BUDGET)).toEqual({ left: 1 });
    expect(statements.length).toBeLessThan(600);
    expect(await fillVectors(deps, BUDGET)).toEqual({ left: 0 });
    expect(await lab.withVector(primary)).toEqual(ids);
  });

  test("continues after its time was over", async () => {
    const lab = await openVectors();
    const openai = new WordEmbedder("openai");
    lab.deps.embedders = { primary: openai, fallback: undefined };
    const ids = await lab.write(...notes(100, "garden"));
    openai.meanwhile = async () => {
      lab.clock.now += 4000;
    };
    let steps = 0;
    while ((await fillVectors(lab.deps, BUDGET)).left > 0) {
      steps++;
      const { degraded, near: found } = await near(lab.deps, "garden");
      expect(degraded?.code).toBe("vectors_incomplete");
      expect(found.length).toBeGreaterThan(0);
    }
    expect(steps).toBeGreaterThan(1);
    expect(openai.asked).toHaveLength(100);
    expect(await lab.withVector(openai)).toEqual(ids);
    expect((await lab.spaces()).map(({ state }) => state)).toEqual(["ready"]);
  });

  test("finds chunks of a version that became live after newer ones", async () => {
    const lab = await openVectors();
    const openai = new WordEmbedder("openai");
    lab.deps.embedders = { primary: openai, fallback: undefined };
    const version = await lab.build("the spare key is under the fern");
    const [later] = await lab.write("the bicycle is blue");
    await fillVectors(lab.deps, BUDGET);
    await fillVectors(lab.deps, BUDGET);
    expect(await lab.withVector(openai)).toEqual([later]);
    expect(openai.asked).toEqual(["the bicycle is blue"]);
    const [second] = await version.add("and the other one is with Ida");
    await lab.write("the car is red");
    await version.finish();
    await fillVectors(lab.deps, BUDGET);
    expect(await nearest(lab.deps, "spare key fern")).toBe(version.chunkIds[0]);
    expect(await nearest(lab.deps, "other Ida")).toBe(second);
    expect(openai.asked).toHaveLength(4);
  });

  test("leaves no vector of a chunk that was deleted while it was embedded", async () => {
    const lab = await openVectors();
    const openai = new WordEmbedder("openai");
    lab.deps.embedders = { primary: openai, fallback: undefined };
    const [gone] = await lab.write("a secret that is deleted");
    const [stays] = await lab.write("a note that stays");
    openai.meanwhile = async () => {
      await lab.kill(gone!);
      await removeVectors(lab.deps, [gone!]);
    };
    await fillVectors(lab.deps, BUDGET);
    expect(await lab.withVector(openai)).toEqual([stays]);
    await removeVectors(lab.deps, [stays!]);
    await removeVectors(lab.deps, [stays!]);
    expect(await lab.withVector(openai)).toEqual([]);
  });

  test("keeps agents separate", async () => {
    const [mine, theirs] = [await openVectors(), await openVectors()];
    for (const { deps } of [mine, theirs]) {
      deps.embedders = { primary: new WordEmbedder("openai"), fallback: undefined };
    }
    const [note] = await mine.write("the safe is behind the painting");
    await theirs.write("a shopping list");
    await fillVectors(mine.deps, BUDGET);
    await fillVectors(theirs.deps, BUDGET);
    expect((await near(theirs.deps, "safe painting")).near.map(({ chunkId }) => chunkId)).not.toContain(note);
  });

  test("duplicates nothing when two run at once", async () => {
    const lab = await openVectors();
    const openai = new WordEmbedder("openai");
    lab.deps.embedders = { primary: openai, fallback: undefined };
    const ids = await lab.write(...notes(200, "garden"));
    await Promise.all([fillVectors(lab.deps, BUDGET), fillVectors(lab.deps, BUDGET), fillVectors(lab.deps, BUDGET)]);
    expect(await lab.spaces()).toHaveLength(1);
    expect(await lab.withVector(openai)).toEqual(ids);
    const { near: found } = await near(lab.deps, "garden", 300);
    expect(found.map(({ chunkId }) => chunkId).toSorted((a, b) => a - b)).toEqual(ids);
  });

  test.each<"before" | "after">(["before", "after"])(
    "a crash %s any call is repaired by the next run",
    { timeout: 90_000 },
    async (when) => {
      const story = async (dying: number) => {
        const lab = await openVectors();
        const [old, young] = [new WordEmbedder("openai", "old"), new WordEmbedder("openai", "younger")];
        lab.known.push(old);
        const ids = await lab.write(...notes(20, "garden"));
        lab.deps.embedders = { primary: old, fallback: undefined };
        await fillVectors(lab.deps, BUDGET);
        ids.push(...(await lab.write("one note more")));
        lab.deps.embedders = { primary: young, fallback: undefined };
        const { database, seen } = watchDatabase(env.MEMORY, { dies: { at: dying, when } });
        const died = await fillVectors({ ...lab.deps, database }, BUDGET).then(
          () => false,
          () => true,
        );
        const answer = await near(lab.deps, "garden number7");
        expect(answer.near[0]?.chunkId).toBe(ids[7]);
        lab.clock.now += 1;
        while ((await fillVectors(lab.deps, BUDGET)).left > 0) {
          // Until all is done.
        }
        expect((await lab.spaces()).map(({ key, state }) => [key, state])).toEqual([[young.space, "ready"]]);
        expect(await lab.withVector(young)).toEqual(ids);
        const { near: found } = await near(lab.deps, "garden", 100);
        expect(found.map(({ chunkId }) => chunkId).toSorted((a, b) => a - b)).toEqual(ids);
        return { died, calls: seen.calls };
      };
      const { calls } = await story(Number.POSITIVE_INFINITY);
      expect(calls).toBeGreaterThan(15);
      const deaths = new Set<boolean>();
      for (let dying = 1; dying <= calls; dying++) deaths.add((await story(dying)).died);
      expect(deaths.has(true)).toBe(true);
    },
  );
});

describe("a change of the model", () => {
  test("takes effect when all vectors are made; until then the old model answers, also for new notes", async () => {
    const lab = await openVectors();
    const [old, young] = [new WordEmbedder("openai", "old"), new WordEmbedder("voyage", "young", 32)];
    lab.known.push(old);
    lab.deps.embedders = { primary: old, fallback: undefined };
    const ids = await lab.write(...notes(120, "garden"));
    await fillVectors(lab.deps, BUDGET);

    lab.deps.embedders = { primary: young, fallback: undefined };
    young.meanwhile = async () => {
      lab.clock.now += 6000;
    };
    const [fresh] = await lab.write("the ferry leaves at nine");
    expect((await fillVectors(lab.deps, BUDGET)).left).toBe(1);
    const during = await near(lab.deps, "ferry leaves");
    expect(during.near[0]?.chunkId).toBe(fresh);
    expect(during.embedder?.model).toBe("old");
    const { vectors } = await vectorStatus(lab.deps);
    expect(vectors.ready).toEqual({ space: "openai/old/64", vectors: 121 });
    expect(vectors.building?.space).toBe("voyage/young/32");

    while ((await fillVectors(lab.deps, BUDGET)).left > 0) expect(await nearest(lab.deps, "number7")).toBe(ids[7]);
    const after = await near(lab.deps, "ferry leaves");
    expect(after).toMatchObject({ embedder: { provider: "voyage", model: "young" } });
    expect(after.near[0]?.chunkId).toBe(fresh);
    expect(await lab.withVector(old)).toEqual([]);
    expect(await lab.spaces()).toHaveLength(1);
  });

  test("leaves words alone if the old model can no longer be called, and says so", async () => {
    const lab = await openVectors();
    lab.deps.embedders = { primary: new WordEmbedder("openai", "old"), fallback: undefined };
    await lab.write(...notes(60, "garden"));
    await fillVectors(lab.deps, BUDGET);
    const young = new WordEmbedder("openai", "young");
    lab.deps.embedders = { primary: young, fallback: undefined };
    young.meanwhile = async () => {
      lab.clock.now += 20_000;
    };
    await fillVectors(lab.deps, BUDGET);
    const answer = await near(lab.deps, "garden");
    expect(answer.near).toEqual([]);
    expect(answer.degraded).toMatchObject({
      code: "vectors_incomplete",
      message: expect.stringContaining("openai/old"),
    });
  });

  test("to no embedder deletes all vectors", async () => {
    const lab = await openVectors();
    const openai = new WordEmbedder("openai");
    lab.deps.embedders = { primary: openai, fallback: undefined };
    await lab.write(...notes(80, "garden"));
    await fillVectors(lab.deps, BUDGET);
    lab.deps.settings.store.vector.enabled = false;
    expect(openVectorSearch(lab.deps)).toBeUndefined();
    await fillVectors(lab.deps, BUDGET);
    expect(await lab.withVector(openai)).toEqual([]);
    expect(await lab.spaces()).toEqual([]);
    expect((await vectorStatus(lab.deps)).vectors).toEqual({ store: null, ready: null, building: null });
  });
});

describe("a failing provider", () => {
  test("in the middle keeps finished vectors, is reported, and is continued later", async () => {
    const lab = await openVectors();
    const openai = new WordEmbedder("openai");
    lab.deps.embedders = { primary: openai, fallback: undefined };
    const ids = await lab.write(...notes(40, "garden"));
    openai.meanwhile = async () => {
      if (openai.asked.length >= 16) openai.trouble = OVERLOADED;
    };
    expect(await fillVectors(lab.deps, BUDGET)).toEqual({ left: 0, retryInMs: 90_000 });
    expect(await lab.withVector(openai)).toEqual(ids.slice(0, 16));
    const failure = { message: "openai has too much to do.", at: lab.clock.now };
    expect((await vectorStatus(lab.deps)).failure).toEqual(failure);
    expect(await near(lab.deps, "garden")).toEqual({
      near: [],
      degraded: { code: "embedder_failed", message: "openai has too much to do. Words alone were searched." },
    });
    openai.trouble = openai.meanwhile = undefined;
    await fillVectors(lab.deps, BUDGET);
    expect(openai.asked).toHaveLength(40);
    expect((await vectorStatus(lab.deps)).failure).toBeNull();
    expect((await near(lab.deps, "garden")).degraded).toBeUndefined();
  });

  test("for good is replaced by the fallback until it works again", async () => {
    const lab = await openVectors();
    const [openai, voyage] = [new WordEmbedder("openai"), new WordEmbedder("voyage", "spare", 32)];
    lab.deps.embedders = { primary: openai, fallback: voyage };
    const ids = await lab.write(...notes(60, "garden"));
    await fillVectors(lab.deps, BUDGET);
    expect(voyage.asked).toEqual([]);

    openai.trouble = NO_KEY;
    const [fresh] = await lab.write("the ferry leaves at nine");
    await fillVectors(lab.deps, BUDGET);
    expect(await lab.withVector(voyage)).toEqual([...ids, fresh]);
    const meanwhile = await near(lab.deps, "ferry leaves");
    expect(meanwhile.near[0]?.chunkId).toBe(fresh);
    expect(meanwhile.embedder?.provider).toBe("voyage");
    const status = await vectorStatus(lab.deps);
    expect(status).toMatchObject({ failure: { message: NO_KEY.message }, isWhole: true });
    expect(status.vectors.ready?.space).toBe(voyage.space);

    openai.trouble = undefined;
    await fillVectors(lab.deps, BUDGET);
    const after = await near(lab.deps, "ferry leaves");
    expect(after.embedder?.provider).toBe("openai");
    expect(after.near[0]?.chunkId).toBe(fresh);
    expect(await lab.withVector(voyage)).toEqual([]);
    expect((await lab.spaces()).map(({ key }) => key)).toEqual([openai.space]);
  });

  test("for a moment does not lead to a call of the fallback", async () => {
    const lab = await openVectors();
    const [openai, voyage] = [new WordEmbedder("openai"), new WordEmbedder("voyage", "spare", 32)];
    lab.deps.embedders = { primary: openai, fallback: voyage };
    await lab.write(...notes(20, "garden"));
    openai.trouble = OVERLOADED;
    await fillVectors(lab.deps, BUDGET);
    lab.clock.now += 5 * 60_000;
    const { retryInMs } = await fillVectors(lab.deps, BUDGET);
    expect(retryInMs).toBe(5 * 60_000);
    expect(voyage.asked).toEqual([]);
    lab.clock.now += 5 * 60_000;
    await fillVectors(lab.deps, BUDGET);
    expect(voyage.asked).toHaveLength(20);
    expect((await near(lab.deps, "garden")).embedder?.provider).toBe("voyage");
  });

  test("during a search is replaced by an existing space of the fallback", async () => {
    const lab = await openVectors();
    const [openai, voyage] = [new WordEmbedder("openai"), new WordEmbedder("voyage", "spare", 32)];
    lab.deps.embedders = { primary: openai, fallback: voyage };
    const ids = await lab.write(...notes(20, "garden"));
    openai.trouble = NO_KEY;
    await fillVectors(lab.deps, BUDGET);
    openai.trouble = undefined;
    voyage.trouble = OVERLOADED;
    expect(await near(lab.deps, "garden number3")).toMatchObject({ degraded: { code: "embedder_failed" } });
    voyage.trouble = undefined;
    expect((await near(lab.deps, "garden number3")).near[0]?.chunkId).toBe(ids[3]);
  });

  test("a failing database gives a degraded answer instead of an error", async () => {
    const lab = await openVectors();
    lab.deps.embedders = { primary: new WordEmbedder("openai"), fallback: undefined };
    const { database } = watchDatabase(env.MEMORY, { dies: { at: 1, when: "before" } });
    expect(await near({ ...lab.deps, database }, "garden")).toMatchObject({
      near: [],
      degraded: { code: "vectors_unavailable" },
    });
  });
});

describe("the store of vectors", () => {
  async function onCloudflare(dimensions: number) {
    const lab = await openVectors();
    const vectorize = new StandInVectorize(dimensions);
    const openai = new WordEmbedder("openai");
    lab.deps = Object.assign(lab.deps, { vectorize, host: "cloudflare-workers" });
    lab.deps.embedders = { primary: openai, fallback: undefined };
    return { ...lab, vectorize, openai, ids: await lab.write(...notes(300, "garden")) };
  }

  test("is Vectorize if it is bound and has the same dimensions", async () => {
    const lab = await onCloudflare(64);
    expect(await fillVectors(lab.deps, BUDGET)).toEqual({ left: 0 });
    expect(lab.vectorize.size).toBe(300);
    expect(await nearest(lab.deps, "garden number7")).toBe(lab.ids[7]);
    expect((await vectorStatus(lab.deps)).vectors).toMatchObject({
      store: "vectorize",
      ready: { vectors: 300 },
    });
    await removeVectors(lab.deps, lab.ids.slice(0, 150));
    expect(lab.vectorize.size).toBe(150);
    lab.vectorize.trouble = new Error("VECTOR_QUERY_ERROR (code = 40006)");
    expect((await near(lab.deps, "garden")).degraded?.code).toBe("vectors_unavailable");
    lab.vectorize.trouble = undefined;
    lab.deps.embedders = { primary: undefined, fallback: undefined };
    await fillVectors(lab.deps, BUDGET);
    expect(lab.vectorize.size).toBe(0);
    expect(await lab.spaces()).toEqual([]);
  });

  test("is D1 if the Vectorize index has other dimensions, and the status says why", async () => {
    const lab = await onCloudflare(1024);
    await fillVectors(lab.deps, BUDGET);
    expect(await vectorStatus(lab.deps)).toMatchObject({
      vectors: { store: "d1", ready: { vectors: 300 } },
      why: "The Vectorize index has 1024 dimensions, the embeddings 64: they are kept in D1.",
    });
    expect(await nearest(lab.deps, "garden number7")).toBe(lab.ids[7]);
  });

  test("becomes Vectorize once it is bound, and D1 answers until then", async () => {
    const lab = await onCloudflare(64);
    await fillVectors({ ...lab.deps, vectorize: undefined }, BUDGET);
    lab.openai.meanwhile = async () => {
      lab.clock.now += 20_000;
    };
    const [fresh] = await lab.write("the ferry leaves at nine");
    await fillVectors(lab.deps, BUDGET);
    expect((await lab.spaces()).map(({ store, state }) => [store, state])).toEqual([
      ["d1", "ready"],
      ["vectorize", "building"],
    ]);
    expect(await nearest(lab.deps, "ferry leaves")).toBe(fresh);
    while ((await fillVectors(lab.deps, BUDGET)).left > 0) {
      // Until all is done.
    }
    expect((await lab.spaces()).map(({ store, state }) => [store, state])).toEqual([["vectorize", "ready"]]);
    expect(lab.vectorize.size).toBe(301);
  });

  test("does not change while Vectorize does not answer", async () => {
    const lab = await onCloudflare(64);
    await fillVectors(lab.deps, BUDGET);
    lab.vectorize.trouble = new Error("VECTOR_UPSERT_ERROR (code = 40000)");
    await lab.write("the ferry leaves at nine");
    expect((await fillVectors(lab.deps, BUDGET)).retryInMs).toBe(60_000);
    expect((await lab.spaces()).map(({ store, state }) => [store, state])).toEqual([["vectorize", "ready"]]);
    expect((await vectorStatus(lab.deps)).failure?.message).toContain("VECTOR_UPSERT_ERROR");
    lab.vectorize.trouble = undefined;
    await fillVectors(lab.deps, BUDGET);
    expect(lab.vectorize.size).toBe(301);
    expect((await vectorStatus(lab.deps)).failure).toBeNull();
  });
});

describe("a memory of more chunks than D1 searches", () => {
  const TOO_LARGE = {
    reason: "Vectorize is not bound here, and this memory has 10,001 chunks: vectors in D1 are searched up to 10,000.",
    fix: "Bind a Vectorize index of 64 dimensions as VECTORS in wrangler.toml.",
  };

  async function withNotes() {
    const lab = await openVectors();
    const openai = new WordEmbedder("openai");
    lab.deps.embedders = { primary: openai, fallback: undefined };
    const ids = await lab.write(...notes(40, "garden"));
    return { ...lab, openai, ids };
  }

  test("gets no vectors in D1, and search and status name the reason and the fix", async () => {
    const lab = await withNotes();
    await lab.resize(10_001);
    expect(await fillVectors(lab.deps, BUDGET)).toEqual({ left: 0 });
    expect(lab.openai.asked).toEqual([]);
    expect(await lab.spaces()).toEqual([]);
    expect(await near(lab.deps, "garden")).toEqual({
      near: [],
      degraded: {
        code: "vectors_unavailable",
        message: `${TOO_LARGE.reason} Words alone were searched. ${TOO_LARGE.fix}`,
      },
    });
    expect(await vectorStatus(lab.deps)).toEqual({
      vectors: { store: null, ready: null, building: null, unavailable: TOO_LARGE },
      failure: null,
      why: `${TOO_LARGE.reason} ${TOO_LARGE.fix}`,
      isWhole: true,
    });
  });

  test("keeps the vectors it has but does not search them, and completes them when it is small enough again", async () => {
    const lab = await withNotes();
    await lab.resize(10_000);
    await fillVectors(lab.deps, BUDGET);
    expect((await near(lab.deps, "garden")).near).toHaveLength(3);
    const [late] = await lab.write("the ferry leaves at nine");
    await lab.resize(10_001);
    // Also before the next update, which marks the space.
    expect((await near(lab.deps, "garden")).degraded?.code).toBe("vectors_unavailable");
    expect(await fillVectors(lab.deps, BUDGET)).toEqual({ left: 0 });
    expect((await lab.spaces()).map(({ state }) => state)).toEqual(["building"]);
    expect(await lab.withVector(lab.openai)).toEqual(lab.ids);
    await removeVectors(lab.deps, lab.ids.slice(0, 10));
    await lab.kill(lab.ids[0]!);
    expect(await lab.withVector(lab.openai)).toEqual(lab.ids.slice(10));

    await lab.resize(10_000);
    const between = await near(lab.deps, "garden number12");
    expect(between.near[0]?.chunkId).toBe(lab.ids[12]);
    expect(between.degraded?.code).toBe("vectors_incomplete");
    expect(await fillVectors(lab.deps, BUDGET)).toEqual({ left: 0 });
    expect(lab.openai.asked).toHaveLength(41);
    const after = await near(lab.deps, "ferry leaves");
    expect(after.near[0]?.chunkId).toBe(late);
    expect(after.degraded).toBeUndefined();
    expect((await vectorStatus(lab.deps)).vectors).toMatchObject({ store: "d1", ready: { vectors: 31 } });
  });

  test("moves to Vectorize once that is bound, and its vectors in D1 are deleted", async () => {
    const lab = await withNotes();
    await fillVectors(lab.deps, BUDGET);
    await lab.resize(20_000);
    await fillVectors(lab.deps, BUDGET);
    const vectorize = new StandInVectorize(64);
    Object.assign(lab.deps, { vectorize, host: "cloudflare-workers" });
    expect(await fillVectors(lab.deps, BUDGET)).toEqual({ left: 0 });
    expect((await lab.spaces()).map(({ store, state }) => [store, state])).toEqual([["vectorize", "ready"]]);
    expect(vectorize.size).toBe(40);
    expect(await nearest(lab.deps, "garden number7")).toBe(lab.ids[7]);
  });

  test("says which dimensions a Vectorize index has to have", async () => {
    const lab = await withNotes();
    Object.assign(lab.deps, { vectorize: new StandInVectorize(1024), host: "cloudflare-workers" });
    await lab.resize(12_345);
    await fillVectors(lab.deps, BUDGET);
    expect((await vectorStatus(lab.deps)).vectors.unavailable).toEqual({
      reason:
        "The Vectorize index has 1024 dimensions, the embeddings 64, and this memory has 12,345 chunks: vectors in D1 are searched up to 10,000.",
      fix: TOO_LARGE.fix,
    });
  });

  test("loses the paused vectors of an earlier model", async () => {
    const lab = await withNotes();
    await fillVectors(lab.deps, BUDGET);
    await lab.resize(10_001);
    lab.deps.embedders = { primary: new WordEmbedder("voyage", "young", 32), fallback: undefined };
    await fillVectors(lab.deps, BUDGET);
    expect(await lab.spaces()).toEqual([]);
  });
});

test("the vector of a repeated query is requested once, and the oldest are forgotten", async () => {
  const lab = await openVectors();
  const openai = new WordEmbedder("openai");
  let queries = 0;
  const embed: WordEmbedder["embed"] = (texts, purpose, signal) => {
    if (purpose === "query") queries++;
    return openai.embed(texts, purpose, signal);
  };
  const primary = { ...openai, space: openai.space, embed };
  lab.deps.embedders = { primary, fallback: undefined };
  await lab.write("a note");
  await fillVectors(lab.deps, BUDGET);
  await near(lab.deps, "first");
  await near(lab.deps, "first");
  expect(queries).toBe(1);
  for (let at = 0; at < 200; at++) await near(lab.deps, `other ${at}`);
  expect(lab.deps.queryVectors.size).toBe(200);
  await near(lab.deps, "first");
  expect(queries).toBe(202);
});
