import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { fillVectors, forgetChunks } from "../../../src/memory/vectors/space-keeper.ts";
import { openVectorLeg } from "../../../src/memory/vectors/vector-leg.ts";
import type { VectorRoom } from "../../../src/memory/vectors/vector-room.ts";
import { vectorStatus } from "../../../src/memory/vectors/vector-status.ts";
import { StandInVectorize } from "../../fakes/vectorize.ts";
import { NO_KEY, OVERLOADED, openRoom, WordEmbedder } from "./space-lab.ts";
import { watchedDatabase } from "./watched-database.ts";

const BUDGET = { budgetMs: 10_000 };

function near(room: VectorRoom, query: string, count = 3) {
  return openVectorLeg(room)!.nearest(query, count);
}

async function nearest(room: VectorRoom, query: string): Promise<number | undefined> {
  return (await near(room, query)).near[0]?.chunkId;
}

/** As many different notes as one asks for. */
function notes(count: number, topic: string): string[] {
  return Array.from({ length: count }, (_, at) => `${topic} number${at} says thing${at * 7}`);
}

describe("filling", () => {
  test("gives every live chunk its vector, once, and says so", async () => {
    const lab = await openRoom();
    const openai = new WordEmbedder("openai");
    lab.room.embedders = { primary: openai, fallback: undefined };
    const ids = await lab.write(...notes(600, "garden"), "the cat was vaccinated in May");
    expect(await near(lab.room, "cat")).toMatchObject({ near: [], degraded: { code: "vectors_incomplete" } });
    expect(await fillVectors(lab.room, BUDGET)).toEqual({ left: 0 });
    const answer = await near(lab.room, "vaccinated cat");
    expect(answer.near[0]?.chunkId).toBe(ids.at(-1));
    expect(answer).toMatchObject({ embedder: { provider: "openai", model: "words", sees: "meaning" } });
    expect(answer.degraded).toBeUndefined();
    expect(await vectorStatus(lab.room)).toMatchObject({
      vectors: { store: "d1", ready: { space: "openai/words/64", vectors: 601 }, building: null },
      failure: null,
      isWhole: true,
    });
    const [more] = await lab.write("the dentist is in Linz");
    expect((await vectorStatus(lab.room)).isWhole).toBe(false);
    await fillVectors(lab.room, BUDGET);
    await fillVectors(lab.room, BUDGET);
    expect(openai.asked).toHaveLength(602);
    expect(await nearest(lab.room, "dentist Linz")).toBe(more);
  });

  test("asks the database no more often than one call of the Worker may, and goes on with the next", async () => {
    const lab = await openRoom();
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
    const room = { ...lab.room, embedders: { primary, fallback: undefined } };
    const ids = await lab.write(...notes(9000, "garden"));
    expect(await fillVectors({ ...room, database: { prepare, batch } as D1Database }, BUDGET)).toEqual({ left: 1 });
    expect(statements.length).toBeLessThan(600);
    expect(await fillVectors(room, BUDGET)).toEqual({ left: 0 });
    expect(await lab.withVector(primary)).toEqual(ids);
  });

  test("goes on where its time was over", async () => {
    const lab = await openRoom();
    const openai = new WordEmbedder("openai");
    lab.room.embedders = { primary: openai, fallback: undefined };
    const ids = await lab.write(...notes(100, "garden"));
    openai.meanwhile = async () => {
      lab.clock.now += 4000;
    };
    let steps = 0;
    while ((await fillVectors(lab.room, BUDGET)).left > 0) {
      steps++;
      const { degraded, near: found } = await near(lab.room, "garden");
      expect(degraded?.code).toBe("vectors_incomplete");
      expect(found.length).toBeGreaterThan(0);
    }
    expect(steps).toBeGreaterThan(1);
    expect(openai.asked).toHaveLength(100);
    expect(await lab.withVector(openai)).toEqual(ids);
    expect((await lab.spaces()).map(({ state }) => state)).toEqual(["ready"]);
  });

  test("finds chunks of a version that took its place later than newer ones", async () => {
    const lab = await openRoom();
    const openai = new WordEmbedder("openai");
    lab.room.embedders = { primary: openai, fallback: undefined };
    const version = await lab.build("the spare key is under the fern");
    const [later] = await lab.write("the bicycle is blue");
    await fillVectors(lab.room, BUDGET);
    await fillVectors(lab.room, BUDGET);
    expect(await lab.withVector(openai)).toEqual([later]);
    expect(openai.asked).toEqual(["the bicycle is blue"]);
    const [second] = await version.add("and the other one is with Ida");
    await lab.write("the car is red");
    await version.finish();
    await fillVectors(lab.room, BUDGET);
    expect(await nearest(lab.room, "spare key fern")).toBe(version.chunkIds[0]);
    expect(await nearest(lab.room, "other Ida")).toBe(second);
    expect(openai.asked).toHaveLength(4);
  });

  test("leaves no vector of a chunk that went while it was embedded", async () => {
    const lab = await openRoom();
    const openai = new WordEmbedder("openai");
    lab.room.embedders = { primary: openai, fallback: undefined };
    const [gone] = await lab.write("a secret that is deleted");
    const [stays] = await lab.write("a note that stays");
    openai.meanwhile = async () => {
      await lab.kill(gone!);
      await forgetChunks(lab.room, [gone!]);
    };
    await fillVectors(lab.room, BUDGET);
    expect(await lab.withVector(openai)).toEqual([stays]);
    await forgetChunks(lab.room, [stays!]);
    await forgetChunks(lab.room, [stays!]);
    expect(await lab.withVector(openai)).toEqual([]);
  });

  test("agents see nothing of one another", async () => {
    const [mine, theirs] = [await openRoom(), await openRoom()];
    for (const { room } of [mine, theirs]) {
      room.embedders = { primary: new WordEmbedder("openai"), fallback: undefined };
    }
    const [note] = await mine.write("the safe is behind the painting");
    await theirs.write("a shopping list");
    await fillVectors(mine.room, BUDGET);
    await fillVectors(theirs.room, BUDGET);
    expect((await near(theirs.room, "safe painting")).near.map(({ chunkId }) => chunkId)).not.toContain(note);
  });

  test("two at once double nothing", async () => {
    const lab = await openRoom();
    const openai = new WordEmbedder("openai");
    lab.room.embedders = { primary: openai, fallback: undefined };
    const ids = await lab.write(...notes(200, "garden"));
    await Promise.all([fillVectors(lab.room, BUDGET), fillVectors(lab.room, BUDGET), fillVectors(lab.room, BUDGET)]);
    expect(await lab.spaces()).toHaveLength(1);
    expect(await lab.withVector(openai)).toEqual(ids);
    const { near: found } = await near(lab.room, "garden", 300);
    expect(found.map(({ chunkId }) => chunkId).toSorted((a, b) => a - b)).toEqual(ids);
  });

  test.each<"before" | "after">(["before", "after"])(
    "whoever dies %s any call leaves it to the next",
    { timeout: 90_000 },
    async (when) => {
      const story = async (dying: number) => {
        const lab = await openRoom();
        const [old, young] = [new WordEmbedder("openai", "old"), new WordEmbedder("openai", "younger")];
        lab.known.push(old);
        const ids = await lab.write(...notes(20, "garden"));
        lab.room.embedders = { primary: old, fallback: undefined };
        await fillVectors(lab.room, BUDGET);
        ids.push(...(await lab.write("one note more")));
        lab.room.embedders = { primary: young, fallback: undefined };
        const { database, seen } = watchedDatabase(env.MEMORY, (call) => (call === dying ? when : undefined));
        const died = await fillVectors({ ...lab.room, database }, BUDGET).then(
          () => false,
          () => true,
        );
        const answer = await near(lab.room, "garden number7");
        expect(answer.near[0]?.chunkId).toBe(ids[7]);
        lab.clock.now += 1;
        while ((await fillVectors(lab.room, BUDGET)).left > 0) {
          // Until all is done.
        }
        expect((await lab.spaces()).map(({ key, state }) => [key, state])).toEqual([[young.space, "ready"]]);
        expect(await lab.withVector(young)).toEqual(ids);
        const { near: found } = await near(lab.room, "garden", 100);
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

describe("another model", () => {
  test("takes the place of the one before when all is done; until then that one answers, also of new notes", async () => {
    const lab = await openRoom();
    const [old, young] = [new WordEmbedder("openai", "old"), new WordEmbedder("voyage", "young", 32)];
    lab.known.push(old);
    lab.room.embedders = { primary: old, fallback: undefined };
    const ids = await lab.write(...notes(120, "garden"));
    await fillVectors(lab.room, BUDGET);

    lab.room.embedders = { primary: young, fallback: undefined };
    young.meanwhile = async () => {
      lab.clock.now += 6000;
    };
    const [fresh] = await lab.write("the ferry leaves at nine");
    expect((await fillVectors(lab.room, BUDGET)).left).toBe(1);
    const during = await near(lab.room, "ferry leaves");
    expect(during.near[0]?.chunkId).toBe(fresh);
    expect(during.embedder?.model).toBe("old");
    const { vectors } = await vectorStatus(lab.room);
    expect(vectors.ready).toEqual({ space: "openai/old/64", vectors: 121 });
    expect(vectors.building?.space).toBe("voyage/young/32");

    while ((await fillVectors(lab.room, BUDGET)).left > 0) expect(await nearest(lab.room, "number7")).toBe(ids[7]);
    const after = await near(lab.room, "ferry leaves");
    expect(after).toMatchObject({ embedder: { provider: "voyage", model: "young" } });
    expect(after.near[0]?.chunkId).toBe(fresh);
    expect(await lab.withVector(old)).toEqual([]);
    expect(await lab.spaces()).toHaveLength(1);
  });

  test("leaves words alone where the one before cannot be asked any more, and says so", async () => {
    const lab = await openRoom();
    lab.room.embedders = { primary: new WordEmbedder("openai", "old"), fallback: undefined };
    await lab.write(...notes(60, "garden"));
    await fillVectors(lab.room, BUDGET);
    const young = new WordEmbedder("openai", "young");
    lab.room.embedders = { primary: young, fallback: undefined };
    young.meanwhile = async () => {
      lab.clock.now += 20_000;
    };
    await fillVectors(lab.room, BUDGET);
    const answer = await near(lab.room, "garden");
    expect(answer.near).toEqual([]);
    expect(answer.degraded).toMatchObject({
      code: "vectors_incomplete",
      message: expect.stringContaining("openai/old"),
    });
  });

  test("nobody at all: what there was is cleared away", async () => {
    const lab = await openRoom();
    const openai = new WordEmbedder("openai");
    lab.room.embedders = { primary: openai, fallback: undefined };
    await lab.write(...notes(80, "garden"));
    await fillVectors(lab.room, BUDGET);
    lab.room.settings.store.vector.enabled = false;
    expect(openVectorLeg(lab.room)).toBeUndefined();
    await fillVectors(lab.room, BUDGET);
    expect(await lab.withVector(openai)).toEqual([]);
    expect(await lab.spaces()).toEqual([]);
    expect((await vectorStatus(lab.room)).vectors).toEqual({ store: null, ready: null, building: null });
  });
});

describe("a provider that fails", () => {
  test("in the middle keeps what was done, is told of, and is gone on with later", async () => {
    const lab = await openRoom();
    const openai = new WordEmbedder("openai");
    lab.room.embedders = { primary: openai, fallback: undefined };
    const ids = await lab.write(...notes(40, "garden"));
    openai.meanwhile = async () => {
      if (openai.asked.length >= 16) openai.trouble = OVERLOADED;
    };
    expect(await fillVectors(lab.room, BUDGET)).toEqual({ left: 0, retryInMs: 90_000 });
    expect(await lab.withVector(openai)).toEqual(ids.slice(0, 16));
    const failure = { message: "openai has too much to do.", at: lab.clock.now };
    expect((await vectorStatus(lab.room)).failure).toEqual(failure);
    expect(await near(lab.room, "garden")).toEqual({
      near: [],
      degraded: { code: "embedder_failed", message: "openai has too much to do. Words alone were searched." },
    });
    openai.trouble = openai.meanwhile = undefined;
    await fillVectors(lab.room, BUDGET);
    expect(openai.asked).toHaveLength(40);
    expect((await vectorStatus(lab.room)).failure).toBeNull();
    expect((await near(lab.room, "garden")).degraded).toBeUndefined();
  });

  test("for good is stood in for by the fallback, until it is back", async () => {
    const lab = await openRoom();
    const [openai, voyage] = [new WordEmbedder("openai"), new WordEmbedder("voyage", "spare", 32)];
    lab.room.embedders = { primary: openai, fallback: voyage };
    const ids = await lab.write(...notes(60, "garden"));
    await fillVectors(lab.room, BUDGET);
    expect(voyage.asked).toEqual([]);

    openai.trouble = NO_KEY;
    const [fresh] = await lab.write("the ferry leaves at nine");
    await fillVectors(lab.room, BUDGET);
    expect(await lab.withVector(voyage)).toEqual([...ids, fresh]);
    const meanwhile = await near(lab.room, "ferry leaves");
    expect(meanwhile.near[0]?.chunkId).toBe(fresh);
    expect(meanwhile.embedder?.provider).toBe("voyage");
    const status = await vectorStatus(lab.room);
    expect(status).toMatchObject({ failure: { message: NO_KEY.message }, isWhole: true });
    expect(status.vectors.ready?.space).toBe(voyage.space);

    openai.trouble = undefined;
    await fillVectors(lab.room, BUDGET);
    const after = await near(lab.room, "ferry leaves");
    expect(after.embedder?.provider).toBe("openai");
    expect(after.near[0]?.chunkId).toBe(fresh);
    expect(await lab.withVector(voyage)).toEqual([]);
    expect((await lab.spaces()).map(({ key }) => key)).toEqual([openai.space]);
  });

  test("for a moment is waited for, and the fallback is not asked", async () => {
    const lab = await openRoom();
    const [openai, voyage] = [new WordEmbedder("openai"), new WordEmbedder("voyage", "spare", 32)];
    lab.room.embedders = { primary: openai, fallback: voyage };
    await lab.write(...notes(20, "garden"));
    openai.trouble = OVERLOADED;
    await fillVectors(lab.room, BUDGET);
    lab.clock.now += 5 * 60_000;
    const { retryInMs } = await fillVectors(lab.room, BUDGET);
    expect(retryInMs).toBe(5 * 60_000);
    expect(voyage.asked).toEqual([]);
    lab.clock.now += 5 * 60_000;
    await fillVectors(lab.room, BUDGET);
    expect(voyage.asked).toHaveLength(20);
    expect((await near(lab.room, "garden")).embedder?.provider).toBe("voyage");
  });

  test("while it is asked is stood in for by a space that is there", async () => {
    const lab = await openRoom();
    const [openai, voyage] = [new WordEmbedder("openai"), new WordEmbedder("voyage", "spare", 32)];
    lab.room.embedders = { primary: openai, fallback: voyage };
    const ids = await lab.write(...notes(20, "garden"));
    openai.trouble = NO_KEY;
    await fillVectors(lab.room, BUDGET);
    openai.trouble = undefined;
    voyage.trouble = OVERLOADED;
    expect(await near(lab.room, "garden number3")).toMatchObject({ degraded: { code: "embedder_failed" } });
    voyage.trouble = undefined;
    expect((await near(lab.room, "garden number3")).near[0]?.chunkId).toBe(ids[3]);
  });

  test("of the database is told, never thrown", async () => {
    const lab = await openRoom();
    lab.room.embedders = { primary: new WordEmbedder("openai"), fallback: undefined };
    const { database } = watchedDatabase(env.MEMORY, () => "before");
    expect(await near({ ...lab.room, database }, "garden")).toMatchObject({
      near: [],
      degraded: { code: "vectors_unavailable" },
    });
  });
});

describe("where vectors are kept", () => {
  async function onCloudflare(dimensions: number) {
    const lab = await openRoom();
    const vectorize = new StandInVectorize(dimensions);
    const openai = new WordEmbedder("openai");
    lab.room = Object.assign(lab.room, { vectorize, host: "cloudflare-workers" });
    lab.room.embedders = { primary: openai, fallback: undefined };
    return { ...lab, vectorize, openai, ids: await lab.write(...notes(300, "garden")) };
  }

  test("in Vectorize, where it is bound and takes them", async () => {
    const lab = await onCloudflare(64);
    expect(await fillVectors(lab.room, BUDGET)).toEqual({ left: 0 });
    expect(lab.vectorize.size).toBe(300);
    expect(await nearest(lab.room, "garden number7")).toBe(lab.ids[7]);
    expect((await vectorStatus(lab.room)).vectors).toMatchObject({
      store: "vectorize",
      ready: { vectors: 300 },
    });
    await forgetChunks(lab.room, lab.ids.slice(0, 150));
    expect(lab.vectorize.size).toBe(150);
    lab.vectorize.trouble = new Error("VECTOR_QUERY_ERROR (code = 40006)");
    expect((await near(lab.room, "garden")).degraded?.code).toBe("vectors_unavailable");
    lab.vectorize.trouble = undefined;
    lab.room.embedders = { primary: undefined, fallback: undefined };
    await fillVectors(lab.room, BUDGET);
    expect(lab.vectorize.size).toBe(0);
    expect(await lab.spaces()).toEqual([]);
  });

  test("in D1, where the index has other dimensions; the status says why", async () => {
    const lab = await onCloudflare(1024);
    await fillVectors(lab.room, BUDGET);
    expect(await vectorStatus(lab.room)).toMatchObject({
      vectors: { store: "d1", ready: { vectors: 300 } },
      why: "The Vectorize index has 1024 dimensions, the embeddings 64: they are kept in D1.",
    });
    expect(await nearest(lab.room, "garden number7")).toBe(lab.ids[7]);
  });

  test("in Vectorize once it is there: what is in D1 answers until then", async () => {
    const lab = await onCloudflare(64);
    await fillVectors({ ...lab.room, vectorize: undefined }, BUDGET);
    lab.openai.meanwhile = async () => {
      lab.clock.now += 20_000;
    };
    const [fresh] = await lab.write("the ferry leaves at nine");
    await fillVectors(lab.room, BUDGET);
    expect((await lab.spaces()).map(({ store, state }) => [store, state])).toEqual([
      ["d1", "ready"],
      ["vectorize", "building"],
    ]);
    expect(await nearest(lab.room, "ferry leaves")).toBe(fresh);
    while ((await fillVectors(lab.room, BUDGET)).left > 0) {
      // Until all is done.
    }
    expect((await lab.spaces()).map(({ store, state }) => [store, state])).toEqual([["vectorize", "ready"]]);
    expect(lab.vectorize.size).toBe(301);
  });

  test("where they are, while Vectorize does not answer; nothing is lost with it", async () => {
    const lab = await onCloudflare(64);
    await fillVectors(lab.room, BUDGET);
    lab.vectorize.trouble = new Error("VECTOR_UPSERT_ERROR (code = 40000)");
    await lab.write("the ferry leaves at nine");
    expect((await fillVectors(lab.room, BUDGET)).retryInMs).toBe(60_000);
    expect((await lab.spaces()).map(({ store, state }) => [store, state])).toEqual([["vectorize", "ready"]]);
    expect((await vectorStatus(lab.room)).failure?.message).toContain("VECTOR_UPSERT_ERROR");
    lab.vectorize.trouble = undefined;
    await fillVectors(lab.room, BUDGET);
    expect(lab.vectorize.size).toBe(301);
    expect((await vectorStatus(lab.room)).failure).toBeNull();
  });
});
