import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { agentOf } from "../../../src/config/agents.ts";
import type { DocumentStore } from "../../../src/memory/document-store.ts";
import { wholeSchema } from "../../../src/services/config-schema.ts";
import { updateIndex } from "../../../src/services/memory/update-index.ts";

/** An index of documents that a store does not give, and what is put into the queue for it. @param listing how long that takes */
function stuck(agentId: string, listing = 0) {
  const settings = agentOf(wholeSchema.parse({ agents: { list: [{ id: agentId }] } }), agentId).memorySearch;
  const document = { path: "memory/a.md", source: "memory", etag: "1", size: 1, modifiedAt: 1 } as const;
  const store: DocumentStore = {
    source: "memory",
    covers: () => true,
    list: async () => {
      at += listing;
      return [document];
    },
    stat: async () => document,
    read: () => Promise.reject(new Error("The store does not answer.")),
  };
  let at = Date.now();
  const sent: { fruitless?: number; delaySeconds: number }[] = [];
  const indexing = {
    send: async ({ fruitless }: { fruitless?: number }, { delaySeconds }: { delaySeconds: number }) => {
      sent.push({ ...(fruitless !== undefined && { fruitless }), delaySeconds });
    },
  } as unknown as Queue;
  const database = env.MEMORY;
  const now = () => at;
  const nobody = { primary: undefined, fallback: undefined };
  const vectors = {
    database,
    agentId,
    settings,
    embedders: nobody,
    embedderForSpace: () => undefined,
    vectorize: undefined,
  };
  const deps = {
    agentId,
    sync: { database, agentId, settings, stores: [store], removeVectors: async () => undefined, now },
    vectors: { ...vectors, host: "workerd", queryVectors: new Map(), now } as const,
    indexing,
    now,
  };
  return { deps, sent };
}

describe("work of which nothing can be done", () => {
  test("waits twice as long each time, and is then left to whoever asks next", async () => {
    const { deps, sent } = stuck("stuck");
    for (const fruitless of [0, 1, 5, 10]) {
      expect(await updateIndex(deps, { force: false, budgetMs: 5000, fruitless })).toBe(false);
    }
    expect(sent).toEqual([
      { fruitless: 1, delaySeconds: 2 },
      { fruitless: 2, delaySeconds: 4 },
      { fruitless: 6, delaySeconds: 64 },
    ]);
  });

  test("waits as well where a look at all files takes all the time there is", async () => {
    const { deps, sent } = stuck("slow", 60_000);
    await updateIndex(deps, { force: false, budgetMs: 5000 });
    expect(sent).toEqual([{ fruitless: 1, delaySeconds: 2 }]);
  });

  test("is somebody else's while he is at it, and asked for again after him", async () => {
    const { deps, sent } = stuck("busy");
    const leased = "insert into meta (agent_id, leased_until) values ('busy', ?)";
    await env.MEMORY.prepare(leased)
      .bind(Date.now() + 60_000)
      .run();
    expect(await updateIndex(deps, { force: false, budgetMs: 5000 })).toBe(false);
    expect(sent).toEqual([{ delaySeconds: 15 }]);
  });
});
